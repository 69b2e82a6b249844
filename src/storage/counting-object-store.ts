import { piecesBytes } from "../base/pieces.ts";
import {
  type ListPage,
  type ListRequest,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutCondition,
  type PutOutcome,
  piecesOf,
} from "./object-store.ts";

/** The five requests that a store answers. */
export type StoreRequestName = "get" | "getRange" | "put" | "list" | "delete";

/** Totals since a `CountingObjectStore` was made. */
export interface StoreCounts {
  readonly requests: Readonly<Record<StoreRequestName, number>>;
  /** Requests that threw. */
  readonly failures: number;
  /** Conditional puts that lost. */
  readonly conflicts: number;
  /** Body bytes that gets returned. */
  readonly bytesRead: number;
  /** Body bytes of puts that were written. */
  readonly bytesWritten: number;
}

/** Told of each request as it starts; `target` is its key or prefix. */
export type StoreObserver = (request: StoreRequestName, target: string) => void;

/** Counts requests and bytes: for metrics, and for tests that assert what a thing costs. */
export class CountingObjectStore implements ObjectStore {
  readonly #store: ObjectStore;
  readonly #observe: StoreObserver;
  readonly #requests = { get: 0, getRange: 0, put: 0, list: 0, delete: 0 };
  #failures = 0;
  #conflicts = 0;
  #bytesRead = 0;
  #bytesWritten = 0;

  constructor(store: ObjectStore, observe: StoreObserver = () => undefined) {
    this.#store = store;
    this.#observe = observe;
  }

  /** The totals of this moment; a copy. */
  counts(): StoreCounts {
    return {
      requests: { ...this.#requests },
      failures: this.#failures,
      conflicts: this.#conflicts,
      bytesRead: this.#bytesRead,
      bytesWritten: this.#bytesWritten,
    };
  }

  async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    const body = await this.#count("get", key, this.#store.get(key));
    this.#bytesRead += body?.byteLength ?? 0;
    return body;
  }

  async getRange(key: ObjectKey, start: number, end: number): Promise<Uint8Array | undefined> {
    const body = await this.#count("getRange", key, this.#store.getRange(key, start, end));
    this.#bytesRead += body?.byteLength ?? 0;
    return body;
  }

  async put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    const outcome = await this.#count("put", key, this.#store.put(key, body, condition));
    if (outcome.kind === "written") this.#bytesWritten += piecesBytes(piecesOf(body));
    else this.#conflicts++;
    return outcome;
  }

  list(request: ListRequest): Promise<ListPage> {
    return this.#count("list", request.prefix, this.#store.list(request));
  }

  delete(key: ObjectKey): Promise<void> {
    return this.#count("delete", key, this.#store.delete(key));
  }

  async #count<T>(name: StoreRequestName, target: string, running: Promise<T>): Promise<T> {
    this.#requests[name]++;
    this.#observe(name, target);
    try {
      return await running;
    } catch (error) {
      this.#failures++;
      throw error;
    }
  }
}
