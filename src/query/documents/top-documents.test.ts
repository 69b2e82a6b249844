import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { type RankedDocument, TopDocuments } from "./top-documents.ts";

const bySegment = (sa: number, oa: number, sb: number, ob: number): number => sa - sb || oa - ob;

test("documents are in the order of their keys, then of the comparer, like a sort of all", () => {
  const seed = 5;
  const random = seededRandom(seed);
  for (let round = 0; round < 200; round++) {
    const documents: RankedDocument[] = Array.from({ length: random.below(60) }, (_, ordinal) => ({
      key: random.below(8) === 0 ? Number.NEGATIVE_INFINITY : random.below(6),
      segment: random.below(3),
      ordinal,
    }));
    const sorted = [...documents].sort(
      (a, b) =>
        (a.key === b.key ? 0 : a.key - b.key) ||
        bySegment(a.segment, a.ordinal, b.segment, b.ordinal),
    );
    const capacity = random.below(20);
    const top = new TopDocuments(capacity, bySegment);
    if (random.below(2) === 0) {
      for (const { key, segment, ordinal } of documents) {
        top.offer(key, segment, ordinal);
      }
    } else {
      for (const segment of [0, 1, 2]) {
        // Documents without a key stand between the others.
        const part = documents
          .filter((document) => document.segment === segment)
          .flatMap((document) => [document, { key: Number.NaN, ordinal: 0 }]);
        const keys = Float64Array.from(part, ({ key }) => key);
        const ordinals = Uint32Array.from(part, ({ ordinal }) => ordinal);
        top.offerAll(keys, segment, ordinals);
      }
    }
    expect(runSteps(top.ranked()), `seed ${seed}`).toEqual(sorted.slice(0, capacity));
  }
});

test("what the threshold admits is what is kept, ties included, and it never rises", () => {
  const seed = 6;
  const random = seededRandom(seed);
  for (let round = 0; round < 200; round++) {
    const capacity = random.below(8);
    const top = new TopDocuments(capacity, bySegment);
    const kept: RankedDocument[] = [];
    let worst = top.worstKey;
    expect(worst, `seed ${seed}`).toBe(capacity === 0 ? -Infinity : Infinity);
    for (let ordinal = 0; ordinal < 40; ordinal++) {
      const document = { key: random.below(5), segment: random.below(3), ordinal };
      const { key, segment } = document;
      const best = [...kept, document].sort(
        (a, b) => a.key - b.key || bySegment(a.segment, a.ordinal, b.segment, b.ordinal),
      );
      const wins = best.indexOf(document) < capacity;
      expect(top.admits(key, segment, ordinal), `seed ${seed}`).toBe(wins);
      if (key > top.worstKey) expect(wins, `seed ${seed}`).toBe(false);
      expect(top.offer(key, segment, ordinal), `seed ${seed}`).toBe(wins);
      kept.splice(0, kept.length, ...best.slice(0, capacity));
      expect(top.worstKey, `seed ${seed}`).toBeLessThanOrEqual(worst);
      worst = top.worstKey;
    }
    expect(top.admits(Number.NaN, 0, 0), `seed ${seed}`).toBe(false);
  }
});
