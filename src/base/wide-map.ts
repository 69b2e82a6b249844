/** Entries of the first map, which is enough for most. */
const FIRST_ENTRIES_MAX = 4096;
/** Maps for those that come after them; a power of two. */
const SHARDS = 256;

/**
 * A map of which no growth takes long: V8 moves all entries of a `Map` each time it doubles, so
 * that one of a million stands still for a tenth of a second. Many maps share the entries.
 */
export class WideMap<K, V> {
  readonly #hash: (key: K) => number;
  readonly #firstEntriesMax: number;
  readonly #first = new Map<K, V>();
  /** Undefined where no entry has come yet. */
  readonly #shards: (Map<K, V> | undefined)[] = [];

  /** `hash` gives equal keys the same integer, whose low bits should differ for others. */
  constructor(hash: (key: K) => number, firstEntriesMax = FIRST_ENTRIES_MAX) {
    this.#hash = hash;
    this.#firstEntriesMax = firstEntriesMax;
  }

  has(key: K): boolean {
    if (this.#first.has(key)) return true;
    return this.#isWide && this.#shardOf(key)?.has(key) === true;
  }

  get(key: K): V | undefined {
    const value = this.#first.get(key);
    return value === undefined && this.#isWide ? this.#shardOf(key)?.get(key) : value;
  }

  /** Sets the value of a key that is not there. */
  add(key: K, value: V): void {
    if (!this.#isWide) {
      this.#first.set(key, value);
      return;
    }
    const shard = this.#shardOf(key);
    if (shard !== undefined) shard.set(key, value);
    else this.#shards[this.#hash(key) & (SHARDS - 1)] = new Map([[key, value]]);
  }

  /** All values, in any order. */
  *values(): Generator<V> {
    yield* this.#first.values();
    for (const shard of this.#shards) if (shard !== undefined) yield* shard.values();
  }

  get #isWide(): boolean {
    return this.#first.size >= this.#firstEntriesMax;
  }

  #shardOf(key: K): Map<K, V> | undefined {
    return this.#shards[this.#hash(key) & (SHARDS - 1)];
  }
}

/** Characters of a string that its hash looks at, spread over it. */
const HASHED_CHARACTERS = 16;

/** A hash of a string for `WideMap`: not of all of it, if it is long. */
export function shortHash(text: string): number {
  let hash = text.length;
  const step = Math.max(1, text.length / HASHED_CHARACTERS);
  for (let at = text.length - 1; at >= 0; at -= step) {
    hash = Math.imul(hash, 31) + text.charCodeAt(Math.floor(at));
  }
  return hash ^ (hash >>> 8);
}

/** A hash of any scalar for `WideMap`. */
export function scalarHash(value: string | number | bigint | boolean): number {
  return typeof value === "string" ? shortHash(value) : numberHash(Number(value));
}

/** A hash of a number for `WideMap`. */
export function numberHash(value: number): number {
  const low = value | 0;
  const high = Number.isInteger(value) ? (value / 2 ** 32) | 0 : (value * 2 ** 20) | 0;
  return Math.imul(low ^ high, 0x9e3779b1) >>> 20;
}
