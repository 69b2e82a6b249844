import { describe, expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { decodeHalves, encodeHalves, firstBeyondHalf, fitsHalf, HALF_MAX } from "./half.ts";

/** The slow twin: the value of float16 bits by its definition. */
function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Positive float16, ascending with their bits; the last stands for what would come after 65504. */
const POSITIVE = [...Array.from({ length: 0x7c00 }, (_, bits) => halfValue(bits)), 65536];

/** The slow twin: bits of the nearest of all float16, ties to even bits. */
function nearestBits(value: number): number {
  const magnitude = Math.abs(value);
  let low = 0;
  for (let step = 0x4000; step > 0; step >>= 1) {
    if (low + step < POSITIVE.length && POSITIVE[low + step] <= magnitude) low += step;
  }
  const above = low + 1 < POSITIVE.length ? POSITIVE[low + 1] - magnitude : Infinity;
  const below = magnitude - POSITIVE[low];
  const bits = above < below || (above === below && low % 2 === 1) ? low + 1 : low;
  return (value < 0 || Object.is(value, -0) ? 0x8000 : 0) | Math.min(bits, 0x7c00);
}

const encode = (value: number) => {
  const bits = new Uint16Array(1);
  encodeHalves([value], bits);
  return bits[0];
};

describe("float16", () => {
  test("all bit patterns decode to their value and come back", () => {
    const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const values = decodeHalves(bits);
    for (let i = 0; i < bits.length; i++) {
      if (!Object.is(values[i], halfValue(i))) expect(values[i], `bits ${i}`).toBe(halfValue(i));
      if (!Number.isNaN(values[i]) && encode(values[i]) !== i) expect(encode(values[i])).toBe(i);
    }
  });

  test("the middle of every two neighbours goes to the even one, all else to the nearer", () => {
    for (let i = 0; i + 1 < POSITIVE.length; i++) {
      const middle = (POSITIVE[i] + POSITIVE[i + 1]) / 2;
      for (const value of [middle, middle * (1 - 2 ** -50), middle * (1 + 2 ** -50)]) {
        const wanted = nearestBits(value);
        if (encode(value) !== wanted) expect(encode(value), `${value}`).toBe(wanted);
        if (encode(-value) !== (wanted | 0x8000)) expect(encode(-value)).toBe(wanted | 0x8000);
      }
    }
  });

  test("random float32 go to the nearest", () => {
    const floats = new Float32Array(1);
    const patterns = new Uint32Array(floats.buffer);
    for (let seed = 1; seed <= 20_000; seed++) {
      patterns[0] = seededRandom(seed).below(2 ** 32);
      if (!Number.isFinite(floats[0])) continue;
      expect(encode(floats[0]), `seed ${seed}`).toBe(nearestBits(floats[0]));
    }
  });

  test("what does not fit is found", () => {
    expect(fitsHalf(HALF_MAX)).toBe(true);
    expect(fitsHalf(65519.99)).toBe(true);
    expect(fitsHalf(-65520)).toBe(false);
    expect(fitsHalf(Number.NaN)).toBe(false);
    expect(firstBeyondHalf([1, -65504, 7e4])).toBe(2);
    expect(firstBeyondHalf([1, 2])).toBeUndefined();
  });

  test("vectors are encoded where they are wanted, also in shared memory", () => {
    const bits = new Uint16Array(new SharedArrayBuffer(16), 4, 4);
    encodeHalves(Float32Array.of(1, -2), bits, 1);
    expect([...bits]).toEqual([0, 0x3c00, 0xc000, 0]);
    expect([...decodeHalves(bits)]).toEqual([0, 1, -2, 0]);
  });
});
