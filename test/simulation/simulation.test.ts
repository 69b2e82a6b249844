/** Whole clusters from seeds: short; `npm run simulate` and the heavy suite run many more. */

import { expect, test } from "vitest";
import { simulate } from "./simulate.ts";

test("the same seed gives the same events in the same order", async () => {
  for (const seed of [1, 29, 51, 67]) {
    const first = await simulate(seed);
    const second = await simulate(seed);
    expect(second.hash, `seed ${seed}`).toBe(first.hash);
    expect(second.eventCount).toBe(first.eventCount);
  }
  expect((await simulate(2)).hash).not.toBe((await simulate(3)).hash);
});

test("no promise is broken in a few storms", async () => {
  for (let seed = 100; seed < 120; seed++) {
    const { faults } = await simulate(seed);
    expect(faults, `npm run simulate -- --seed ${seed}`).toEqual([]);
  }
});
