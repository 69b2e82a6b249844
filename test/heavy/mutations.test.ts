/** A check of the checks: each deliberate break of the product must be noticed (docs/testing.md). */

import { rmSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { copySources, mutationFault, passes, tryMutation } from "../simulation/mutant.ts";
import { MUTATIONS } from "../simulation/mutations.ts";
import { HEAVY_SEEDS, runSeeds } from "../simulation/run-seeds.ts";

const root = copySources();
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("every break can be made", () => {
  expect(MUTATIONS.flatMap((mutation) => mutationFault(mutation) ?? [])).toEqual([]);
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
});

test("the unbroken copy passes", async () => {
  const files = new Set(MUTATIONS.map(({ noticedBy }) => noticedBy));
  files.delete("simulation");
  expect(await passes(root, [...files])).toBe(true);
  expect(await runSeeds({ first: 1, count: 4, root })).toEqual([]);
});

test.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
  "it is noticed when %s",
  async (_, mutation) => {
    const { isNoticed, how } = await tryMutation(root, mutation, HEAVY_SEEDS);
    expect(isNoticed, how).toBe(true);
  },
);
