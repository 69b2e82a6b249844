import { joinPieces } from "../../../src/base/pieces.ts";
import {
  type ListPage,
  type ListRequest,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutCondition,
  type PutOutcome,
  piecesOf,
} from "../../../src/storage/object-store.ts";

/**
 * Keeps objects in a map: the plainest reading of the interface, and the second implementation
 * that its conformance suite is checked against. Bytes are copied on the way in and out, so that
 * no caller can change what is stored.
 */
export class MemoryObjectStore implements ObjectStore {
  readonly #objects = new Map<ObjectKey, Uint8Array>();

  async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    return this.#objects.get(key)?.slice();
  }

  async getRange(key: ObjectKey, start: number, end: number): Promise<Uint8Array | undefined> {
    return this.#objects.get(key)?.slice(start, Math.max(start, end));
  }

  async put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    if (condition.kind === "absent" && this.#objects.has(key)) return { kind: "conflict" };

    this.#objects.set(key, Uint8Array.from(joinPieces(piecesOf(body))));
    return { kind: "written" };
  }

  async list(request: ListRequest): Promise<ListPage> {
    const { prefix, startAfter = "", limit, delimiter } = request;
    const keys: ObjectKey[] = [];
    const prefixes: string[] = [];
    const listed = [...this.#objects.keys()].filter(
      (key) => key > startAfter && key.startsWith(prefix),
    );
    for (const key of listed.sort()) {
      const fold = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length);
      const folded = key.slice(0, fold + 1);
      if (fold >= 0 && folded === prefixes.at(-1)) continue;
      if (keys.length + prefixes.length === limit) return { keys, prefixes, truncated: true };
      if (fold >= 0) prefixes.push(folded);
      else keys.push(key);
    }
    return { keys, prefixes, truncated: false };
  }

  async delete(key: ObjectKey): Promise<void> {
    this.#objects.delete(key);
  }
}
