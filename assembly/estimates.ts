// The nearest of some rows to each of many vectors by their element codes; src/kernel/
// estimate-scan.ts says how these lie in memory and what is computed, operation by operation.
// Two vectors and four rows are compared at once, as in nearest.ts.

import { insert } from "./nearest";

/** Rows that are compared at once: one for each lane of what is found. */
const ROWS: usize = 4;
/** What is added to the codes of rows. */
const SHIFT: i32 = 64;
/** Bytes of what follows the codes: scale, sum, squares, nothing. */
export const FACTOR_BYTES: usize = 16;
/** Where in that the sum of the codes is. */
export const SUM: usize = 4;
/** Where the sum of their squares is. */
export const SQUARES: usize = 8;

/**
 * Adds the products of 16 codes to four sums. Codes of rows have seven bits, so that two products
 * sum up to no more than sixteen: every machine gives the same, though the operation is relaxed.
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
