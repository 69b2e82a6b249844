import { isDeepStrictEqual } from "node:util";
import type { ObjectStore } from "../object-store.ts";

/** One promise of object-store.ts as something that can be tried. */
export interface CertificationCase {
  /** What is promised; a sentence without its full stop. */
  readonly promise: string;
  /**
   * Tries it on an empty store and returns what was seen. Throws `BrokenPromise` if the promise is
   * broken, and what the store throws if that could not be found out.
   */
  run(store: ObjectStore, tally: Tally): Promise<string>;
}

/** What all cases together count. */
export interface Tally {
  /** Conditional puts whose outcome was unknown and was settled by reading. */
  unknownPuts: number;
}

/** The store broke a promise; `message` says what was seen and what is right. */
export class BrokenPromise extends Error {}

/** Throws `BrokenPromise` unless `seen` equals `wanted` in depth. */
export function expectSame(what: string, seen: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(seen, wanted)) return;
  throw new BrokenPromise(`${what}: ${shown(seen)}, expected ${shown(wanted)}`);
}

/** Throws `BrokenPromise` unless `holds`. */
export function expectThat(holds: boolean, broken: string): asserts holds {
  if (!holds) throw new BrokenPromise(broken);
}

/** Throws `BrokenPromise` unless the bytes are the same. */
export function expectBytes(what: string, seen: Uint8Array | undefined, wanted: Uint8Array): void {
  if (seen === undefined) throw new BrokenPromise(`${what}: there is no object`);
  if (Buffer.compare(seen, wanted) === 0) return;
  const sizes = `${seen.length} bytes, expected ${wanted.length}`;
  throw new BrokenPromise(`${what}: other bytes than were put (${sizes})`);
}

/** The text's bytes. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The bytes' text. */
export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}

/**
 * Runs `action` for 0 to `count` - 1, `parallel` of them at a time. After a failure it starts no
 * more, and throws once the others have ended: nothing is written after the case.
 */
export async function inParallel(
  count: number,
  parallel: number,
  action: (number: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  let hasFailed = false;
  const worker = async () => {
    while (next < count && !hasFailed) {
      await action(next++).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: parallel }, worker));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
