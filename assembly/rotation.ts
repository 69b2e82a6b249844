// Random rotations; src/kernel/rotation.ts says what they are, operation by operation.

/** √½ as a float32. */
const ROOT_HALF: f32 = 0.70710677;

/** Changes the sign of each dimension whose bit is set; four at a time. */
// @ts-ignore: decorator
@inline
function flip(vector: usize, dimensions: usize, signs: usize): void {
  const bits = i32x4(1, 2, 4, 8);
  for (let i: usize = 0; i < dimensions; i += 8) {
    const byte = <u32>load<u8>(signs + (i >> 3));
    for (let half: usize = 0; half < 2; half++) {
      const at = vector + ((i + 4 * half) << 2);
      const isSet = i32x4.eq(v128.and(i32x4.splat(byte >> (4 * <u32>half)), bits), bits);
      const sign = v128.and(isSet, i32x4.splat(0x80000000));
      v128.store(at, v128.xor(v128.load(at), sign));
    }
  }
}

/** Sums and differences of the lanes of each four: those that are 1 apart, then 2 apart. */
// @ts-ignore: decorator
@inline
function mixLanes(four: v128): v128 {
  // Negated by their signs, as a difference is the sum with the negative, to the bit.
  const odd = i32x4(0, 0x80000000, 0, 0x80000000);
  const upper = i32x4(0, 0, 0x80000000, 0x80000000);
  const pairs = f32x4.add(
    i32x4.shuffle(four, four, 0, 0, 2, 2), v128.xor(i32x4.shuffle(four, four, 1, 1, 3, 3), odd),
  );
  return f32x4.add(
    i32x4.shuffle(pairs, pairs, 0, 1, 0, 1),
    v128.xor(i32x4.shuffle(pairs, pairs, 2, 3, 2, 3), upper),
  );
}

/** Replaces what lies at two addresses by its sum and its difference. */
// @ts-ignore: decorator
@inline
function mix(at: usize, other: usize): void {
  const a = v128.load(at);
  const b = v128.load(other);
  v128.store(at, f32x4.add(a, b));
  v128.store(other, f32x4.sub(a, b));
}

/** The first four steps of Hadamard's transform of 16 elements. */
// @ts-ignore: decorator
@inline
function mixSixteen(at: usize): void {
  const a = mixLanes(v128.load(at));
  const b = mixLanes(v128.load(at, 16));
  const c = mixLanes(v128.load(at, 32));
  const d = mixLanes(v128.load(at, 48));
  const ab = f32x4.add(a, b);
  const cd = f32x4.add(c, d);
  const aMinusB = f32x4.sub(a, b);
  const cMinusD = f32x4.sub(c, d);
  v128.store(at, f32x4.add(ab, cd));
  v128.store(at, f32x4.add(aMinusB, cMinusD), 16);
  v128.store(at, f32x4.sub(ab, cd), 32);
  v128.store(at, f32x4.sub(aMinusB, cMinusD), 48);
}

/** Two steps at once: those of `step` bytes, and of twice as many. Then all is scaled. */
// @ts-ignore: decorator
@inline
function mixFour(at: usize, step: usize, scale: v128): void {
  const a = v128.load(at);
  const b = v128.load(at + step);
  const c = v128.load(at + 2 * step);
  const d = v128.load(at + 3 * step);
  const ab = f32x4.add(a, b);
  const cd = f32x4.add(c, d);
  const aMinusB = f32x4.sub(a, b);
  const cMinusD = f32x4.sub(c, d);
  v128.store(at, f32x4.mul(f32x4.add(ab, cd), scale));
  v128.store(at + step, f32x4.mul(f32x4.add(aMinusB, cMinusD), scale));
  v128.store(at + 2 * step, f32x4.mul(f32x4.sub(ab, cd), scale));
  v128.store(at + 3 * step, f32x4.mul(f32x4.sub(aMinusB, cMinusD), scale));
}

/**
 * Hadamard's transform of `count` elements, a power of two from 64 on, times `scale`: four steps at
 * once, then one where their number is odd, then always two, of which the last ones scale.
 */
// @ts-ignore: decorator
@inline
function transform(vector: usize, count: usize, scale: f32): void {
  const bytes = count << 2;
  const end = vector + bytes;
  for (let at = vector; at < end; at += 64) mixSixteen(at);
  let step: usize = 64;
  if (ctz(count) & 1) {
    for (let part = vector; part < end; part += 128) {
      for (let at = part; at < part + 64; at += 16) mix(at, at + 64);
    }
    step = 128;
  }
  for (; step < bytes; step <<= 2) {
    const factor = f32x4.splat(step << 2 < bytes ? 1 : scale);
    for (let part = vector; part < end; part += step << 2) {
      for (let at = part; at < part + step; at += 16) mixFour(at, step, factor);
    }
  }
}

/** Sums and differences of the two halves. */
// @ts-ignore: decorator
@inline
function mixHalves(vector: usize, dimensions: usize): void {
  const half = dimensions << 1;
  for (let at = vector; at < vector + half; at += 16) {
    const a = v128.load(at);
    const b = v128.load(at + half);
    v128.store(at, f32x4.mul(f32x4.add(a, b), f32x4.splat(ROOT_HALF)));
    v128.store(at + half, f32x4.mul(f32x4.sub(a, b), f32x4.splat(ROOT_HALF)));
  }
}

/** Rotates a vector in its place; `count` is the greatest power of two in `dimensions`. */
export function rotate(
  vector: usize, dimensions: usize, count: usize, scale: f32, signs: usize, rounds: usize,
): void {
  for (let round: usize = 0; round < rounds; round++) {
    flip(vector, dimensions, signs + round * (dimensions >> 3));
    transform(round & 1 ? vector + ((dimensions - count) << 2) : vector, count, scale);
    if (count < dimensions) mixHalves(vector, dimensions);
  }
}
