/** Many simulated clusters (test/simulation); a seed that fails is printed with its command. */

import { expect, test } from "vitest";
import { HEAVY_SEEDS, runSeeds } from "../simulation/run-seeds.ts";

/** Clusters from other seeds than those of the short suite. */
const SEEDS = { first: 10_000, count: HEAVY_SEEDS };

test("many clusters keep all promises", async () => {
  let known = 0;
  const faulty = await runSeeds({ ...SEEDS, onResult: () => known++ });
  expect(known).toBe(SEEDS.count);
  const report = faulty.map(({ seed, faults }) => {
    return `npm run simulate -- --seed ${seed}\n  ${faults.slice(0, 3).join("\n  ")}`;
  });
  expect(report.join("\n")).toBe("");
}, 600_000);
