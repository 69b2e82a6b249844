import { type Random, systemRandom } from "../random.ts";
import { drawHashWords, type HashWords, THREAD_HASH_WORDS, tabulationHash } from "./tabulation-hash.ts";

/** Keys of a table that are compared one by one: memory for slots costs more than that. */
const LISTED_KEYS_MAX = 32;
/** Slots of a shard at first, and the share of slots that are taken before it doubles. */
const FIRST_SLOTS = 128;
const LOAD_MAX = 0.5;
/** Keys of the first shard. With more of them there are many shards, so that no growth takes long. */
const FIRST_SHARD_KEYS_MAX = 4096;
/** Shards of a large table, by so many bits of the hash. */
const SHARD_BITS = 6;
/** Slots that are probed for a key: a longer run has a probability of about 10^-11 for each key. */
export const PROBES_MAX = 128;

/**
 * Numbers for keys of two 32-bit words that clients may have chosen: open addressing with linear
 * probing, under a hash that clients cannot know (`tabulation-hash.ts`). A lookup takes at most
 * `PROBES_MAX` probes: where a key has no place among so many slots, the hash is drawn again.
 */
export class WordTable {
  #hashWords: HashWords;
  readonly #random: Random;
  /** Both words and the number of each key, while there are few; then there are shards. */
  readonly #listed: number[] = [];
  #shards: Shard[] = [];

  constructor(hashWords: HashWords = THREAD_HASH_WORDS, random: Random = systemRandom) {
    this.#hashWords = hashWords;
    this.#random = random;
  }

  /** The number of a key; 0 if it has none. */
  get(low: number, high: number): number {
    const shards = this.#shards;
    if (shards.length === 0) return this.#getListed(low | 0, high | 0);
    const hash = tabulationHash(this.#hashWords, low, high);
    const { keys, numbers } = shards[hash & (shards.length - 1)];
    const mask = numbers.length - 1;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const slot = ((hash >>> SHARD_BITS) + probe) & mask;
      const number = numbers[slot];
      if (number === 0) return 0;
      if (keys[2 * slot] === (low | 0) && keys[2 * slot + 1] === (high | 0)) return number;
    }
    return 0;
  }

  /** Gives a number above 0 and below 2^32 to a key that has none. */
  add(low: number, high: number, number: number): void {
    if (this.#shards.length === 0) {
      this.#listed.push(low | 0, high | 0, number);
      if (this.#listed.length > 3 * LISTED_KEYS_MAX) this.#addListed();
      return;
    }
    const hash = tabulationHash(this.#hashWords, low, high);
    if (this.#shards.length === 1 && this.#shards[0].count === FIRST_SHARD_KEYS_MAX) this.#split();
    const index = hash & (this.#shards.length - 1);
    const { count, numbers } = this.#shards[index];
    if (count >= LOAD_MAX * numbers.length) this.#double(index);
    if (put(this.#shards[index], { low, high, number, hash })) return;
    this.#rehash();
    this.add(low, high, number);
  }

  #getListed(low: number, high: number): number {
    const listed = this.#listed;
    for (let i = 0; i < listed.length; i += 3) {
      if (listed[i] === low && listed[i + 1] === high) return listed[i + 2];
    }
    return 0;
  }

  #addListed(): void {
    const listed = this.#listed.splice(0);
    this.#shards = [newShard(FIRST_SLOTS)];
    for (let i = 0; i < listed.length; i += 3) this.add(listed[i], listed[i + 1], listed[i + 2]);
  }

  #split(): void {
    const [first] = this.#shards;
    this.#shards = Array.from({ length: 2 ** SHARD_BITS }, () => newShard(FIRST_SLOTS));
    this.#addAll(first);
  }

  #double(index: number): void {
    const full = this.#shards[index];
    this.#shards[index] = newShard(2 * full.numbers.length);
    this.#addAll(full);
  }

  /** The same keys under another hash. */
  #rehash(): void {
    const crowded = this.#shards;
    this.#hashWords = drawHashWords(this.#random);
    this.#shards = crowded.map(({ numbers }) => newShard(numbers.length));
    for (const shard of crowded) this.#addAll(shard);
  }

  /** Some keys may be there already: adding one may have another hash drawn. */
  #addAll({ keys, numbers }: Shard): void {
    for (let slot = 0; slot < numbers.length; slot++) {
      if (numbers[slot] === 0) continue;
      const [low, high] = [keys[2 * slot], keys[2 * slot + 1]];
      if (this.get(low, high) === 0) this.add(low, high, numbers[slot]);
    }
  }
}

/** A part of the table. */
interface Shard {
  /** Two words by slot, of those whose number is not 0. */
  readonly keys: Int32Array;
  readonly numbers: Uint32Array;
  /** Number of taken slots. */
  count: number;
}

interface Entry {
  readonly low: number;
  readonly high: number;
  readonly number: number;
  readonly hash: number;
}

function newShard(slots: number): Shard {
  return { keys: new Int32Array(2 * slots), numbers: new Uint32Array(slots), count: 0 };
}

/** Returns false if none of the probed slots is free. */
function put(shard: Shard, { low, high, number, hash }: Entry): boolean {
  const { keys, numbers } = shard;
  const mask = numbers.length - 1;
  for (let probe = 0; probe < PROBES_MAX; probe++) {
    const slot = ((hash >>> SHARD_BITS) + probe) & mask;
    if (numbers[slot] !== 0) continue;
    keys[2 * slot] = low;
    keys[2 * slot + 1] = high;
    numbers[slot] = number;
    shard.count++;
    return true;
  }
  return false;
}
