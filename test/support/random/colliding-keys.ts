/**
 * Keys that a client can choose so that they collide in a hash table whose hash has no seed. Each
 * function inverts such a hash.
 */

const MASK_64 = 2n ** 64n - 1n;
/** The hash that all keys of one call have. */
const SHARED_HASH = 77n;
/** Bits of a hash that V8 uses. */
const V8_HASH_BITS = 30n;

/** 64-bit integers above 2^53 that are one bucket of V8's `Map` and `Set`, which hash them as `hash_64`. */
export function collidingIntegers(count: number): bigint[] {
  const keys: bigint[] = [];
  for (let i = 0n; keys.length < count; i++) {
    const key = unhashLong(SHARED_HASH + (i << V8_HASH_BITS));
    if (key >> 53n !== 0n) keys.push(key);
  }
  return keys;
}

/** Floats that are one bucket of V8's `Map` and `Set`. */
export function collidingFloats(count: number): number[] {
  const words = new BigUint64Array(1);
  const floats = new Float64Array(words.buffer);
  const keys: number[] = [];
  for (let i = 0n; keys.length < count; i++) {
    words[0] = unhashLong(SHARED_HASH + (i << V8_HASH_BITS));
    const [key] = floats;
    // V8 hashes small integers in another way.
    const isLarge = Math.abs(key) > 2 ** 33 || !Number.isInteger(key);
    if (Number.isFinite(key) && isLarge && key !== 0) keys.push(key);
  }
  return keys;
}

/** 64-bit ids that have one hash in the tables of ids of segments (`id-keys.ts`). */
export function collidingIds(count: number): bigint[] {
  const seed = 0x9e37_79b9 | 0;
  const before = (out: number): number =>
    rotateRight(Math.imul((out - 0xe654_6b64) | 0, inverse32(5)), 13);
  const shared = 12345;
  return Array.from({ length: count }, (_, high) => {
    const afterLow = before(shared) ^ scrambled(high);
    const low = unscrambled(before(afterLow) ^ seed);
    return (BigInt(high) << 32n) | BigInt(low >>> 0);
  });
}

/** Inverts V8's `ComputeLongHash`. */
function unhashLong(hash: bigint): bigint {
  let bits = unshifted(hash & MASK_64, 22n);
  bits = (bits * inverse64(65n)) & MASK_64;
  bits = unshifted(bits, 11n);
  bits = (bits * inverse64(21n)) & MASK_64;
  bits = unshifted(bits, 31n);
  return ((bits + 1n) * inverse64((1n << 18n) - 1n)) & MASK_64;
}

/** Inverts `x ^ (x >> by)`. */
function unshifted(value: bigint, by: bigint): bigint {
  let bits = value;
  for (let known = by; known < 64n; known += by) bits = value ^ (bits >> by);
  return bits;
}

function inverse64(odd: bigint): bigint {
  let inverse = odd;
  for (let i = 0; i < 7; i++) inverse = (inverse * (2n - odd * inverse)) & MASK_64;
  return inverse;
}

function inverse32(odd: number): number {
  let inverse = odd | 0;
  for (let i = 0; i < 6; i++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  return inverse;
}

/** A word as a round of MurmurHash3 takes it in. */
function scrambled(word: number): number {
  const product = Math.imul(word, 0xcc9e_2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b87_3593);
}

function unscrambled(word: number): number {
  return Math.imul(
    rotateRight(Math.imul(word, inverse32(0x1b87_3593)), 15),
    inverse32(0xcc9e_2d51),
  );
}

function rotateRight(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
