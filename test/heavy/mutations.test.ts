/** A check of the checks: each deliberate break of the product must be noticed (docs/testing.md). */

import { expect, test } from "vitest";
import { mutationFault, tryMutation } from "../simulation/mutant.ts";
import { MUTATIONS } from "../simulation/mutations.ts";
import { HEAVY_SEEDS } from "../simulation/run-seeds.ts";

test("every break can be made", () => {
  expect(MUTATIONS.flatMap((mutation) => mutationFault(mutation) ?? [])).toEqual([]);
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
});

test.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
  "it is noticed when %s",
  async (_, mutation) => {
    const { isNoticed, how } = await tryMutation(mutation, HEAVY_SEEDS);
    expect(isNoticed, how).toBe(true);
  },
);
