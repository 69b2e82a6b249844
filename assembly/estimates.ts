// The nearest of some rows to each of many vectors by their element codes; src/kernel/
// estimate-scan.ts says how these lie in memory and what is computed, operation by operation.
// Two vectors and four rows are compared at once, as in nearest.ts.

import { insert } from "./nearest";

/** Rows that are compared at once: one for each lane of what is found. */
const ROWS: usize = 4;
/** What is added to the codes of rows. */
const SHIFT: i32 = 64;
/** Bytes of what follows the codes: scale, sum, squares, nothing. */
const FACTOR_BYTES: usize = 16;
const SUM: usize = 4;
const SQUARES: usize = 8;

/**
 * Adds the products of 16 codes to four sums. Codes of rows have seven bits, and no two products
 * sum up to more than 16: so every machine gives the same, though the operation is a relaxed one.
 */
// @ts-ignore: decorator
@inline
function added(sums: v128, vector: v128, row: v128): v128 {
  return i32x4.relaxed_dot_i8x16_i7x16_add_s(vector, row, sums);
}

/** Joins the lane sums of one vector with four rows, one in each lane. */
// @ts-ignore: decorator
@inline
function joined(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(i32x4.shuffle(a, b, 0, 1, 4, 5), i32x4.shuffle(a, b, 2, 3, 6, 7));
  const cd = i32x4.add(i32x4.shuffle(c, d, 0, 1, 4, 5), i32x4.shuffle(c, d, 2, 3, 6, 7));
  return i32x4.add(i32x4.shuffle(ab, cd, 0, 2, 4, 6), i32x4.shuffle(ab, cd, 1, 3, 5, 7));
}

/** How near a vector, whose factors are at an address, is to four rows. */
// @ts-ignore: decorator
@inline
function closeness(products: v128, factors: usize, scales: v128, halves: v128): v128 {
  const sums = i32x4.sub(products, i32x4.splat(SHIFT * load<i32>(factors, SUM)));
  const scaled = f32x4.mul(f32x4.convert_i32x4_s(sums), scales);
  return f32x4.sub(f32x4.mul(scaled, v128.load32_splat(factors)), halves);
}

/** Half of the squared length of a row by its codes. */
// @ts-ignore: decorator
@inline
function half(factors: usize): f32 {
  const scale = load<f32>(factors);
  return scale * <f32>load<i32>(factors, SQUARES) * scale * 0.5;
}

/** Looks at all pairs: see `EstimateScan`. */
export function nearestCodes(
  vectors: usize, gather: usize, count: usize, rows: usize, rowCount: usize,
  firstRow: u32, codes: usize, few: usize, best: usize, found: usize,
): void {
  const stride = codes + FACTOR_BYTES;
  for (let r: usize = 0; r < rowCount; r += ROWS) {
    const left = rowCount - r;
    // Where fewer are left, the last one takes the place of those that lack.
    const r0 = rows + r * stride;
    const r1 = r0 + (left > 1 ? stride : 0);
    const r2 = r1 + (left > 2 ? stride : 0);
    const r3 = r2 + (left > 3 ? stride : 0);
    const f0 = r0 + codes;
    const f1 = r1 + codes;
    const f2 = r2 + codes;
    const f3 = r3 + codes;
    const scales = f32x4(load<f32>(f0), load<f32>(f1), load<f32>(f2), load<f32>(f3));
    const halves = f32x4(half(f0), half(f1), half(f2), half(f3));
    for (let v: usize = 0; v < count; v += 2) {
      const vector0 = <usize>load<u32>(gather + (v << 2));
      const vector1 = v + 1 < count ? <usize>load<u32>(gather + (v << 2), 4) : vector0;
      const v0 = vectors + vector0 * stride;
      const v1 = vectors + vector1 * stride;
      let a0 = i32x4.splat(0);
      let b0 = i32x4.splat(0);
      let c0 = i32x4.splat(0);
      let d0 = i32x4.splat(0);
      let a1 = i32x4.splat(0);
      let b1 = i32x4.splat(0);
      let c1 = i32x4.splat(0);
      let d1 = i32x4.splat(0);
      for (let at: usize = 0; at < codes; at += 16) {
        const x0 = v128.load(v0 + at);
        const x1 = v128.load(v1 + at);
        let row = v128.load(r0 + at);
        a0 = added(a0, x0, row);
        a1 = added(a1, x1, row);
        row = v128.load(r1 + at);
        b0 = added(b0, x0, row);
        b1 = added(b1, x1, row);
        row = v128.load(r2 + at);
        c0 = added(c0, x0, row);
        c1 = added(c1, x1, row);
        row = v128.load(r3 + at);
        d0 = added(d0, x0, row);
        d1 = added(d1, x1, row);
      }
      const row = firstRow + <u32>r;
      const list0 = (vector0 * few) << 2;
      const near0 = closeness(joined(a0, b0, c0, d0), v0 + codes, scales, halves);
      insert(near0, row, left, best + list0, found + list0, few);
      if (v + 1 == count) continue;
      const list1 = (vector1 * few) << 2;
      const near1 = closeness(joined(a1, b1, c1, d1), v1 + codes, scales, halves);
      insert(near1, row, left, best + list1, found + list1, few);
    }
  }
}

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
