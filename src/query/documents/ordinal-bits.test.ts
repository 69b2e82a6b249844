import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { hasBit, setBit } from "../../codec/bitmap.ts";
import {
  countBitsUpTo,
  countRange,
  countRanges,
  emptyBits,
  flipRange,
  invertBits,
  isFull,
} from "./ordinal-bits.ts";

test("counts of ranges are those of each of them", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const words = 1 + random.below(8);
    const bits = Uint32Array.from({ length: words }, () => random.below(2 ** 32));
    const inner = Array.from({ length: random.below(12) }, () => random.below(32 * words + 1));
    const starts = Uint32Array.from([random.below(2) * 5, ...inner, 32 * words]).sort();
    const counts = new Uint32Array(starts.length - 1);
    const sum = countRanges(bits, starts, counts);
    const expected = counts.map((_, i) => countRange(bits, starts[i], starts[i + 1]));
    expect(counts, `seed ${seed}`).toEqual(expected);
    expect(sum, `seed ${seed}`).toBe(counts.reduce((all, count) => all + count, 0));
  }
});

test("flipping a range changes those of its bits that are within, and counts words", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const bits = Uint32Array.from({ length: 4 }, () => random.below(2 ** 32));
    const [start, end] = [random.below(129), random.below(129)];
    const flipped = bits.slice();
    const within = Uint32Array.from({ length: 4 }, () => random.below(2 ** 32));
    const words = flipRange(flipped, within, { start, end });
    const touched = new Set<number>();
    for (let o = 0; o < 128; o++) {
      const isInside = start <= o && o < end;
      if (isInside) touched.add(o >> 5);
      const isFlipped = isInside && hasBit(within, o);
      expect(hasBit(flipped, o), `seed ${seed}, ${o}`).toBe(hasBit(bits, o) !== isFlipped);
    }
    expect(words, `seed ${seed}`).toBe(touched.size);
  }
});

test("a set is full if nothing below the count is missing", () => {
  for (const count of [0, 1, 31, 32, 33, 64, 100]) {
    const bits = invertBits(emptyBits(count), count);
    expect(isFull(bits, count), `${count}`).toBe(true);
    for (let missing = 0; missing < count; missing++) {
      const others = bits.slice();
      others[missing >>> 5] &= ~(1 << (missing & 31));
      expect(isFull(others, count), `${count} without ${missing}`).toBe(false);
      expect(isFull(others, missing), `${missing} of ${count}`).toBe(true);
    }
  }
});

test("ordinals are counted as far as it matters", () => {
  const bits = emptyBits(1000);
  for (const ordinal of [1, 40, 41, 500, 999]) setBit(bits, ordinal);
  expect(countBitsUpTo(bits, 1000)).toBe(5);
  expect(countBitsUpTo(bits, 5)).toBe(5);
  for (const most of [0, 1, 4]) expect(countBitsUpTo(bits, most)).toBeGreaterThan(most);
});
