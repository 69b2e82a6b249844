// The nearest of some rows to each of many vectors; src/kernel/nearest-scan.ts says what is found.
// Two vectors and four rows are compared at once: what is read of one serves all of the others, so
// that sums take the time and not reading. Their order is another one than in vectors.ts:
//
// Four lane sums of each pair take the elements in turns, as far as eight of them are left; they
// are joined as lane 0 + lane 2 and lane 1 + lane 3; elements that are left over are summed one
// after the other, and added last.

/** Rows that are compared at once: one for each lane of what is found. */
const ROWS: usize = 4;

/** What four elements of a vector and of a row count. */
// @ts-ignore: decorator
@inline
function term(isDot: bool, a: v128, b: v128): v128 {
  if (isDot) return f32x4.mul(a, b);
  const difference = f32x4.sub(a, b);
  return f32x4.mul(difference, difference);
}

/** Joins the lane sums of one vector with four rows, one in each lane. */
// @ts-ignore: decorator
@inline
function joined(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(i32x4.shuffle(a, b, 0, 1, 4, 5), i32x4.shuffle(a, b, 2, 3, 6, 7));
  const cd = f32x4.add(i32x4.shuffle(c, d, 0, 1, 4, 5), i32x4.shuffle(c, d, 2, 3, 6, 7));
  return f32x4.add(i32x4.shuffle(ab, cd, 0, 2, 4, 6), i32x4.shuffle(ab, cd, 1, 3, 5, 7));
}

/** What the elements of a vector and of a row from `start` to `end`, in bytes, count. */
// @ts-ignore: decorator
@inline
function rest(isDot: bool, vector: usize, row: usize, start: usize, end: usize): f32 {
  let sum: f32 = 0;
  for (let at = start; at < end; at += 4) {
    const x = load<f32>(vector + at);
    const y = load<f32>(row + at);
    sum += isDot ? x * y : (x - y) * (x - y);
  }
  return sum;
}

// @ts-ignore: decorator
@inline
function rests(
  isDot: bool, vector: usize, a: usize, b: usize, c: usize, d: usize, start: usize, end: usize,
): v128 {
  return f32x4(
    rest(isDot, vector, a, start, end), rest(isDot, vector, b, start, end),
    rest(isDot, vector, c, start, end), rest(isDot, vector, d, start, end),
  );
}

/**
 * Puts those of four rows, or as many as are left, into a list that are nearer than its last one.
 */
// @ts-ignore: decorator
@inline
export function insert(
  sums: v128, row: u32, left: usize, best: usize, found: usize, few: usize,
): void {
  const last = (few - 1) << 2;
  const isNear = f32x4.gt(sums, f32x4.splat(load<f32>(best + last)));
  let near = <u32>i32x4.bitmask(isNear) & ((1 << <u32>min(left, ROWS)) - 1);
  for (; near != 0; near &= near - 1) {
    const lane = ctz(near);
    const pair = lane & 2 ? i64x2.shuffle(sums, sums, 1, 1) : sums;
    const closeness = lane & 1 ? f32x4.extract_lane(pair, 1) : f32x4.extract_lane(pair, 0);
    let at = last;
    // Rows of the same four may have come nearer.
    if (!(closeness > load<f32>(best + at))) continue;
    for (; at > 0 && closeness > load<f32>(best + at - 4); at -= 4) {
      store<f32>(best + at, load<f32>(best + at - 4));
      store<u32>(found + at, load<u32>(found + at - 4));
    }
    store<f32>(best + at, closeness);
    store<u32>(found + at, row + lane);
  }
}

/** Looks at all pairs: see `NearestScan`. */
// @ts-ignore: decorator
@inline
export function nearestRows(
  isDot: bool, vectors: usize, gather: usize, count: usize, rows: usize, rowCount: usize,
  firstRow: u32, dimensions: usize, few: usize, best: usize, found: usize,
): void {
  const stride = dimensions << 2;
  const end = (dimensions & ~7) << 2;
  for (let r: usize = 0; r < rowCount; r += ROWS) {
    const left = rowCount - r;
    // Where fewer are left, the last one takes the place of those that lack.
    const r0 = rows + r * stride;
    const r1 = r0 + (left > 1 ? stride : 0);
    const r2 = r1 + (left > 2 ? stride : 0);
    const r3 = r2 + (left > 3 ? stride : 0);
    for (let v: usize = 0; v < count; v += 2) {
      const vector0 = <usize>load<u32>(gather + (v << 2));
      const vector1 = v + 1 < count ? <usize>load<u32>(gather + (v << 2), 4) : vector0;
      const v0 = vectors + vector0 * stride;
      const v1 = vectors + vector1 * stride;
      let a0 = f32x4.splat(0);
      let b0 = f32x4.splat(0);
      let c0 = f32x4.splat(0);
      let d0 = f32x4.splat(0);
      let a1 = f32x4.splat(0);
      let b1 = f32x4.splat(0);
      let c1 = f32x4.splat(0);
      let d1 = f32x4.splat(0);
      for (let at: usize = 0; at < end; at += 32) {
        let x0 = v128.load(v0 + at);
        let x1 = v128.load(v1 + at);
        let row = v128.load(r0 + at);
        a0 = f32x4.add(a0, term(isDot, x0, row));
        a1 = f32x4.add(a1, term(isDot, x1, row));
        row = v128.load(r1 + at);
        b0 = f32x4.add(b0, term(isDot, x0, row));
        b1 = f32x4.add(b1, term(isDot, x1, row));
        row = v128.load(r2 + at);
        c0 = f32x4.add(c0, term(isDot, x0, row));
        c1 = f32x4.add(c1, term(isDot, x1, row));
        row = v128.load(r3 + at);
        d0 = f32x4.add(d0, term(isDot, x0, row));
        d1 = f32x4.add(d1, term(isDot, x1, row));
        x0 = v128.load(v0 + at, 16);
        x1 = v128.load(v1 + at, 16);
        row = v128.load(r0 + at, 16);
        a0 = f32x4.add(a0, term(isDot, x0, row));
        a1 = f32x4.add(a1, term(isDot, x1, row));
        row = v128.load(r1 + at, 16);
        b0 = f32x4.add(b0, term(isDot, x0, row));
        b1 = f32x4.add(b1, term(isDot, x1, row));
        row = v128.load(r2 + at, 16);
        c0 = f32x4.add(c0, term(isDot, x0, row));
        c1 = f32x4.add(c1, term(isDot, x1, row));
        row = v128.load(r3 + at, 16);
        d0 = f32x4.add(d0, term(isDot, x0, row));
        d1 = f32x4.add(d1, term(isDot, x1, row));
      }
      let sums0 = joined(a0, b0, c0, d0);
      let sums1 = joined(a1, b1, c1, d1);
      if (end < stride) sums0 = f32x4.add(sums0, rests(isDot, v0, r0, r1, r2, r3, end, stride));
      if (end < stride) sums1 = f32x4.add(sums1, rests(isDot, v1, r0, r1, r2, r3, end, stride));
      const list0 = (vector0 * few) << 2;
      const list1 = (vector1 * few) << 2;
      const row = firstRow + <u32>r;
      insert(isDot ? sums0 : f32x4.neg(sums0), row, left, best + list0, found + list0, few);
      if (v + 1 == count) continue;
      insert(isDot ? sums1 : f32x4.neg(sums1), row, left, best + list1, found + list1, few);
    }
  }
}
