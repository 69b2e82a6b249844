import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  BY_ID,
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  type SegmentContent,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { pageIndexes } from "../../../test/support/segments/page-indexes.ts";
import { positionIndexes } from "../../../test/support/segments/position-indexes.ts";
import { runReads, runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import type { Random } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { Query } from "../../model/query.ts";
import { DOCUMENT_SECTIONS } from "../../segment/documents/documents-section.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { TEXT_PAGES, TEXT_POSITIONS } from "../../segment/text/text-kinds.ts";
import { matchIds } from "../executor/match-ids.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../operator/snapshot.ts";

const POSITIONS = positionIndexes(1);
const TEXTS_ALONE = positionIndexes(Number.POSITIVE_INFINITY);

const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() }, n: "int" });
const TEXTS = ["quick brown fox", "brown quick fox", "quick fox", "a brown dog", "fox quick brown"];
const documents = Array.from({ length: 100 }, (_, i) =>
  documentOf(BigInt(i), { text: TEXTS[i % TEXTS.length], n: BigInt(i) }),
);
const withPositions = openSnapshot(schema, [{ documents }], POSITIONS);
const withTexts = openSnapshot(schema, [{ documents }], TEXTS_ALONE);

test.each([
  // Of five kinds of text three have both words, of these two in this order.
  [["text", "ContainsTokenSequence", "quick brown"], 60, 120, 40],
  // One term needs no order, and a term that nobody has no texts.
  [["text", "ContainsTokenSequence", "quick"], 0, 0, 80],
  [["text", "ContainsTokenSequence", "quick zebra"], 0, 0, 0],
  // A term that is asked for twice is read once, and what no document has ends at once.
  [["text", "ContainsTokenSequence", "quick quick"], 80, 80, 0],
  // What other filters leave is looked at, no more.
  [
    [
      "And",
      [
        ["n", "Lt", 10],
        ["text", "ContainsTokenSequence", "quick brown"],
      ],
    ],
    6,
    12,
    4,
  ],
])(
  "%j analyzes %i texts, or reads %i positions",
  (filter, textsAnalyzed, positionsRead, matches) => {
    const query = documentQuery(BY_ID, { filter: filterOf(filter), limit: 100 });
    const run = (snapshot: Snapshot) =>
      runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
    const [byTexts, byPositions] = [withTexts, withPositions].map(run);
    expect(byTexts.stats).toMatchObject({ textsAnalyzed, positionsRead: 0 });
    expect(byPositions.stats).toMatchObject({ textsAnalyzed: 0, positionsRead });
    expect(byTexts.results[0]).toMatchObject({ documents: { length: matches } });
    expect(byPositions.results).toEqual(byTexts.results);
  },
);

/** Stop words, words that are too long, and others, which are the rarer the later they are. */
const WORDS = ["fox", "the", "dog", "of", "x".repeat(40), "é", "東京", "quick", "rare"];

function drawWords(random: Random, longest: number): string[] {
  const word = () => WORDS[Math.floor(random.next() ** 2 * WORDS.length)];
  return Array.from({ length: random.below(longest + 1) }, word);
}

const TOKENS = fullText({ tokenizer: "pre_tokenized_array" });
const everySchema = schemaOf({
  text: { type: "string", fullTextSearch: fullText({ stemming: true }) },
  texts: { type: "[]string", fullTextSearch: fullText() },
  tokens: { type: "[]string", fullTextSearch: TOKENS },
});

test("positions and stored texts say the same of any phrase", () => {
  const random = testRandom();
  const longest = () => (random.below(10) === 0 ? 300 : 12);
  let nextId = 0n;
  const draw = (count: number) =>
    Array.from({ length: count }, () =>
      documentOf(nextId++, {
        text: random.below(9) === 0 ? null : drawWords(random, longest()).join(" "),
        texts: Array.from({ length: random.below(4) }, () =>
          drawWords(random, longest()).join(" "),
        ),
        tokens: drawWords(random, longest()),
      }),
    );
  const contents = [300, 90, 40].map((count): SegmentContent => {
    return { documents: draw(count), deleted: draw(20) };
  });
  const [positions, texts] = [POSITIONS, TEXTS_ALONE].map((indexes) =>
    openSnapshot(everySchema, contents, indexes),
  );
  // Segments of a namespace have positions or have none.
  const mixed = { ...texts, segments: [...positions.segments.slice(1), texts.segments[0]] };
  let matched = 0;
  for (let round = 0; round < effort({ usual: 100, full: 400 }); round++) {
    const name = pick(random, [...everySchema.attributes.keys()]);
    const words = drawWords(random, random.below(30) === 0 ? 100 : 4);
    const operand = name === "tokens" ? words : words.join(" ");
    const filter = filterOf([name, "ContainsTokenSequence", operand]);
    const ids = (snapshot: Snapshot) =>
      [...runSteps(matchIds(snapshot, filter, 1000, {})).ids].sort();
    const expected = ids(texts);
    expect(ids(positions), `${name}: ${words.join(" ")}`).toEqual(expected);
    expect(ids(mixed), `${name}: ${words.join(" ")}`).toEqual(expected);
    if (words.length > 1) matched += expected.length;
  }
  expect(matched).toBeGreaterThan(1000);
});

test("a sequence does not go on in the next element, however far its words are apart", () => {
  const far = "the ".repeat(70);
  const contents = [
    documentOf(1n, { texts: [`fox ${far}`, "dog"] }),
    documentOf(2n, { texts: ["fox", `${far} dog`] }),
    documentOf(3n, { texts: ["cat", `fox ${far} dog`] }),
    documentOf(4n, { texts: ["fox", "dog"] }),
    documentOf(5n, { texts: ["fox dog", ""] }),
  ];
  const snapshot = openSnapshot(everySchema, [{ documents: contents }], POSITIONS);
  const ids = (phrase: string) => {
    const filter = filterOf(["texts", "ContainsTokenSequence", phrase]);
    return [...runSteps(matchIds(snapshot, filter, 10, {})).ids];
  };
  expect(ids(`fox ${far} dog`)).toEqual([3n]);
  expect(ids("fox dog")).toEqual([5n]);
  // With so many words between them, those of two elements are as far apart as positions say.
  for (let gap = 60; gap < 68; gap++) expect(ids(`fox ${"the ".repeat(gap)} dog`)).toEqual([]);
});

test("cold phrases read the positions of their terms, and no texts", () => {
  const many = Array.from({ length: 2000 }, (_, i) => {
    const others = Array.from({ length: 20 }, (_w, w) => `word${(i * 7 + w * 13) % 500}`);
    return documentOf(BigInt(i), { text: `${others.join(" ")} ${TEXTS[i % TEXTS.length]}` });
  });
  const stored = schemaOf({
    text: { type: "string", filterable: false, fullTextSearch: fullText() },
  });
  const cold = (indexes: typeof POSITIONS, operator: string, expected: bigint) => {
    const query: Query = {
      kind: "aggregate",
      aggregates: new Map([["count", { kind: "count" }]]),
      filter: filterOf(["text", operator, "quick brown"]),
      groupBy: [],
      groupLimit: 1,
    };
    const near = openSnapshot(stored, [{ documents: many }], indexes);
    const { snapshot, sources } = remoteSnapshot(near, indexes);
    const count = () =>
      runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS })).results[0];
    expect(runRemote(sources, count, 8)).toMatchObject({ aggregates: [["count", expected]] });
    const view = snapshot.segments[0].view as OpenSegment;
    return { sections: view.sections("text"), all: view.sections(""), source: sources[0] };
  };
  const texts = cold(TEXTS_ALONE, "ContainsTokenSequence", 800n);
  const positions = cold(POSITIONS, "ContainsTokenSequence", 800n);
  const paged = cold(pageIndexes(), "ContainsTokenSequence", 800n);
  const terms = cold(pageIndexes(), "ContainsAllTokens", 1200n);
  expect(texts.all.peekPart(DOCUMENT_SECTIONS.documents, 0, 1)).toBeDefined();
  expect(positions.all.peekPart(DOCUMENT_SECTIONS.documents, 0, 1)).toBeUndefined();
  expect(terms.all.peekPart(DOCUMENT_SECTIONS.documents, 0, 1)).toBeUndefined();
  expect(terms.sections.peekPart(TEXT_POSITIONS.starts, 0, 1)).toBeUndefined();
  expect(positions.sections.isInMemory(TEXT_POSITIONS.runs)).toBe(false);
  expect(texts.source.rounds).toBe(4);
  // Terms and where positions begin; lists and positions.
  expect(positions.source.rounds).toBe(2);
  expect(positions.source.bytesLoaded).toBeLessThan(texts.source.bytesLoaded);
  expect(paged.source.rounds).toBe(2);
  expect(paged.sections.isInMemory(TEXT_PAGES)).toBe(false);
  expect(paged.sections.isInMemory(TEXT_POSITIONS.starts)).toBe(false);
});
