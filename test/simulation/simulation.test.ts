/** Whole clusters from seeds: short; `npm run simulate` and the heavy suite run many more. */

import { expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { simulate } from "./simulate.ts";

test("the same seed gives the same events in the same order", async () => {
  const seen: number[] = [];
  // The first has two servers that open namespaces again.
  for (const seed of [51, 1, 29, 67].slice(0, effort({ usual: 1, full: 4 }))) {
    const first = await simulate(seed);
    const second = await simulate(seed);
    expect(second.hash, `seed ${seed}`).toBe(first.hash);
    expect(second.eventCount).toBe(first.eventCount);
    seen.push(first.hash);
  }
  expect(seen).not.toContain((await simulate(3)).hash);
});

test("no promise is broken in a few storms", async () => {
  const count = effort({ usual: 4, full: 20 });
  for (let seed = 100; seed < 100 + count; seed++) {
    const { faults } = await simulate(seed);
    expect(faults, `npm run simulate -- --seed ${seed}`).toEqual([]);
  }
});
