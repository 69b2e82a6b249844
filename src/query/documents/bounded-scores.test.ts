/** Score arithmetic that passes over documents finds what it finds where all are scored. */

import { expect, test } from "vitest";
import { cases, effort } from "../../../test/support/effort.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  type SegmentContent,
  schemaOf,
  splitDocuments,
} from "../../../test/support/queries/query-fixture.ts";
import { ABSENT_NUMBER, withoutBounds } from "../../../test/support/queries/without-bounds.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { blockIndexes } from "../../../test/support/segments/block-indexes.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import type { TypedDocument } from "../../codec/columns-builder.ts";
import type { DocumentQuery, ScoreExpression } from "../../model/query.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../operator/snapshot.ts";

const SCHEMA = schemaOf({
  title: { type: "string", fullTextSearch: fullText({ k1: 0.9, b: 0.4 }) },
  text: { type: "string", fullTextSearch: fullText() },
  sparse: "{}f16",
  n: "uint",
  p: { type: "float", filterable: true },
  [ABSENT_NUMBER]: "int",
});
const NEAR: ScoreExpression = {
  kind: "decay",
  clause: { kind: "dist", attribute: "n", origin: 0n },
  midpoint: 100,
  exponent: 1,
};
const BELOW_300: ScoreExpression = { kind: "filter", filter: filterOf(["n", "Lt", 300]) };
const WORDS = Array.from({ length: 40 }, (_, rank) => `w${rank}`);

/** Words are the rarer the later they are listed; many documents lack an attribute. */
function drawDocument(random: Random, id: number, first = 0): TypedDocument {
  const draw = () => WORDS[Math.floor(WORDS.length ** random.next()) - 1];
  const words = (count: number) => Array.from({ length: count }, draw).join(" ");
  const names = words(3).split(" ").sort();
  const weights = [...new Set(names)].map(() => pick(random, [-2, -0.5, 0, 0.25, 1, 3]));
  return documentOf(BigInt(id), {
    title: words(1 + random.below(4)),
    ...(random.below(5) > 0 && { text: words(1 + random.below(30)) }),
    ...(random.below(3) > 0 && {
      sparse: { names: [...new Set(names)], weights: Float32Array.from(weights) },
    }),
    ...(random.below(4) > 0 && { n: BigInt(first + random.below(first > 0 ? 60 : 1000)) }),
    ...(random.below(4) > 0 && { p: random.below(3) === 0 ? 2 : random.next() * 4 }),
  });
}

function drawWords(random: Random): string {
  return Array.from({ length: 1 + random.below(3) }, () => pick(random, WORDS)).join(" ");
}

function bm25(attribute: string, query: string, lastAsPrefix = false): ScoreExpression {
  return { kind: "bm25", attribute, query, lastAsPrefix };
}

function sum(...clauses: readonly ScoreExpression[]): ScoreExpression {
  return { kind: "sum", clauses };
}

function weighed(weight: number, clause: ScoreExpression): ScoreExpression {
  return { kind: "product", weight, clause };
}

function drawText(random: Random): ScoreExpression {
  return bm25(pick(random, ["title", "text"]), drawWords(random), random.below(4) === 0);
}

function drawCurve(random: Random, clause: ScoreExpression): ScoreExpression {
  const exponent = pick(random, [0.5, 1, 2, 3.7]);
  const midpoint = pick(random, [0.01, 1, 20, 1000]);
  return { kind: pick(random, ["saturate", "decay"] as const), clause, midpoint, exponent };
}

function drawNumber(random: Random): ScoreExpression {
  const attribute = pick(random, ["n", "p"]);
  const value: ScoreExpression = { kind: "attribute", attribute };
  if (random.below(4) === 0) return { kind: "floor", floor: 0, clause: value };
  const origin = BigInt(random.below(900));
  const dist: ScoreExpression = { kind: "dist", attribute: "n", origin };
  return drawCurve(random, pick(random, [dist, value]));
}

function drawLeaf(random: Random): ScoreExpression {
  switch (random.below(6)) {
    case 0: {
      const entries = drawWords(random).split(" ");
      const weights = entries.map((name): [string, number] => [name, pick(random, [-1, 0.5, 2])]);
      return { kind: "sparse", attribute: "sparse", entries: new Map(weights) };
    }
    case 1:
      return { kind: "filter", filter: filterOf(["n", "Lt", random.below(1000)]) };
    case 2:
      return drawNumber(random);
    default:
      return drawText(random);
  }
}

function drawTree(random: Random, depth: number): ScoreExpression {
  if (depth === 0) return drawLeaf(random);
  const below = () => drawTree(random, random.below(depth));
  switch (random.below(7)) {
    case 0:
      return { kind: "product", weight: pick(random, [0, 1e-40, 0.2, 1, 7.3]), clause: below() };
    case 1:
      return { kind: "floor", floor: pick(random, [0, 0.3, 2]), clause: below() };
    case 2:
      return drawCurve(random, below());
    case 3:
      return { kind: "max", clauses: Array.from({ length: 1 + random.below(3) }, below) };
    default:
      return { kind: "sum", clauses: Array.from({ length: 1 + random.below(4) }, below) };
  }
}

function ranked(expression: ScoreExpression, options: Partial<DocumentQuery> = {}): DocumentQuery {
  return documentQuery({ kind: "score", expression }, { limit: 10, ...options });
}

function run(snapshot: Snapshot, query: DocumentQuery) {
  return runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
}

function drawOptions(random: Random): Partial<DocumentQuery> {
  return {
    limit: pick(random, [1, 3, 10, 100, 1500]),
    offset: random.below(4) === 0 ? random.below(300) : 0,
    filter: random.below(3) === 0 ? filterOf(["n", "Lt", random.below(1000)]) : undefined,
  };
}

/** Even seeds give documents ascending numbers, odd seeds give them random numbers. */
const SEEDS = Array.from({ length: cases({ usual: 2, full: 24 }) }, (_, round) => 4101 + round);
const COUNT_MIN = effort({ usual: 1500, full: 4000 });
/** Number of documents in the test where every document has the same word. */
const MANY = effort({ usual: 32_768, full: 65_536 });
const QUERIES = effort({ usual: 20, full: 60 });

test.each(SEEDS)("seed %i: answers are the same to the bit with bounds and without", (seed) => {
  const random = seededRandom(seed);
  const count = COUNT_MIN + random.below(COUNT_MIN);
  const rise = seed % 2 === 0 ? 900 / count : 0;
  const documents = Array.from({ length: count }, (_, i) => {
    return drawDocument(random, i, Math.floor(rise * i));
  });
  const deleted = Array.from({ length: 300 }, (_, i) => drawDocument(random, 20_000 + i));
  const contents = splitDocuments(random, documents, 1 + random.below(2), deleted);
  const snapshots = [1, 5, 128].map((block) => openSnapshot(SCHEMA, contents, blockIndexes(block)));
  let skipped = 0;
  for (let i = 0; i < QUERIES; i++) {
    const expression = drawTree(random, 1 + random.below(3));
    const options = drawOptions(random);
    const expected = run(snapshots[0], ranked(withoutBounds(expression), options));
    expect(expected.stats.blocksSkipped).toBe(0);
    for (const snapshot of snapshots) {
      const { results, stats } = run(snapshot, ranked(expression, options));
      expect(results, `query ${i}: ${JSON.stringify(expression, bigints)}`).toEqual(
        expected.results,
      );
      skipped += stats.blocksSkipped;
    }
  }
  expect(skipped).toBeGreaterThan(0);
});

function bigints(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

const opened = new Map<string, Snapshot>();

/** Opens what several tests search once. */
function openOnce(name: string, contentsOf: () => readonly SegmentContent[]): Snapshot {
  const snapshot = opened.get(name) ?? openSnapshot(SCHEMA, contentsOf());
  opened.set(name, snapshot);
  return snapshot;
}

function openBestFirst(count: number, best: number): Snapshot {
  return openOnce(`${best} best of ${count}`, () => [bestFirst(count, best)]);
}

/** `count` documents, of which the first have the word more often, and few a title of it. */
function bestFirst(count: number, best: number): SegmentContent {
  const documents = Array.from({ length: count }, (_, i) =>
    documentOf(BigInt(i), {
      text: `common filler ${i < best ? "common" : "filler"}`,
      title: i % 1000 === 0 ? "rare" : "none",
      n: BigInt(i),
      p: i / count,
    }),
  );
  return { documents };
}

// All documents have the word, which is worth little then.
const COMMON = weighed(1e6, bm25("text", "common"));
const NUMBER: ScoreExpression = {
  kind: "floor",
  floor: 0,
  clause: { kind: "attribute", attribute: "p" },
};

test.each([
  ["two attributes", sum(COMMON, bm25("title", "rare"))],
  ["a filter", sum(COMMON, BELOW_300)],
  ["the nearer", sum(COMMON, NEAR)],
  ["a number", sum(COMMON, NUMBER)],
  ["the greater", { kind: "max", clauses: [COMMON, bm25("title", "rare")] }],
] as const)("%s: blocks that cannot reach the best are passed over", (_name, expression) => {
  const snapshot = openBestFirst(16_384, 10);
  const { results, stats } = run(snapshot, ranked(expression));
  const all = run(snapshot, ranked(withoutBounds(expression)));
  expect(results).toEqual(all.results);
  expect(all.stats.postingsTouched).toBeGreaterThanOrEqual(16_384);
  expect(stats.blocksSkipped).toBeGreaterThan(60);
  expect(stats.postingsTouched).toBeLessThan(8000);
});

/** A number that falls with `n`, which rises with the documents, and outweighs the word. */
function fallingBy(clause: ScoreExpression): ScoreExpression {
  return weighed(20, { kind: "decay", clause, midpoint: 1000, exponent: 2 });
}
const WORD = bm25("text", "common");
const OF_N: ScoreExpression = { kind: "attribute", attribute: "n" };
const FROM_0: ScoreExpression = { kind: "dist", attribute: "n", origin: 0n };

test.each([
  ["a distance", sum(WORD, fallingBy(FROM_0))],
  ["a value", sum(fallingBy(OF_N), WORD)],
  ["a sum, times a number", weighed(3, sum(WORD, fallingBy(OF_N)))],
  ["the greater", { kind: "max", clauses: [WORD, fallingBy(FROM_0)] }],
  ["what is saturated", { kind: "saturate", clause: fallingBy(OF_N), midpoint: 5, exponent: 1 }],
  ["at least a floor", sum(WORD, { kind: "floor", floor: 0.1, clause: fallingBy(OF_N) })],
] as const)("where documents are in the order of %s, far ones are passed over", (name, tree) => {
  const snapshot = openBestFirst(MANY, MANY);
  const expression = name === "what is saturated" ? sum(WORD, weighed(20, tree)) : tree;
  const { results, stats } = run(snapshot, ranked(expression, { limit: 7 }));
  const all = run(snapshot, ranked(withoutBounds(expression), { limit: 7 }));
  expect(results).toEqual(all.results);
  expect(all.stats.postingsTouched).toBe(MANY);
  expect(stats.postingsTouched).toBeLessThan(8000);
  expect(stats.blocksSkipped).toBeGreaterThan(MANY / 128 - 112);
});

test("of documents without postings those are scored that are near enough", () => {
  const snapshot = openBestFirst(MANY, MANY);
  const expression = sum(bm25("title", "rare"), fallingBy(FROM_0));
  const [found, all] = [expression, withoutBounds(expression)].map((tree) => {
    return run(snapshot, ranked(tree, { limit: 7 }));
  });
  expect(found.results).toEqual(all.results);
});

test("distances of integers that floats do not hold are as they are", () => {
  // Floats there are 256 apart: as such the nearest documents, which come last, are far away.
  const far = 2n ** 60n;
  const documents = Array.from({ length: 8192 }, (_, i) =>
    documentOf(BigInt(i), { text: "common", n: far + BigInt(i < 1024 ? 190 : 100 + (i % 20)) }),
  );
  const snapshot = openSnapshot(SCHEMA, [{ documents }]);
  const clause: ScoreExpression = { kind: "dist", attribute: "n", origin: far + 130n };
  const expression = sum(WORD, { kind: "decay", clause, midpoint: 20, exponent: 1 });
  const all = run(snapshot, ranked(withoutBounds(expression), { limit: 3 })).results;
  expect(run(snapshot, ranked(expression, { limit: 3 })).results).toEqual(all);
});

/** Documents of which few have a word, and most match a filter; ids are in some order. */
function fewListed(count: number, idOf: (i: number) => number): SegmentContent {
  const documents = Array.from({ length: count }, (_, i) =>
    documentOf(BigInt(idOf(i)), {
      text: i % 5000 === 0 ? "rare" : "filler",
      title: `ti${i % 50}`,
      n: BigInt(i % 1000),
      p: (i * 7919) % 1000,
    }),
  );
  return { documents };
}

const FILTERED = sum(bm25("text", "rare"), weighed(0.25, BELOW_300));

test.each([
  ["a filter", FILTERED],
  ["a filter, times a number", weighed(1 / 3, FILTERED)],
  ["at least a floor", sum(bm25("text", "rare"), { kind: "floor", floor: 0.1, clause: BELOW_300 })],
  ["a filter alone", weighed(0.1, BELOW_300)],
  ["a prefix", bm25("title", "absent ti1", true)],
  ["a prefix beside a word", sum(bm25("text", "rare"), bm25("title", "ti", true))],
  ["a prefix or a filter", { kind: "max", clauses: [bm25("title", "ti4", true), BELOW_300] }],
] as const)("%s: of documents without postings the first are enough", (_name, expression) => {
  // Ids that ascend, or not; 31 and the count have no divisor in common.
  for (const step of [1, 31]) {
    const idOf = (i: number) => (step * i) % 20_000;
    const snapshot = openOnce(`ids in steps of ${step}`, () => [
      fewListed(20_000, idOf),
      fewListed(9000, (i) => 50_000 + idOf(i)),
    ]);
    for (const limit of [7, 300]) {
      const { results, stats } = run(snapshot, ranked(expression, { limit }));
      const all = run(snapshot, ranked(withoutBounds(expression), { limit }));
      expect(results).toEqual(all.results);
      expect(all.stats.candidatesSkipped).toBeGreaterThan(5000);
      expect(stats.candidatesSkipped).toBeLessThan(1800);
    }
  }
});

test("of documents without postings those of the greatest numbers are scored first", () => {
  const snapshot = openBestFirst(MANY, MANY);
  // The greatest numbers come last.
  const expression = sum(bm25("title", "rare"), weighed(100, NUMBER));
  const { results, stats } = run(snapshot, ranked(expression, { limit: 7 }));
  const all = run(snapshot, ranked(withoutBounds(expression), { limit: 7 }));
  expect(results).toEqual(all.results);
  expect(stats.candidatesSkipped).toBeLessThan(3000);
});

test("documents without postings are found where a filter alone is enough", () => {
  const snapshot = openBestFirst(4096, 10);
  const expression = sum(bm25("title", "rare"), weighed(0.25, BELOW_300));
  const { results } = run(snapshot, ranked(expression, { limit: 7 }));
  // Five have the word, of which one matches the filter, too.
  const ids = [0n, 1000n, 2000n, 3000n, 4000n, 1n, 2n];
  expect(results).toMatchObject([{ documents: ids.map((id) => ({ id })) }]);
});

test("where bounds say nothing, documents are scored all at once", () => {
  const snapshot = openBestFirst(MANY, MANY);
  // Any document may be kept by its number, which outweighs the word.
  const expression = sum(bm25("text", "common"), NUMBER);
  const { results, stats } = run(snapshot, ranked(expression, { limit: 3 }));
  const ids = [1, 2, 3].map((back) => BigInt(MANY - back));
  expect(results).toMatchObject([{ documents: ids.map((id) => ({ id })) }]);
  // Some were scored by themselves before, but by far not all.
  expect(stats.postingsTouched).toBeLessThan(MANY + 10_000);
});

test("equal scores of which most was taken away are decided by ids", () => {
  const winner = {
    text: "common word here",
    sparse: { names: ["d"], weights: Float32Array.of(1.5) },
  };
  const contentOf = (first: number, ids: readonly number[]): SegmentContent => {
    const others = Array.from({ length: 2500 }, (_, i) =>
      documentOf(BigInt(first + i), { text: `filler ${i % 7} words` }),
    );
    return { documents: [...others, ...ids.map((id) => documentOf(BigInt(id), winner))] };
  };
  const ten = Array.from({ length: 10 }, (_, i) => 100 + i);
  const snapshot = openSnapshot(SCHEMA, [contentOf(10_000, ten), contentOf(20_000, [1])]);
  const [found] = run(snapshot, ranked(bm25("text", "common"))).results;
  if (found.kind !== "documents") throw new Error("no documents");
  const taken: ScoreExpression = {
    kind: "sparse",
    attribute: "sparse",
    entries: new Map([["d", -1]]),
  };
  for (let i = 0; i < 90; i++) {
    const weight = (1.5 * 1.001 * (1 + i * 1e-4)) / Number(found.documents[0].dist);
    const expression = sum(weighed(weight, bm25("text", "common")), taken);
    const { results } = run(snapshot, ranked(expression));
    expect(results, `weight ${weight}`).toMatchObject([
      { documents: [1, ...ten.slice(0, 9)].map((id) => ({ id: BigInt(id) })) },
    ]);
  }
});

test("what is infinite times nothing hides no document", () => {
  const snapshot = openBestFirst(4096, 10);
  const huge: ScoreExpression = {
    kind: "saturate",
    clause: weighed(1e308, bm25("title", "rare")),
    midpoint: 1,
    exponent: 1,
  };
  const last: ScoreExpression = { kind: "filter", filter: filterOf(["n", "Gte", 4090]) };
  const expression = sum(huge, weighed(2, last));
  for (const limit of [1, 2, 7]) {
    const { results } = run(snapshot, ranked(expression, { limit }));
    const all = run(snapshot, ranked(withoutBounds(expression), { limit })).results;
    expect(results).toEqual(all);
  }
});

test("a ranking without words runs its filters once", () => {
  const snapshot = openBestFirst(4096, 10);
  const glob: ScoreExpression = { kind: "filter", filter: filterOf(["title", "Glob", "*are"]) };
  const once = run(snapshot, ranked(glob)).stats.valuesCompared;
  expect(run(snapshot, ranked(sum(glob, glob))).stats.valuesCompared).toBe(2 * once);
  const filtered = run(snapshot, ranked(withoutBounds(glob))).stats.valuesCompared;
  expect(once).toBe(filtered);
});
