import { expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { openSnapshot, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { matchBits, matchCount } from "../documents/matched-documents.ts";
import { FoundRows } from "./found-rows.ts";

const [{ view }] = openSnapshot(schemaOf({}), [{ documents: [] }]).segments;

test("rows within a bound are kept, or listed with those of which nothing is known", () => {
  const found = new FoundRows();
  const bounds = [3, 1, 2, 2.5, Number.NEGATIVE_INFINITY];
  bounds.forEach((lower, i) => void found.add(10 * i, lower));
  expect(found.countWithin(2)).toBe(3);
  const { result } = countSteps(found.within(2, view));
  expect(result).toEqual({ form: "list", ordinals: Uint32Array.of(10, 20, 40) });
  expect(found.rows).toHaveLength(5);
  found.add(50, Number.NaN);
  expect(found.countWithin(2)).toBe(4);
  expect(countSteps(found.within(2, view)).result).toMatchObject({
    ordinals: Uint32Array.of(10, 20, 40, 50),
  });
  found.keep(2);
  expect([...found.rows]).toEqual([10, 20, 40, 50]);
});

test("many rows are put into a set, in steps", () => {
  const found = new FoundRows();
  const count = 400_000;
  for (let row = 0; row < count; row++) found.add(row, row % 100 === 7 ? 1 : 0);
  const many = { ...view, documentCount: count } as typeof view;
  const { count: steps, result } = countSteps(found.within(0, many));
  expect(matchCount(result)).toBe(0.99 * count);
  const bits = matchBits(result, many);
  for (const row of [6, 7, 8, 107, 399_999]) {
    expect((bits[row >>> 5] >>> (row & 31)) & 1).toBe(row % 100 === 7 ? 0 : 1);
  }
  expect(steps).toBeGreaterThanOrEqual(3);
});
