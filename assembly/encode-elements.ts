// Codes of a byte for each element; src/kernel/estimate-scan.ts says what is written, operation by
// operation.

import { FACTOR_BYTES, SQUARES, SUM } from "./estimates";

/** 1.5 · 2^23: what is added to it is rounded to whole numbers, of two as near to the even one. */
const ROUNDING: f32 = 12582912;
/** The bits of that. */
const ROUNDING_BITS: i32 = 0x4b400000;
/** The least bits of what is not finite, without its sign. */
const INFINITE_BITS: i32 = 0x7f800000;

/** Four elements' differences to the origin. */
// @ts-ignore: decorator
@inline
function difference(elements: usize, weight: v128, origin: usize): v128 {
  return f32x4.sub(f32x4.mul(v128.load(elements), weight), v128.load(origin));
}

/** The same of one. */
// @ts-ignore: decorator
@inline
function differenceOfOne(element: usize, weight: f32, origin: usize): f32 {
  return load<f32>(element) * weight - load<f32>(origin);
}

/** Four elements' codes as whole numbers, before what is added to them. */
// @ts-ignore: decorator
@inline
function four(elements: usize, weight: v128, origin: usize, factor: v128): v128 {
  const scaled = f32x4.mul(difference(elements, weight, origin), factor);
  const rounded = f32x4.add(scaled, f32x4.splat(ROUNDING));
  return i32x4.sub(rounded, i32x4.splat(ROUNDING_BITS));
}

/** Writes the codes of vectors or rows, and their factors: see `ElementEncoding`. */
export function encodeElements(
  elements: usize, weights: usize, count: usize, origin: usize, dimensions: usize, codes: usize,
  top: f32, shift: i32, to: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const from = elements + i * (dimensions << 2);
    const coded = to + i * (codes + FACTOR_BYTES);
    encodeOne(from, load<f32>(weights + (i << 2)), origin, dimensions, codes, top, shift, coded);
  }
}

function encodeOne(
  elements: usize, weight: f32, origin: usize, dimensions: usize, codes: usize, top: f32,
  shift: i32, to: usize,
): void {
  const weights = f32x4.splat(weight);
  const wholes = (dimensions & ~15) << 2;
  const bytes = dimensions << 2;
  let most = i32x4.splat(0);
  for (let at: usize = 0; at < wholes; at += 16) {
    // The bits of numbers without their signs are in their order.
    most = i32x4.max_s(most, f32x4.abs(difference(elements + at, weights, origin + at)));
  }
  let size = max<i32>(
    max<i32>(i32x4.extract_lane(most, 0), i32x4.extract_lane(most, 1)),
    max<i32>(i32x4.extract_lane(most, 2), i32x4.extract_lane(most, 3)),
  );
  for (let at = wholes; at < bytes; at += 4) {
    const one = abs<f32>(differenceOfOne(elements + at, weight, origin + at));
    size = max<i32>(size, reinterpret<i32>(one));
  }
  if (size >= INFINITE_BITS) {
    memory.fill(to, <u8>shift, codes);
    store<f32>(to + codes, f32.NaN);
    store<u64>(to + codes, 0, SUM);
    return;
  }
  const factor: f32 = size == 0 ? 1 : min<f32>(top / reinterpret<f32>(size), f32.MAX_VALUE);
  const factors = f32x4.splat(factor);
  const shifts = i8x16.splat(<i8>shift);
  let sums = i32x4.splat(0);
  let squares = i32x4.splat(0);
  for (let at: usize = 0; at < wholes; at += 64) {
    const x = elements + at;
    const o = origin + at;
    const a = four(x, weights, o, factors);
    const b = four(x + 16, weights, o + 16, factors);
    const c = four(x + 32, weights, o + 32, factors);
    const d = four(x + 48, weights, o + 48, factors);
    const low = i16x8.narrow_i32x4_s(a, b);
    const high = i16x8.narrow_i32x4_s(c, d);
    sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_s(i16x8.add(low, high)));
    squares = i32x4.add(squares, i32x4.dot_i16x8_s(low, low));
    squares = i32x4.add(squares, i32x4.dot_i16x8_s(high, high));
    v128.store(to + (at >> 2), i8x16.add(i8x16.narrow_i16x8_s(low, high), shifts));
  }
  let sum = lanesOf(sums);
  let square = lanesOf(squares);
  for (let d = wholes >> 2; d < codes; d++) {
    let code: i32 = 0;
    if (d < dimensions) {
      const one = differenceOfOne(elements + (d << 2), weight, origin + (d << 2));
      code = <i32>nearest<f32>(one * factor);
    }
    sum += code;
    square += code * code;
    store<u8>(to + d, code + shift);
  }
  store<f32>(to + codes, 1 / factor);
  store<i32>(to + codes, sum, SUM);
  store<i32>(to + codes, square, SQUARES);
}

/** The sum of four lanes. */
// @ts-ignore: decorator
@inline
function lanesOf(four: v128): i32 {
  return (
    i32x4.extract_lane(four, 0) + i32x4.extract_lane(four, 1) +
    i32x4.extract_lane(four, 2) + i32x4.extract_lane(four, 3)
  );
}
