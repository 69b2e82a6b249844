import { expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { runSteps } from "../steps.ts";
import { sortNumbers } from "./sort-numbers.ts";

test("sorts as arrays of numbers do", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const numbers = Float64Array.from({ length: random.below(60) }, () =>
      random.below(8) === 0 ? Number.NaN : random.below(40) - 20.5,
    );
    if (random.below(3) === 0) numbers.sort();
    const sorted = numbers.slice().sort();
    expect(runSteps(sortNumbers(numbers, 1 + random.below(9))), `seed ${seed}`).toEqual(sorted);
  }
});
