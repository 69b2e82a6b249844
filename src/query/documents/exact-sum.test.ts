import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { FloatSum, IntegerSum } from "./exact-sum.ts";

function floatSum(values: readonly number[]): number {
  const sum = new FloatSum();
  for (const value of values) sum.add(value);
  return sum.value();
}

describe("sums of floats", () => {
  test.each([
    [[], 0],
    [[-0], 0],
    [[0.1, 0.2, 0.3], 0.6],
    [[1e100, 1, -1e100], 1],
    [[1, 2 ** -53, 2 ** -106], 1 + 2 ** -52],
    [[1, 2 ** -53], 1],
    [[1e300, 0.1], 1e300],
    [[1e300, -1e-300], 1e300],
    [[Number.MAX_VALUE, Number.MIN_VALUE], Number.MAX_VALUE],
    [[2 ** -1022, -Number.MIN_VALUE], 2 ** -1022 - Number.MIN_VALUE],
    [[1, 2 ** -53, -(2 ** -106)], 1],
    [[Number.MIN_VALUE, Number.MIN_VALUE], 2 * Number.MIN_VALUE],
    [[Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE], Number.MAX_VALUE],
    [[Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE, -Number.MAX_VALUE, 5], 5],
    [[Number.MAX_VALUE, Number.MAX_VALUE], Number.MAX_VALUE],
    [[-Number.MAX_VALUE, -Number.MAX_VALUE], -Number.MAX_VALUE],
  ])("%j give %d", (values, expected) => {
    expect(floatSum(values)).toBe(expected);
  });

  test("do not depend on the order, and are rounded once", () => {
    const seed = 11;
    const random = seededRandom(seed);
    for (let round = 0; round < 200; round++) {
      // Multiples of 2^-60 below 2^40: their sum is exact as a big integer.
      const values = Array.from({ length: random.below(30) }, () => {
        const magnitude = Math.round(random.next() * 2 ** 40) * 2 ** -random.below(60);
        return random.below(2) === 0 ? magnitude : -magnitude;
      });
      const exact = values.reduce((sum, value) => sum + BigInt(value * 2 ** 60), 0n);
      const shuffled = [...values].sort(() => random.next() - 0.5);
      expect(floatSum(values), `seed ${seed}`).toBe(Number(exact) / 2 ** 60 + 0);
      expect(floatSum(shuffled), `seed ${seed}`).toBe(floatSum(values));
    }
  });

  test("are the same where parts of them were summed elsewhere", () => {
    const seed = 12;
    const random = seededRandom(seed);
    for (let round = 0; round < 300; round++) {
      const values = Array.from({ length: random.below(12) }, () => {
        const sign = random.below(2) === 0 ? 1 : -1;
        return sign * random.next() * 2 ** (random.below(2098) - 1074);
      });
      const cut = random.below(values.length + 1);
      const [whole, rest] = [new FloatSum(), new FloatSum()];
      for (const value of values.slice(0, cut)) whole.add(value);
      for (const value of values.slice(cut)) rest.add(value);
      whole.absorb(rest.exact());
      expect(whole.value(), `seed ${seed}`).toBe(floatSum(values));
    }
  });
});

test("sums of integers are exact beyond 64 bits and across many terms", () => {
  const sum = new IntegerSum();
  const count = 2 ** 20 + 3;
  for (let i = 0; i < count; i++) sum.add(0xffffffff, 0xffffffff);
  sum.add(0xffffffff, -1);
  expect(sum.value()).toBe((2n ** 64n - 1n) * BigInt(count) - 1n);
  expect(sum.value()).toBe((2n ** 64n - 1n) * BigInt(count) - 1n);
  const other = new IntegerSum();
  other.add(5, 0);
  other.absorb(sum.exact());
  expect(other.value()).toBe((2n ** 64n - 1n) * BigInt(count) + 4n);
});
