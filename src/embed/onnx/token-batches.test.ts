import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { tokenBatches } from "./token-batches.ts";

test("each text is in one batch, none has more than 512 tokens with its padding", () => {
  const random = testRandom();
  for (let round = 0; round < 200; round++) {
    const count = random.below(40);
    const lengths = Array.from({ length: count }, () => 1 + random.below(round % 2 ? 512 : 30));
    const mixes = round % 3 > 0;
    const batches = tokenBatches(lengths, mixes);
    const places = batches.flatMap((batch) => batch.places);
    expect(places.toSorted((a, b) => a - b)).toEqual(lengths.map((_, place) => place));
    for (const batch of batches) {
      const own = batch.places.map((place) => lengths[place]);
      expect(batch.length).toBe(Math.max(...own));
      expect(batch.length * own.length).toBeLessThanOrEqual(512);
      if (!mixes) expect(new Set(own).size).toBe(1);
    }
  }
});

test("short texts of like length are run together", () => {
  const lengths = [3, 100, 4, 3, 90];
  expect(tokenBatches(lengths, true)).toEqual([{ places: [0, 3, 2, 4, 1], length: 100 }]);
  expect(tokenBatches(lengths, false).map(({ places }) => places)).toEqual([[0, 3], [2], [4], [1]]);
});
