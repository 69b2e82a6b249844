/** A check of the checks: each deliberate break of the product must be noticed (docs/testing.md). */

import { expect, test } from "vitest";
import { mutationFault, tryMutation } from "../simulation/mutant.ts";
import { MUTATIONS } from "../simulation/mutations.ts";

/** Worlds in which a break has to show at the latest. */
const SEEDS_MAX = 200;

test("every break can be made", () => {
  expect(MUTATIONS.flatMap((mutation) => mutationFault(mutation) ?? [])).toEqual([]);
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
});

test.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
  "it is noticed when %s",
  async (_, mutation) => {
    const { isNoticed, how } = await tryMutation(mutation, SEEDS_MAX);
    expect(isNoticed, how).toBe(true);
  },
);
