/**
 * Float16 (IEEE 754 binary16) as stored: bit patterns in a Uint16Array. Rounding is to the nearest,
 * ties to even, in one step from float64; subnormals are kept.
 */

/** Greatest float16. */
export const HALF_MAX = 65504;

/** Magnitudes from here on round to infinity: the middle of 65504 and what would come next. */
const HALF_OVERFLOW = 65520;

/** Whether `value` rounds to a finite float16. */
export function fitsHalf(value: number): boolean {
  // Written so that NaN does not fit.
  return Math.abs(value) < HALF_OVERFLOW;
}

/** Index of the first element that does not fit float16, or undefined if all do. */
export function firstBeyondHalf(values: ArrayLike<number>): number | undefined {
  for (let i = 0; i < values.length; i++) if (!fitsHalf(values[i])) return i;
  return undefined;
}

/** Rounds `values` to float16, to `target` from `start` on. */
export function encodeHalves(values: ArrayLike<number>, target: Uint16Array, start = 0): void {
  halvesIn(target).set(values, start);
}

/** The values of float16 bits, as float32, exactly. */
export function decodeHalves(bits: Uint16Array): Float32Array {
  return new Float32Array(halvesIn(bits));
}

function halvesIn(bits: Uint16Array): Float16Array {
  return new Float16Array(bits.buffer, bits.byteOffset, bits.length);
}
