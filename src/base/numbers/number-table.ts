/** Entries of a shard at first, and the share of its slots that are taken before it doubles. */
const FIRST_SLOTS = 16;
const LOAD_MAX = 0.5;
/** Shards; a power of two. */
const SHARDS = 64;
/** Slots that are looked at for a key. One for which none of them is free is in a map. */
const PROBES_MAX = 32;

/**
 * Numbers for integers that floats hold exactly, in a time that keys which somebody chose badly do
 * not change much: open addressing with linear probing over many small shards, so that no growth
 * takes long.
 */
export class NumberTable {
  readonly #shards: (Shard | undefined)[] = new Array(SHARDS).fill(undefined);

  /** The number of a safe integer; 0 if it has none. */
  get(key: number): number {
    const hash = hashOf(key);
    const shard = this.#shards[hash & (SHARDS - 1)];
    if (shard === undefined) return 0;
    const { keys, numbers } = shard;
    const mask = keys.length - 1;
    const first = hash >>> 6;
    for (let i = 0; i < PROBES_MAX; i++) {
      const slot = (first + i) & mask;
      const number = numbers[slot];
      if (number === 0 || keys[slot] === key) return number;
    }
    return shard.others?.get(key) ?? 0;
  }

  /** Gives a number above 0 and below 2^32 to a key that has none. */
  add(key: number, number: number): void {
    const hash = hashOf(key);
    const index = hash & (SHARDS - 1);
    let shard = this.#shards[index] ?? newShard(FIRST_SLOTS);
    if (shard.count >= LOAD_MAX * shard.keys.length) shard = grown(shard);
    this.#shards[index] = shard;
    put(shard, { key, number, hash });
  }
}

/** A part of the table. */
interface Shard {
  /** By slot, of those whose number is not 0. */
  readonly keys: Float64Array;
  readonly numbers: Uint32Array;
  /** Of slots that are taken. */
  count: number;
  others: Map<number, number> | undefined;
}

function newShard(slots: number): Shard {
  const [keys, numbers] = [new Float64Array(slots), new Uint32Array(slots)];
  return { keys, numbers, count: 0, others: undefined };
}

function grown(shard: Shard): Shard {
  const { keys, numbers, others } = shard;
  const next = newShard(2 * keys.length);
  for (let slot = 0; slot < keys.length; slot++) {
    if (numbers[slot] === 0) continue;
    put(next, { key: keys[slot], number: numbers[slot], hash: hashOf(keys[slot]) });
  }
  for (const [key, number] of others ?? []) put(next, { key, number, hash: hashOf(key) });
  return next;
}

function put(
  shard: Shard,
  { key, number, hash }: { readonly key: number; readonly number: number; readonly hash: number },
): void {
  const mask = shard.keys.length - 1;
  for (let i = 0; i < PROBES_MAX; i++) {
    const slot = ((hash >>> 6) + i) & mask;
    if (shard.numbers[slot] !== 0) continue;
    shard.keys[slot] = key;
    shard.numbers[slot] = number;
    shard.count++;
    return;
  }
  shard.others ??= new Map();
  shard.others.set(key, number);
}

/** Of both words; zeros of either sign have one hash. */
function hashOf(key: number): number {
  let hash = Math.imul(key | 0, 0x9e3779b1) ^ Math.imul((key / 2 ** 32) | 0, 0x85ebca6b);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
