import { expect, test } from "vitest";
import { namespaceName } from "../../base/ids.ts";
import { generationPrefix } from "../../storage/object-keys.ts";
import { generationsIn } from "./namespace-generations.ts";

const name = namespaceName("n");

test("the newest generation without a deletion mark is live, the next has its own number", () => {
  const prefixes = [1, 2, 3].map((generationNumber) =>
    generationPrefix({ name, generation: generationNumber }),
  );
  expect(generationsIn(prefixes, name, new Set([1, 3]))).toEqual({
    live: { name, generation: 2 },
    next: { name, generation: 4 },
  });
});

test("a name may be deleted very often", () => {
  const deleted = new Set(Array.from({ length: 300_000 }, (_, index) => index + 1));
  expect(generationsIn([], name, deleted).next.generation).toBe(300_001);
});
