import { expect, test } from "vitest";
import { mergeRuns } from "./merge-runs.ts";
import { seededRandom } from "./random.ts";
import { runSteps } from "./steps.ts";

test("runs are merged to one, or to the first of it", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const runs: number[][] = Array.from({ length: random.below(7) }, () => []);
    for (let i = 0; runs.length > 0 && i < 40; i++) runs[random.below(runs.length)].push(i);
    const sorted = runs.flat().sort((a, b) => a - b);
    const filled = runs.filter(({ length }) => length > 0);
    const compare = (a: number, b: number) => a - b;
    expect(runSteps(mergeRuns(filled, compare)), `seed ${seed}`).toEqual(sorted);
    const count = 1 + random.below(50);
    expect(runSteps(mergeRuns(filled, compare, count)), `seed ${seed}`).toEqual(
      sorted.slice(0, count),
    );
  }
});
