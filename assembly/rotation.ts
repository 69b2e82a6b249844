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

/** Hadamard's transform of `count` elements, a power of two from 64 on, times `scale`. */
// @ts-ignore: decorator
@inline
function transform(vector: usize, count: usize, scale: f32): void {
  const end = vector + (count << 2);
  for (let at = vector; at < end; at += 16) v128.store(at, mixLanes(v128.load(at)));
  for (let step: usize = 16; step < count << 2; step <<= 1) {
    for (let part = vector; part < end; part += step << 1) {
      for (let at = part; at < part + step; at += 16) {
        const a = v128.load(at);
        const b = v128.load(at + step);
        v128.store(at, f32x4.add(a, b));
        v128.store(at + step, f32x4.sub(a, b));
      }
    }
  }
  for (let at = vector; at < end; at += 16) {
    v128.store(at, f32x4.mul(v128.load(at), f32x4.splat(scale)));
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
