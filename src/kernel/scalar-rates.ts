import { BINS_PER_GAP, FIRST_GAP, RATE_BINS, RATED_BLOCK, type RateScan } from "./rate-scan.ts";

const LANES = 4;
const { fround } = Math;

/** Scans clusters as `RateScan` says, each operation rounded to float32. */
export function scanRates(buffer: ArrayBufferLike, scan: RateScan): void {
  const { count, worst, nearPoint } = scan;
  const floats = (address: number, length = count) => new Float32Array(buffer, address, length);
  const [lower, upper, inverseRadii] = [scan.lower, scan.upper, scan.inverseRadii].map((at) =>
    floats(at),
  );
  const counts = new Uint32Array(buffer, scan.counts, count);
  const rates = floats(scan.rates, RATE_BINS);
  const expected = floats(scan.expected);
  const blocks = count / RATED_BLOCK;
  const [sums, mosts] = [floats(scan.sums, blocks), floats(scan.mosts, blocks)];
  const weight = fround(scan.nearWeight);
  for (let i = 0; i < count; i++) {
    const difference = fround(upper[i] - lower[i]);
    const width = difference < Number.POSITIVE_INFINITY ? difference : 0;
    const rateAt = (point: number) => {
      const squared = fround(lower[i] + fround(fround(point) * width));
      return rates[binOf(fround(Math.sqrt(Math.max(squared, 0))), fround(worst), inverseRadii[i])];
    };
    const near = fround(weight * rateAt(nearPoint));
    const middle = fround(fround(1 - weight) * rateAt(1 / 2));
    expected[i] = fround(fround(counts[i]) * fround(near + middle));
  }
  for (let block = 0; block < blocks; block++) {
    const own = expected.subarray(block * RATED_BLOCK, (block + 1) * RATED_BLOCK);
    const lanes = new Float32Array(LANES);
    own.forEach((rows, i) => {
      lanes[i % LANES] += rows;
    });
    sums[block] = fround(fround(lanes[0] + lanes[2]) + fround(lanes[1] + lanes[3]));
    mosts[block] = own.reduce((most, rows) => Math.max(most, rows), 0);
  }
}

/** The bin of the gap between a distance and the worst one. */
function binOf(distance: number, worst: number, inverseRadius: number): number {
  const gap = fround(fround(distance - worst) * inverseRadius);
  const bin = fround(fround(gap - FIRST_GAP) * BINS_PER_GAP);
  if (bin >= RATE_BINS) return RATE_BINS - 1;
  return bin > 0 ? Math.trunc(bin) : 0;
}
