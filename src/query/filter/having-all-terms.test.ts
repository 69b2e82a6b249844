import { expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  BY_ID,
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { bitsetIndexes } from "../../../test/support/segments/bitset-indexes.ts";
import { runReads, runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { runSteps } from "../../base/steps.ts";
import { BITSETS } from "../../segment/postings/bitset-section.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { TEXT_BITSETS, TEXT_LISTS } from "../../segment/text/text-kinds.ts";
import type { AttributeIndex } from "../../segment/view/attribute-index.ts";
import { matchIds } from "../executor/match-ids.ts";
import { runRequest } from "../executor/run-request.ts";

const COUNT = 4000;
const SCHEMA = schemaOf({ text: { type: "string", fullTextSearch: fullText() }, n: "int" });
/** One in so many documents has the word. */
const CHANCES = { all: 1, half: 2, third: 3, tenth: 10, rare: 100, rarer: 400, rarest: 2000 };
const WORDS = Object.keys(CHANCES) as (keyof typeof CHANCES)[];

/** Without bitmaps of frequent terms, with those that servers have, and with as many as there are. */
const EXTENTS = [{ documentsMin: Number.POSITIVE_INFINITY }, {}, { documentsPerPosting: 5000 }];

test.each(EXTENTS)("documents have all the terms, however long their lists are: %j", (extent) => {
  const random = testRandom();
  const indexes = bitsetIndexes({ ...BITSETS, documentsMin: 1, ...extent });
  const texts = Array.from({ length: COUNT }, () =>
    WORDS.filter((word) => random.below(CHANCES[word]) === 0),
  );
  const documents = texts.map((words, i) =>
    documentOf(BigInt(i), { text: words.join(" "), n: BigInt(i % 100) }),
  );
  const contents = [
    { documents: documents.slice(0, 3500) },
    { documents: documents.slice(3500), deleted: [documentOf(9000n, { text: WORDS.join(" ") })] },
  ];
  const snapshot = openSnapshot(SCHEMA, contents, indexes);
  for (let round = 0; round < 200; round++) {
    const sought = WORDS.filter(() => random.below(2) === 0);
    const words = sought.length === 0 ? [pick(random, WORDS)] : sought;
    const below = pick(random, [100, 50, 1]);
    const operator = pick(random, ["ContainsAllTokens", "ContainsAnyToken"]);
    const filter = filterOf([
      "And",
      [
        ["text", operator, words.join(" ")],
        ["n", "Lt", below],
      ],
    ]);
    const { ids } = runSteps(matchIds(snapshot, filter, COUNT, {}));
    const has = (i: number) =>
      operator === "ContainsAllTokens"
        ? words.every((word) => texts[i].includes(word))
        : words.some((word) => texts[i].includes(word));
    const expected = texts.flatMap((_, i) => (has(i) && i % 100 < below ? [BigInt(i)] : []));
    expect(ids, `${operator} ${words} below ${below}`).toEqual(expected);
  }
});

/** Of a bitmap. */
const BITMAP_WORDS = COUNT / 32;

test.each([
  // The list of the rarest, then its documents in each longer list.
  ["every tenth rare", 20 + 20 + 20, 20 + 20 + 20],
  ["every tenth", 400 + 4000, 400 + BITMAP_WORDS],
  ["every rare missing", 0, 0],
  ["every rarest", 4 + 4, 4 + 4],
])("postings of %s are looked at %d times, with bitmaps %d", (words, expected, withBitmaps) => {
  const documents = Array.from({ length: COUNT }, (_, i) => {
    const has = { every: 1, tenth: 10, rare: 200, rarest: 1000 };
    const text = Object.entries(has).filter(([_word, each]) => i % each === 0);
    return documentOf(BigInt(i), { text: text.map(([word]) => word).join(" ") });
  });
  const query = documentQuery(BY_ID, {
    limit: 10,
    filter: filterOf(["text", "ContainsAllTokens", words]),
  });
  const touched = (indexes?: AttributeIndex[]) => {
    const snapshot = openSnapshot(SCHEMA, [{ documents }], indexes);
    const { stats } = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
    return stats.postingsTouched;
  };
  expect(touched()).toBe(expected);
  expect(touched(bitsetIndexes({ ...BITSETS, documentsMin: 1 }))).toBe(withBitmaps);
});

test("cold filters read bitmaps in the place of lists", () => {
  const documents = Array.from({ length: COUNT }, (_, i) => {
    return documentOf(BigInt(i), { text: i % 2 === 0 ? "every half" : "every" });
  });
  const indexes = bitsetIndexes({ ...BITSETS, documentsMin: 1 });
  const { snapshot, sources } = remoteSnapshot(openSnapshot(SCHEMA, [{ documents }], indexes));
  for (const operator of ["ContainsAllTokens", "ContainsAnyToken"]) {
    for (const source of sources) source.drop();
    const filter = filterOf(["text", operator, "every half"]);
    const count = () => runSteps(matchIds(snapshot, filter, COUNT, {})).ids.length;
    expect(runRemote(sources, count, 4)).toBe(operator === "ContainsAllTokens" ? COUNT / 2 : COUNT);
    const view = snapshot.segments[0].view as OpenSegment;
    const sections = view.sections("text");
    expect(sections.peekPart(TEXT_BITSETS.bitmaps, 0, COUNT / 8)).toBeDefined();
    expect(sections.peekPart(TEXT_LISTS.kind, 0, 1)).toBeUndefined();
  }
});
