import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { type RankedDocument, TopDocuments, WholeRanking } from "./top-documents.ts";

const bySegment = (sa: number, oa: number, sb: number, ob: number): number => sa - sb || oa - ob;

test("both rankings order by key, then by the comparer, like a sort of everything", () => {
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
    const whole = new WholeRanking(bySegment);
    if (random.below(2) === 0) {
      for (const { key, segment, ordinal } of documents) {
        top.offer(key, segment, ordinal);
        whole.offer(key, segment, ordinal);
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
        whole.offerAll(keys, segment, ordinals);
      }
    }
    expect(top.ranked(), `seed ${seed}`).toEqual(sorted.slice(0, capacity));
    expect([...whole.ranked()], `seed ${seed}`).toEqual(sorted);
  }
});
