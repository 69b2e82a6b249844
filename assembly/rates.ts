// How many rows of clusters are expected to be near a query; src/kernel/rate-scan.ts says how.

const BINS_PER_GAP: f32 = 100;
const FIRST_GAP: f32 = -0.5;
const LAST_BIN: i32 = 255;
/** Bytes of a block: a float32 for each of 32 clusters. */
const BLOCK_BYTES: usize = 128;

/** Writes what is expected of each cluster, and each block's sum and greatest. */
export function scanRates(
  count: usize, lower: usize, upper: usize, inverseRadii: usize, counts: usize, rates: usize,
  worst: f32, nearPoint: f32, nearWeight: f32, expected: usize, sums: usize, mosts: usize,
): void {
  const infinity = f32x4.splat(<f32>Infinity);
  const farthest = f32x4.splat(worst);
  const near = f32x4.splat(nearPoint);
  const half = f32x4.splat(0.5);
  const weight = f32x4.splat(nearWeight);
  const rest = f32x4.splat(1 - nearWeight);
  const end = count << 2;
  for (let block: usize = 0; block < end; block += BLOCK_BYTES) {
    let sum = f32x4.splat(0);
    let most = f32x4.splat(0);
    for (let at = block; at < block + BLOCK_BYTES; at += 16) {
      const rows = v128.load(counts + at);
      let found = f32x4.splat(0);
      if (v128.any_true(rows)) {
        const low = v128.load(lower + at);
        const difference = f32x4.sub(v128.load(upper + at), low);
        const width = v128.and(difference, f32x4.lt(difference, infinity));
        const inverse = v128.load(inverseRadii + at);
        const nearest = ratesAt(low, f32x4.mul(near, width), farthest, inverse, rates);
        const middle = ratesAt(low, f32x4.mul(half, width), farthest, inverse, rates);
        const rate = f32x4.add(f32x4.mul(weight, nearest), f32x4.mul(rest, middle));
        found = f32x4.mul(f32x4.convert_i32x4_u(rows), rate);
      }
      v128.store(expected + at, found);
      sum = f32x4.add(sum, found);
      most = f32x4.max(most, found);
    }
    const halves = f32x4.add(sum, upperHalf(sum));
    const both = f32x4.extract_lane(halves, 0) + f32x4.extract_lane(halves, 1);
    store<f32>(sums + (block >> 5), both);
    const greater = f32x4.max(most, upperHalf(most));
    const greatest = max<f32>(f32x4.extract_lane(greater, 0), f32x4.extract_lane(greater, 1));
    store<f32>(mosts + (block >> 5), greatest);
  }
}

/** The rates of four clusters whose squared distances are so much more than their lower bounds. */
// @ts-ignore: decorator
@inline
function ratesAt(low: v128, more: v128, worst: v128, inverse: v128, rates: usize): v128 {
  // Estimates may be below zero.
  const squared = f32x4.max(f32x4.add(low, more), f32x4.splat(0));
  const gap = f32x4.mul(f32x4.sub(f32x4.sqrt(squared), worst), inverse);
  const place = f32x4.mul(f32x4.sub(gap, f32x4.splat(FIRST_GAP)), f32x4.splat(BINS_PER_GAP));
  // What is no number becomes 0.
  const bin = i32x4.trunc_sat_f32x4_s(place);
  const bins = i32x4.min_s(i32x4.max_s(bin, i32x4.splat(0)), i32x4.splat(LAST_BIN));
  let found = v128.load32_splat(rates + (<usize>i32x4.extract_lane(bins, 0) << 2));
  found = v128.load32_lane(rates + (<usize>i32x4.extract_lane(bins, 1) << 2), found, 1);
  found = v128.load32_lane(rates + (<usize>i32x4.extract_lane(bins, 2) << 2), found, 2);
  return v128.load32_lane(rates + (<usize>i32x4.extract_lane(bins, 3) << 2), found, 3);
}

// @ts-ignore: decorator
@inline
function upperHalf(lanes: v128): v128 {
  return v128.shuffle<i64>(lanes, lanes, 1, 0);
}
