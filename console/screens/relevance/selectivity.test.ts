import { describe, expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { findBound, nearestValues, shareText } from "./selectivity.ts";

async function search(values: readonly number[], wanted: number, isWhole: boolean) {
  let counts = 0;
  const found = await findBound(
    {
      least: Math.min(...values),
      greatest: Math.max(...values),
      total: values.length,
      wanted,
      isWhole,
    },
    async (bound) => {
      counts++;
      return values.filter((value) => value <= bound).length;
    },
  );
  return { found, counts };
}

describe("a bound", () => {
  test("lets about as many through as are wanted, of whole numbers and of others", async () => {
    const random = testRandom();
    for (const isWhole of [true, false]) {
      const values = Array.from({ length: 2000 }, () =>
        isWhole ? random.below(1e6) : random.next() ** 3,
      );
      for (const wanted of [1000, 200, 20]) {
        const { found, counts } = await search(values, wanted, isWhole);
        // Not a quotient: 22 of 20 are a tenth more, but 22 / 20 - 1 is not.
        expect(Math.abs((found?.count ?? 0) - wanted)).toBeLessThanOrEqual(0.1 * wanted);
        expect(counts).toBeLessThanOrEqual(32);
      }
    }
  });

  test("is the nearest one where many have the same value", async () => {
    const values = [...Array.from({ length: 90 }, () => 1), ...Array.from({ length: 10 }, () => 2)];
    expect((await search(values, 10, true)).found).toEqual({ bound: 1, count: 90 });
  });

  test("is none where all have one value", async () => {
    expect((await search([5, 5, 5], 1, true)).found).toBeUndefined();
  });
});

test("single values are the nearest to each share, and no value is taken twice", () => {
  const counts = [
    { value: "a", count: 480 },
    { value: "b", count: 90 },
    { value: "c", count: 110 },
    { value: "d", count: 1 },
    { value: "e", count: 0 },
  ];
  expect(nearestValues(counts, 1000).map(({ value }) => value)).toEqual(["a", "c", "d"]);
  expect(nearestValues([{ value: "a", count: 1000 }], 1000).map(({ value }) => value)).toEqual([
    "a",
  ]);
  expect(nearestValues([], 0)).toEqual([]);
});

test("shares are read as percents", () => {
  expect([1, 0.5, 0.104, 0.01, 0.00123].map(shareText)).toEqual([
    "100 %",
    "50 %",
    "10.4 %",
    "1 %",
    "0.12 %",
  ]);
});
