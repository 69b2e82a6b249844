import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { runSteps } from "../../base/steps.ts";
import { compareStrings } from "../../model/value.ts";
import { sortByBytes, sortInSteps } from "./term-section.ts";

test.each([0, 1, 2, 2047, 2048, 2049, 20_000])("%i strings are sorted as in one go", (count) => {
  const random = testRandom();
  const distinct = new Set<string>();
  while (distinct.size < count) distinct.add(random.below(1e9).toString(36));
  const values = [...distinct];
  expect(runSteps(sortInSteps(values))).toEqual(values.toSorted());
  const wide = values.map((value, i) => (i % 3 === 0 ? `\u{1f421}${value}` : `\uffee${value}`));
  expect(runSteps(sortByBytes(wide))).toEqual(wide.toSorted(compareStrings));
});

test("a long sort has many steps", () => {
  const values = Array.from({ length: 100_000 }, (_, i) => String(i));
  expect([...sortInSteps(values)].length).toBeGreaterThan(200);
});
