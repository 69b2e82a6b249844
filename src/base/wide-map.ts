/** Entries up to which there is one map: moving them takes a millisecond or two. */
const NARROW_ENTRIES_MAX = 4096;
/** Maps from then on; a power of two. */
const SHARDS = 256;

/**
 * A map of which no growth takes long: V8 moves all entries of a `Map` each time it doubles, so
 * that one of a million stands still for a tenth of a second. Many maps share the entries.
 */
export class WideMap<K, V> {
  readonly #hash: (key: K) => number;
  readonly #narrowEntriesMax: number;
  #narrow: Map<K, V> | undefined = new Map();
  readonly #shards: Map<K, V>[] = [];

  /** `hash` gives equal keys the same integer, whose low bits should differ for others. */
  constructor(hash: (key: K) => number, narrowEntriesMax = NARROW_ENTRIES_MAX) {
    this.#hash = hash;
    this.#narrowEntriesMax = narrowEntriesMax;
  }

  has(key: K): boolean {
    return (this.#narrow ?? this.#shardOf(key)).has(key);
  }

  get(key: K): V | undefined {
    return (this.#narrow ?? this.#shardOf(key)).get(key);
  }

  /** Sets the value of a key that is not there. */
  add(key: K, value: V): void {
    const narrow = this.#narrow;
    if (narrow === undefined) {
      this.#shardOf(key).set(key, value);
      return;
    }
    narrow.set(key, value);
    if (narrow.size > this.#narrowEntriesMax) this.#widen(narrow);
  }

  /** All values, in any order. */
  *values(): Generator<V> {
    for (const map of this.#narrow === undefined ? this.#shards : [this.#narrow]) {
      yield* map.values();
    }
  }

  #widen(narrow: Map<K, V>): void {
    for (let i = 0; i < SHARDS; i++) this.#shards.push(new Map());
    for (const [key, value] of narrow) this.#shardOf(key).set(key, value);
    this.#narrow = undefined;
  }

  #shardOf(key: K): Map<K, V> {
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
