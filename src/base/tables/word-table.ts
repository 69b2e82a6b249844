import { type Random, systemRandom } from "../random.ts";
import {
  drawHashWords,
  type HashWords,
  THREAD_HASH_WORDS,
  tabulationHash,
} from "./tabulation-hash.ts";

/** Words of a slot. */
const SLOT_WORDS = 3;
/** Share of the slots of the first shard that are taken before it grows. */
const LOAD_MAX = 0.5;
/**
 * The same share of the last shard. Shards have almost the same number of keys: with the same share
 * all of them would grow within a few thousand keys.
 */
const LAST_LOAD_MAX = 0.4;
/** Slots of the first shard at first, and its growth: a small array costs more to make than to fill. */
const FIRST_SLOTS = 32;
const FIRST_GROWTH = 4;
/** Keys of the first shard. With more of them there are many shards, so that no growth takes long. */
const FIRST_SHARD_KEYS_MAX = 4096;
/** Shards of a large table, by so many bits of the hash, and slots of each at first. */
const SHARD_BITS = 6;
const SHARDS = 2 ** SHARD_BITS;
const SHARD_SLOTS = 256;
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
  /** None before the first key, then one, and many once that has all keys that it may have. */
  #shards: Shard[] = [];

  constructor(hashWords: HashWords = THREAD_HASH_WORDS, random: Random = systemRandom) {
    this.#hashWords = hashWords;
    this.#random = random;
  }

  /** The number of a key; 0 if it has none. */
  get(low: number, high: number): number {
    const shards = this.#shards;
    if (shards.length === 0) return 0;
    const hash = tabulationHash(this.#hashWords, low, high);
    const { slots, mask } = shards[hash & (shards.length - 1)];
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const at = SLOT_WORDS * (((hash >>> SHARD_BITS) + probe) & mask);
      const number = slots[at];
      if (number === 0) return 0;
      if (slots[at + 1] === (low | 0) && slots[at + 2] === (high | 0)) return number >>> 0;
    }
    return 0;
  }

  /**
   * The number of a key. One that has none gets the given number, above 0 and below 2^32, and the
   * result is 0.
   */
  add(low: number, high: number, number: number): number {
    const shards = this.#shards;
    if (shards.length === 0) shards.push(newShard(FIRST_SLOTS, 0));
    const hash = tabulationHash(this.#hashWords, low, high);
    const shard = shards[hash & (shards.length - 1)];
    const { slots, mask } = shard;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const at = SLOT_WORDS * (((hash >>> SHARD_BITS) + probe) & mask);
      const known = slots[at];
      if (known === 0) {
        if (shard.count >= shard.countMax) {
          this.#enlarge(shard);
          return this.add(low, high, number);
        }
        slots[at] = number;
        slots[at + 1] = low;
        slots[at + 2] = high;
        shard.count++;
        return 0;
      }
      if (slots[at + 1] === (low | 0) && slots[at + 2] === (high | 0)) return known >>> 0;
    }
    this.#rehash();
    return this.add(low, high, number);
  }

  /** Replaces a shard that has as many keys as it may have by a larger one, or by many. */
  #enlarge(shard: Shard): void {
    const shards = this.#shards;
    const { count, mask, index } = shard;
    if (shards.length > 1) shards[index] = newShard(2 * (mask + 1), index);
    else if (count < FIRST_SHARD_KEYS_MAX) shards[0] = newShard(FIRST_GROWTH * (mask + 1), 0);
    else this.#shards = Array.from({ length: SHARDS }, (_, i) => newShard(SHARD_SLOTS, i));
    this.#addAll(shard);
  }

  /** The same keys under another hash. */
  #rehash(): void {
    const crowded = this.#shards;
    this.#hashWords = drawHashWords(this.#random);
    this.#shards = crowded.map(({ mask }, index) => newShard(mask + 1, index));
    for (const shard of crowded) this.#addAll(shard);
  }

  /** Some keys may be there already: adding one may have another hash drawn. */
  #addAll({ slots }: Shard): void {
    for (let at = 0; at < slots.length; at += SLOT_WORDS) {
      if (slots[at] !== 0) this.add(slots[at + 1], slots[at + 2], slots[at] >>> 0);
    }
  }
}

/** A part of the table. */
interface Shard {
  /** The number of each slot, 0 if it is free, and both words of the key. */
  readonly slots: Int32Array;
  /** Slots, less 1. */
  readonly mask: number;
  /** Number of taken slots. */
  count: number;
  /** Taken slots with which it grows. */
  readonly countMax: number;
  readonly index: number;
}

function newShard(slotCount: number, index: number): Shard {
  const loadMax = LOAD_MAX - ((LOAD_MAX - LAST_LOAD_MAX) * index) / (SHARDS - 1);
  return {
    slots: new Int32Array(SLOT_WORDS * slotCount),
    mask: slotCount - 1,
    count: 0,
    countMax: Math.floor(loadMax * slotCount),
    index,
  };
}
