/** Entries of the first map, which is enough for most. */
const FIRST_ENTRIES_MAX = 4096;
/** Maps for those that come after them; a power of two. */
const SHARDS = 256;

/**
 * A map by strings that grows in short steps: V8 moves all entries of a `Map` each time it doubles,
 * so that one of a million stands still for a tenth of a second. Many maps share the entries.
 * Strings that were chosen badly are all in one of these, which V8 hashes with a seed.
 */
export class WideMap<V> {
  readonly #firstEntriesMax: number;
  readonly #first = new Map<string, V>();
  /** Undefined where no entry has come yet. */
  readonly #shards: (Map<string, V> | undefined)[] = [];

  constructor(firstEntriesMax = FIRST_ENTRIES_MAX) {
    this.#firstEntriesMax = firstEntriesMax;
  }

  get(key: string): V | undefined {
    const value = this.#first.get(key);
    return value === undefined && this.#isWide ? this.#shardOf(key)?.get(key) : value;
  }

  /** Sets the value of a key that is not there. */
  add(key: string, value: V): void {
    if (!this.#isWide) {
      this.#first.set(key, value);
      return;
    }
    const shard = this.#shardOf(key);
    if (shard !== undefined) shard.set(key, value);
    else this.#shards[shortHash(key) & (SHARDS - 1)] = new Map([[key, value]]);
  }

  get #isWide(): boolean {
    return this.#first.size >= this.#firstEntriesMax;
  }

  #shardOf(key: string): Map<string, V> | undefined {
    return this.#shards[shortHash(key) & (SHARDS - 1)];
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
