// One-bit codes of vectors; src/kernel/code-encoding.ts says what is written, operation by
// operation.

import { rotate } from "./rotation";

/** Changes the place of four dimensions of a row: its difference to the origin, rounded twice. */
// @ts-ignore: decorator
@inline
function difference(row: usize, origin: usize, weight: v128): v128 {
  return f32x4.sub(f32x4.mul(v128.load(row), weight), v128.load(origin));
}

/**
 * Writes the code of one row and its sums; `shift` is 4 for rows from 16 on. What lies behind the
 * row's and the origin's dimensions is 0.
 */
export function encodeCode(
  row: usize, weight: f32, origin: usize, signs: usize, dimensions: usize, count: usize,
  scale: f32, rounds: usize, centroid: usize, residual: usize, codes: usize, shift: u32,
  sums: usize,
): void {
  const bytes = dimensions << 2;
  for (let at: usize = 0; at < bytes; at += 16) {
    v128.store(residual + at, difference(row + at, origin + at, f32x4.splat(weight)));
  }
  rotate(residual, dimensions, count, scale, signs, rounds);
  let squaredLow = f64x2.splat(0);
  let squaredHigh = f64x2.splat(0);
  let signedLow = f64x2.splat(0);
  let signedHigh = f64x2.splat(0);
  let shiftLow = f64x2.splat(0);
  let shiftHigh = f64x2.splat(0);
  for (let at: usize = 0; at < bytes; at += 16) {
    const other = v128.load(centroid + at);
    const value = f32x4.sub(v128.load(residual + at), other);
    v128.store(residual + at, value);
    const isUp = f32x4.ge(value, f32x4.splat(0));
    const byte = codes + at;
    store<u8>(byte, <u32>load<u8>(byte) | (<u32>i32x4.bitmask(isUp) << shift));
    const low = f64x2.promote_low_f32x4(value);
    const high = f64x2.promote_low_f32x4(i64x2.shuffle(value, value, 1, 1));
    squaredLow = f64x2.add(squaredLow, f64x2.mul(low, low));
    squaredHigh = f64x2.add(squaredHigh, f64x2.mul(high, high));
    signedLow = f64x2.add(signedLow, f64x2.abs(low));
    signedHigh = f64x2.add(signedHigh, f64x2.abs(high));
    const turned = v128.xor(other, v128.andnot(i32x4.splat(0x80000000), isUp));
    shiftLow = f64x2.add(shiftLow, f64x2.promote_low_f32x4(turned));
    shiftHigh = f64x2.add(shiftHigh, f64x2.promote_low_f32x4(i64x2.shuffle(turned, turned, 1, 1)));
  }
  const squared = f64x2.add(squaredLow, squaredHigh);
  const signed = f64x2.add(signedLow, signedHigh);
  const shifted = f64x2.add(shiftLow, shiftHigh);
  store<f64>(sums, f64x2.extract_lane(squared, 0) + f64x2.extract_lane(squared, 1));
  store<f64>(sums, f64x2.extract_lane(signed, 0) + f64x2.extract_lane(signed, 1), 8);
  store<f64>(sums, f64x2.extract_lane(shifted, 0) + f64x2.extract_lane(shifted, 1), 16);
}
