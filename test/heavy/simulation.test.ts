/** Many simulated clusters (test/simulation); a seed that fails is printed with its command. */

import { expect, test } from "vitest";
import { HEAVY_SEEDS, runSeeds } from "../simulation/run-seeds.ts";
import { testSeed } from "../support/random/seed.ts";

/** Seeds below are those of the short suite. */
const FIRST_SEED = 10_000;
/** Runs begin anywhere among so many seeds. */
const SEED_SPACE = 1_000_000;

test("many clusters keep all promises", async () => {
  const first = FIRST_SEED + (testSeed() % SEED_SPACE);
  let known = 0;
  const faulty = await runSeeds({ first, count: HEAVY_SEEDS, onResult: () => known++ });
  expect(known).toBe(HEAVY_SEEDS);
  const report = faulty.map(({ seed, faults }) => {
    return `npm run simulate -- --seed ${seed}\n  ${faults.slice(0, 3).join("\n  ")}`;
  });
  expect(report.join("\n")).toBe("");
}, 600_000);
