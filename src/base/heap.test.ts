import { expect, test } from "vitest";
import { least } from "./heap.ts";
import { seededRandom } from "./random.ts";
import { runSteps } from "./steps.ts";

test("the least items are the first of a sort", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const items = Array.from({ length: random.below(40) }, () => random.below(30));
    const count = random.below(50);
    const sorted = [...items].sort((a, b) => a - b);
    expect(runSteps(least(items, count, (a, b) => a - b)), `seed ${seed}`).toEqual(
      sorted.slice(0, count),
    );
  }
});
