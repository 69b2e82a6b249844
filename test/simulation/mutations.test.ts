import { expect, test } from "vitest";
import { mutationFault } from "./mutant.ts";
import { MUTATIONS } from "./mutations.ts";

// Whether each is noticed is a long suite; that the sources have moved on is known at once.
test("every deliberate break can be made", () => {
  expect(MUTATIONS.flatMap((mutation) => mutationFault(mutation) ?? [])).toEqual([]);
});
