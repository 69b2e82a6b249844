import { assert } from "../base/assert.ts";
import type { Pieces } from "../base/pieces.ts";

/**
 * Object storage is the only durable state in the system. The layers above rely on four promises,
 * and test/conformance/object-store.ts checks every implementation against them:
 *
 * 1. Durable: an object whose put resolved "written", or that made another put resolve "conflict",
 *             survives the loss of this process and machine.
 * 2. Fresh:   a get or list that starts after that moment sees that put, or a later one.
 * 3. Whole:   no get sees part of a put.
 * 4. Decided: of the conditional puts racing for an absent key, at most one is written, and every
 *             other one that resolves says "conflict".
 *
 * Bodies may be views of shared memory. Whoever shares them keeps them unchanged until the put
 * ends.
 */
export interface ObjectStore {
  /** Reads a whole object into memory of its own, or returns undefined if the key holds none. */
  get(key: ObjectKey): Promise<Uint8Array | undefined>;

  /**
   * Reads the bytes from `start` to before `end`; fewer, down to none, where the object ends
   * before. Returns undefined if the key holds no object. A store that may answer from a local
   * copy counts in `trace` where the bytes came from, and does not where `trace` says so.
   */
  getRange(
    key: ObjectKey,
    start: number,
    end: number,
    trace?: ReadTrace,
  ): Promise<Uint8Array | undefined>;

  /**
   * Writes a whole object if `condition` holds at the moment the write takes effect. Losing a race
   * is expected, so it is returned; a throw means that the outcome is unknown, not that it failed.
   */
  put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome>;

  /** Lists keys in byte order. Costs one request for each page. */
  list(request: ListRequest): Promise<ListPage>;

  /** Removes an object; to remove an absent one is no error. A throw leaves the outcome unknown. */
  delete(key: ObjectKey): Promise<void>;
}

/** Where the bytes of reads came from; each read counts once. */
export interface ReadTrace {
  /** What is known of the object from earlier reads has turned out to be wrong: it is read anew. */
  readonly isAnew?: boolean;
  /** Nobody will read it again soon: a store that keeps copies makes none. */
  readonly isOnce?: boolean;
  /** All of them from a disk of this machine that keeps copies. */
  diskReads: number;
  /** Some of them from the store. */
  storeReads: number;
}

/** Bytes to put, in one array or in several end to end. */
export type ObjectBody = Uint8Array | Pieces;

/** The arrays of a body. */
export function piecesOf(body: ObjectBody): Pieces {
  return body instanceof Uint8Array ? [body] : body;
}

/**
 * Name of an object: parts of `A-Za-z0-9_.-` joined by `/`, none of them `.` or `..`. Made by
 * `objectKey`. No key may be a folder of another one, since a directory cannot be a file as well.
 */
export type ObjectKey = string & { readonly __brand: "ObjectKey" };

/** When a put takes effect. */
export type PutCondition = { readonly kind: "absent" } | { readonly kind: "always" };

/** What became of a put. */
export type PutOutcome = { readonly kind: "written" } | { readonly kind: "conflict" };

/** Takes effect only where the key holds no object: the one primitive that decides races. */
export const IF_ABSENT: PutCondition = { kind: "absent" };

/** Takes effect whatever the key holds. */
export const ALWAYS: PutCondition = { kind: "always" };

/** Which keys to list. */
export interface ListRequest {
  /** Start of the wanted keys; may end inside a part. Empty for all. */
  readonly prefix: string;
  /** Only keys after this text, in byte order; what is left is folded by the delimiter. */
  readonly startAfter?: string;
  /** Greatest number of keys and prefixes together; at least 1. */
  readonly limit: number;
  /** Folds keys that go on after the next `/` behind `prefix` into one entry of `prefixes`. */
  readonly delimiter?: "/";
}

/** One page of a listing. */
export interface ListPage {
  /** Ascending in byte order. */
  readonly keys: readonly ObjectKey[];
  /** Ascending in byte order; each ends in `/`. Empty without a delimiter. */
  readonly prefixes: readonly string[];
  /** There is more: go on with `startAfter` set to `endOf` this page. */
  readonly truncated: boolean;
}

const OBJECT_KEY = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/;
const DOT_PART = /(?:^|\/)\.{1,2}(?:\/|$)/;

/** Tells whether `text` is an object key. */
export function isObjectKey(text: string): text is ObjectKey {
  return OBJECT_KEY.test(text) && !DOT_PART.test(text);
}

/** Makes an object key of text that the program built itself; anything else is a bug. */
export function objectKey(text: string): ObjectKey {
  assert(isObjectKey(text), `bad object key ${text}`);
  return text;
}

/**
 * Returns the `startAfter` of the page that follows `page`, or undefined after an empty one. Behind
 * a prefix that is a text after all keys under the prefix, so that it does not come again.
 */
export function endOf(page: ListPage): string | undefined {
  const key = page.keys.at(-1);
  const prefix = page.prefixes.at(-1);
  if (prefix === undefined || (key !== undefined && key > prefix)) return key;
  return `${prefix}~`; // Greater than every character of a key.
}
