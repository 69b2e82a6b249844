import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { KthLeast } from "./kth-least.ts";

test("the k-th least of all numbers so far", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const k = 1 + random.below(12);
    const least = new KthLeast(k);
    const seen: number[] = [];
    for (let i = 0; i < 40; i++) {
      const value = [Number.NaN, Number.POSITIVE_INFINITY][random.below(20)] ?? random.below(30);
      least.offer(value);
      if (value < Number.POSITIVE_INFINITY) seen.push(value);
      const expected = seen.toSorted((a, b) => a - b)[k - 1] ?? Number.POSITIVE_INFINITY;
      expect(least.worst, `seed ${seed}`).toBe(expected);
    }
  }
});
