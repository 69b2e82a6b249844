import { expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { bitmapOrdinals } from "../../codec/bitmap.ts";
import { emptyBits } from "../ordinal-bits.ts";
import { FoundRows } from "./found-rows.ts";

test("rows within a bound are kept, or added to a set", () => {
  const found = new FoundRows();
  const bounds = [3, 1, 2, 2.5, Number.NEGATIVE_INFINITY];
  bounds.forEach((lower, i) => void found.add(10 * i, lower));
  const bits = emptyBits(50);
  expect(countSteps(found.addTo(bits, 2)).result).toBe(3);
  expect([...bitmapOrdinals(bits)]).toEqual([10, 20, 40]);
  expect(found.rows).toHaveLength(5);
  found.keep(2);
  expect([...found.rows]).toEqual([10, 20, 40]);
});

test("many rows are added in steps", () => {
  const found = new FoundRows();
  const count = 400_000;
  for (let row = 0; row < count; row++) found.add(row, 0);
  const bits = emptyBits(count);
  const { count: steps, result } = countSteps(found.addTo(bits, 0));
  expect(result).toBe(count);
  expect(steps).toBeGreaterThanOrEqual(3);
});
