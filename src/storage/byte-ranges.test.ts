import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { joinRanges, NEAR_RANGE_BYTES, RANGE_READ_BYTES_MAX } from "./byte-ranges.ts";

test("near ranges are one read, far ones and long ones their own", () => {
  const far = NEAR_RANGE_BYTES + 100;
  const ranges = [
    { start: far, end: far + 10 },
    { start: 0, end: 10 },
    { start: 20, end: 30 },
    { start: 5, end: 12 },
  ];
  expect(joinRanges(ranges)).toEqual([
    { start: 0, end: 30, ranges: [1, 3, 2] },
    { start: far, end: far + 10, ranges: [0] },
  ]);
  const long = [0, 1, 2].map((i) => {
    return { start: i * RANGE_READ_BYTES_MAX, end: (i + 1) * RANGE_READ_BYTES_MAX };
  });
  expect(joinRanges(long)).toHaveLength(3);
  expect(joinRanges([])).toEqual([]);
});

test("every range is in exactly one read that covers it", () => {
  const random = seededRandom(5);
  for (let round = 0; round < 200; round++) {
    const ranges = Array.from({ length: random.below(30) }, () => {
      const start = random.below(40 * NEAR_RANGE_BYTES);
      return { start, end: start + 1 + random.below(NEAR_RANGE_BYTES) };
    });
    const seen = new Set<number>();
    for (const { start, end, ranges: indexes } of joinRanges(ranges)) {
      for (const index of indexes) {
        expect(seen.has(index)).toBe(false);
        seen.add(index);
        expect(start).toBeLessThanOrEqual(ranges[index].start);
        expect(end).toBeGreaterThanOrEqual(ranges[index].end);
      }
    }
    expect(seen.size).toBe(ranges.length);
  }
});
