/** Entries of the first map, which is enough for most. */
const FIRST_ENTRIES_MAX = 4096;
/** Maps for more of them; a power of two. */
const SHARDS = 256;

/**
 * A map by strings that grows in short steps: V8 moves all entries of a `Map` each time it doubles,
 * so that one of a million stands still for a tenth of a second. Many maps share the entries once
 * there are more than the first one may have. Strings that were chosen badly are all in one of
 * these, which V8 hashes with a seed.
 */
export class WideMap<V> {
  readonly #firstEntriesMax: number;
  /** One map, or `SHARDS` of them. */
  #maps = [new Map<string, V>()];

  constructor(firstEntriesMax = FIRST_ENTRIES_MAX) {
    this.#firstEntriesMax = firstEntriesMax;
  }

  get(key: string): V | undefined {
    return this.#mapOf(key).get(key);
  }

  /** The value of a key. One that has none gets `value`, and the result is undefined. */
  add(key: string, value: V): V | undefined {
    const map = this.#mapOf(key);
    const known = map.get(key);
    if (known !== undefined) return known;
    map.set(key, value);
    if (map.size > this.#firstEntriesMax && this.#maps.length === 1) this.#split();
    return undefined;
  }

  #mapOf(key: string): Map<string, V> {
    const maps = this.#maps;
    return maps.length === 1 ? maps[0] : maps[shortHash(key) & (SHARDS - 1)];
  }

  #split(): void {
    const [first] = this.#maps;
    this.#maps = Array.from({ length: SHARDS }, () => new Map<string, V>());
    for (const [key, value] of first) this.#mapOf(key).set(key, value);
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
