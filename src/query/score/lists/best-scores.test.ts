/** Rankings that pass over postings find what rankings find that score all of them. */

import { describe, expect, test } from "vitest";
import { cases, effort } from "../../../../test/support/effort.ts";
import { countSteps } from "../../../../test/support/queries/count-steps.ts";
import { filterOf } from "../../../../test/support/queries/filter-notation.ts";
import { NaiveDatabase } from "../../../../test/support/queries/naive-database.ts";
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
} from "../../../../test/support/queries/query-fixture.ts";
import { ABSENT_NUMBER, withoutBounds } from "../../../../test/support/queries/without-bounds.ts";
import { pick } from "../../../../test/support/random/random-queries.ts";
import { blockIndexes } from "../../../../test/support/segments/block-indexes.ts";
import { runReads, runRemote } from "../../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../../test/support/segments/remote-snapshot.ts";
import { type Random, seededRandom } from "../../../base/random.ts";
import type { TypedDocument } from "../../../codec/columns-builder.ts";
import type { DocumentQuery, ScoreExpression } from "../../../model/query.ts";
import type { Schema } from "../../../model/schema.ts";
import { runRequest } from "../../executor/run-request.ts";
import type { Snapshot } from "../../operator/snapshot.ts";

const WORDS = Array.from({ length: 40 }, (_, rank) => `w${rank}`);
const UNBOUNDED = Number.POSITIVE_INFINITY;

function schemaWith(options: Parameters<typeof fullText>[0] = {}): Schema {
  return schemaOf({
    text: { type: "string", fullTextSearch: fullText(options) },
    sparse: "{}f16",
    n: "int",
    [ABSENT_NUMBER]: "int",
  });
}

const bm25 = (query: string, lastAsPrefix = false): ScoreExpression => {
  return { kind: "bm25", attribute: "text", query, lastAsPrefix };
};
const sparse = (entries: Record<string, number>): ScoreExpression => {
  return { kind: "sparse", attribute: "sparse", entries: new Map(Object.entries(entries)) };
};
const ranked = (expression: ScoreExpression, options: Partial<DocumentQuery> = {}) =>
  documentQuery({ kind: "score", expression }, { limit: 10, ...options });

const run = (snapshot: Snapshot, query: DocumentQuery) => {
  const { results, stats } = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
  return { results, stats };
};

/** Words are the rarer the later they are listed; few documents have one of them often. */
function drawDocument(random: Random, id: number, isFlat: boolean): TypedDocument {
  const word = () => WORDS[Math.floor(WORDS.length ** random.next()) - 1];
  const words = Array.from({ length: isFlat ? 3 : 1 + random.below(12) }, word);
  if (!isFlat && random.below(50) === 0) words.push(...Array.from({ length: 30 }, () => words[0]));
  const names = [...new Set(words)].sort();
  const weights = names.map(() => (isFlat ? 1 : pick(random, [-2, -0.5, 0, 0.25, 1, 3, 65504])));
  return documentOf(BigInt(id), {
    text: words.join(" "),
    sparse: { names, weights: Float32Array.from(weights) },
    n: BigInt(random.below(1000)),
  });
}

const LIMIT_PER = {
  limitPer: { attributes: ["n"], limit: 2 },
  selection: { kind: "all" },
} as const;

function drawQuery(random: Random): DocumentQuery {
  // Of many lists fewer are only looked up.
  const wordCount = 1 + random.below(random.below(4) === 0 ? 60 : 6);
  const words = Array.from({ length: wordCount }, () => pick(random, WORDS));
  const weights = words.map(() => Math.f16round(pick(random, [-1, 0, 0.5, 1, 2, 1e-7, 60_000])));
  const entries = Object.fromEntries(words.map((word, i) => [word, weights[i]]));
  const n = pick(random, [0, 3, 100, 1000]);
  return ranked(
    random.below(2) === 0 ? bm25(words.join(" "), random.below(3) === 0) : sparse(entries),
    {
      limit: pick(random, [1, 3, 10, 100, 2500]),
      offset: random.below(4) === 0 ? random.below(300) : 0,
      filter: random.below(3) === 0 ? filterOf(["n", "Lt", n]) : undefined,
      ...(random.below(8) === 0 ? LIMIT_PER : {}),
    },
  );
}

/** The same answer, by scoring all documents. */
function scoringAll(query: DocumentQuery): DocumentQuery {
  const { rankBy } = query;
  if (rankBy.kind !== "score") throw new Error("not a ranking by score");
  const expression = withoutBounds(rankBy.expression);
  return { ...query, rankBy: { kind: "score", expression } };
}

/** Every fourth seed draws documents that are all alike. */
const FIRST_SEED = effort({ usual: 9003, full: 9001 });
const SEEDS = Array.from({ length: cases({ usual: 2, full: 24 }) }, (_, i) => FIRST_SEED + i);
const COUNTS = effort({ usual: { min: 3000, more: 1000 }, full: { min: 5000, more: 4000 } });
const QUERIES = effort({ usual: 20, full: 60 });
/** Postings of a block. */
const BLOCKS = effort({ usual: [1, 128], full: [1, 5, 128] });
/** Documents of many lists that are looked at in steps. */
const MANY = effort({ usual: 8_000, full: 20_000 });
/** Documents of a list that is scored in steps. */
const LONG = effort({ usual: 12_000, full: 120_000 });

describe.each(SEEDS)("seed %i", (seed) => {
  test("answers are the same to the bit with bounds of any block, and without", () => {
    const random = seededRandom(seed);
    const isFlat = seed % 4 === 0;
    const saturation = { k1: pick(random, [1e-9, 0.5, 1.2, 1e6]), b: pick(random, [0, 0.75, 1]) };
    const schema = schemaWith(saturation);
    const count = COUNTS.min + random.below(COUNTS.more);
    const documents = Array.from({ length: count }, (_, i) => drawDocument(random, i, isFlat));
    const deleted = Array.from({ length: 600 }, (_, i) => drawDocument(random, 20_000 + i, false));
    const contents = splitDocuments(random, documents, 1 + random.below(2), deleted);
    const [expected, ...others] = [UNBOUNDED, ...BLOCKS].map((block) =>
      openSnapshot(schema, contents, blockIndexes(block)),
    );
    let skipped = 0;
    for (let i = 0; i < QUERIES; i++) {
      const query = drawQuery(random);
      const { results } = run(expected, scoringAll(query));
      for (const snapshot of others) {
        const other = run(snapshot, query);
        expect(other.results, `query ${i}`).toEqual(results);
        skipped += other.stats.blocksSkipped;
      }
    }
    expect(skipped).toBeGreaterThan(0);
  });
});

test("answers are those of the slow twin", () => {
  const random = seededRandom(77);
  const schema = schemaWith();
  const documents = Array.from({ length: 2100 }, (_, i) => drawDocument(random, i, false));
  const database = new NaiveDatabase(schema);
  database.apply({ upserts: documents });
  const snapshot = openSnapshot(schema, [{ documents }], blockIndexes(16));
  for (let i = 0; i < 3; i++) {
    const query = drawQuery(random);
    expect(run(snapshot, query).results, `query ${i}`).toEqual(database.query(requestOf(query)));
  }
});

/** `count` documents, of which the first have the word more often. */
function bestFirst(count: number, best: number): SegmentContent {
  const documents = Array.from({ length: count }, (_, i) =>
    documentOf(BigInt(i), {
      text: `common ${i % 1000 === 0 ? "rare" : "filler"} ${i < best ? "common" : "filler"}`,
      sparse: {
        names: i % 1000 === 0 ? ["common", "rare"] : ["common"],
        weights: Float32Array.from([i < best ? 2 : 1, 4].slice(0, i % 1000 === 0 ? 2 : 1)),
      },
      n: BigInt(i),
    }),
  );
  return { documents };
}

test("blocks that cannot reach the best are passed over", () => {
  const snapshot = openSnapshot(schemaWith(), [bestFirst(8192, 10)]);
  // The first window has 1,024 documents: what is known after it leaves no other block.
  for (const expression of [bm25("common"), sparse({ common: 1 })]) {
    const { stats } = run(snapshot, ranked(expression));
    expect(stats).toMatchObject({ postingsTouched: 1024, blocksSkipped: (8192 - 1024) / 128 });
    // Where ties are left, all is looked at: ids decide.
    const tied = run(snapshot, ranked(expression, { limit: 11 })).stats;
    expect(tied).toMatchObject({ postingsTouched: 8192, blocksSkipped: 0 });
  }
});

test("a list that cannot matter alone is looked up for documents of the others", () => {
  const snapshot = openSnapshot(schemaWith(), [bestFirst(8192, 0)]);
  const { stats, results } = run(snapshot, ranked(bm25("common rare"), { limit: 2 }));
  expect(results).toMatchObject([{ documents: [{ id: 0n }, { id: 1000n }] }]);
  // The first window is added up; in the next ones the 7 documents left of the rare word.
  expect(stats.postingsTouched).toBe(1024 + 2 + 7 * 2);
  expect(stats.blocksSkipped).toBe(64 - 8 - 7);
});

test("blocks of many lists are passed over, too", () => {
  const words = Array.from({ length: 40 }, (_, i) => `w${10 + i}`);
  const random = seededRandom(3);
  const documents = Array.from({ length: 20_000 }, (_, i) => {
    // The best come first; the others have one of the words.
    const names = i < 10 ? words : [pick(random, words)];
    return documentOf(BigInt(i), {
      sparse: { names, weights: Float32Array.from(names, () => (i < 10 ? 4 : 1)) },
    });
  });
  const snapshot = openSnapshot(schemaWith(), [{ documents }], blockIndexes(16));
  const query = sparse(Object.fromEntries(words.map((word) => [word, 1])));
  const { stats, results } = run(snapshot, ranked(query));
  const ids = Array.from({ length: 10 }, (_, i) => ({ id: BigInt(i), dist: 160 }));
  expect(results).toMatchObject([{ documents: ids }]);
  // The first window is added up, and no other: all words together cannot reach 160.
  expect(stats.postingsTouched).toBe(10 * 40 + 1014);
  expect(stats.blocksSkipped).toBeGreaterThan(40 * 25);
});

test("documents that no filter keeps are not scored", () => {
  const snapshot = openSnapshot(schemaWith(), [bestFirst(50_000, 10)]);
  const filter = filterOf(["n", "Gte", 49_990]);
  const { stats, results } = run(snapshot, ranked(bm25("common"), { filter }));
  expect(results[0]).toMatchObject({ documents: { length: 10 } });
  expect(stats.postingsTouched).toBeLessThan(4096 + 1024);
  const none = run(snapshot, ranked(bm25("common"), { filter: filterOf(["n", "Lt", 0]) }));
  expect(none.results).toMatchObject([{ documents: [] }]);
  expect(none.stats).toMatchObject({ postingsTouched: 0, blocksSkipped: Math.ceil(50_000 / 128) });
});

test("segments are told of what others have found", () => {
  const rest = Array.from({ length: 4096 }, (_, i) =>
    documentOf(BigInt(10_000 + i), { text: "common filler other" }),
  );
  const snapshot = openSnapshot(schemaWith(), [bestFirst(4096, 10), { documents: rest }]);
  const { stats } = run(snapshot, ranked(bm25("common")));
  expect(stats).toMatchObject({ postingsTouched: 1024, blocksSkipped: 24 + 32 });
});

test.each([
  ["negative weights rank below none", sparse({ common: -1 }), [-1, -1]],
  ["a weight of zero finds nothing", sparse({ common: 0 }), []],
  ["what none has finds nothing", bm25("nowhere"), []],
] as const)("%s", (_name, expression, dists) => {
  const snapshot = openSnapshot(schemaWith(), [bestFirst(4096, 0)]);
  const { results } = run(snapshot, ranked(expression, { limit: 2 }));
  expect(results).toMatchObject([{ documents: dists.map((dist) => ({ dist })) }]);
});

test("frequencies and weights of any size are bounded", () => {
  const words = ["huge", "huge other"];
  const documents = Array.from({ length: 3000 }, (_, i) =>
    documentOf(BigInt(i), {
      text: i === 2999 ? "huge ".repeat(100_000) : words[i % 2],
      sparse: {
        names: ["a", "b"],
        weights: Float32Array.of(65_504, i === 1500 ? -65_503 : -65_504),
      },
    }),
  );
  const [expected, ...others] = [UNBOUNDED, 2, 128].map((block) =>
    openSnapshot(schemaWith({ k1: 1e-12, b: 1 }), [{ documents }], blockIndexes(block)),
  );
  for (const expression of [bm25("huge"), sparse({ a: 65_504, b: 65_504 }), sparse({ b: -1e-7 })]) {
    for (const limit of [1, 7, 2999]) {
      const query = ranked(expression, { limit });
      const { results } = run(expected, scoringAll(query));
      for (const other of others) expect(run(other, query).results).toEqual(results);
    }
  }
});

test("scores are added up in the order of the query", () => {
  // Of what is less than the rest by 2^36, another order loses bits.
  const fine = (i: number) => 1 + Math.max(0, i - 2900) * 2 ** -10;
  const documents = Array.from({ length: 3000 }, (_, i) =>
    documentOf(BigInt(i), {
      sparse: { names: ["a", "b", "c"], weights: Float32Array.of(65_504, -65_504, fine(i)) },
    }),
  );
  const snapshot = openSnapshot(schemaWith(), [{ documents }]);
  const weight = (1 + 2 ** -10) / 16;
  const query = ranked(sparse({ a: 60_000, b: 60_000, c: weight }), { limit: 3 });
  const { results } = run(snapshot, query);
  expect(results).toEqual(run(snapshot, scoringAll(query)).results);
  expect(results).toMatchObject([
    {
      documents: [2999, 2998, 2997].map((i) => {
        return { id: BigInt(i), dist: Math.fround(weight * fine(i)) };
      }),
    },
  ]);
});

test("bounds are read with the postings, in no further round", () => {
  const random = seededRandom(5);
  const documents = Array.from({ length: 3000 }, (_, i) => drawDocument(random, i, false));
  const rounds = [UNBOUNDED, 128].map((block) => {
    const near = openSnapshot(schemaWith(), [{ documents }], blockIndexes(block));
    const { snapshot, sources } = remoteSnapshot(near);
    return [bm25("w3 w17"), sparse({ w3: 1, w17: 2 })].map((expression) => {
      const query = ranked(expression);
      let attempts = 0;
      const attempt = () => {
        attempts++;
        return run(snapshot, query);
      };
      expect(runRemote(sources, attempt, 3)).toEqual(run(near, query));
      for (const source of sources) source.drop();
      return attempts;
    });
  });
  expect(rounds[1]).toEqual(rounds[0]);
});

test("long lists are scored in steps", () => {
  const schema = schemaWith();
  const many = openSnapshot(schema, [bestFirst(LONG, 0)]);
  const few = openSnapshot(schema, [bestFirst(3000, 0)]);
  const steps = (snapshot: Snapshot, query = "common"): number =>
    countSteps(runRequest(snapshot, requestOf(ranked(bm25(query))), { kernels: KERNELS })).count;
  expect(steps(many, "absent")).toBeLessThan(10);
  // All are as good, so that each is offered: that takes some 512 times as long as to pass it over.
  expect(steps(many) - steps(few)).toBeGreaterThanOrEqual((LONG - 3000) / 512);
});

test("many lists are looked at in steps", () => {
  const words = Array.from({ length: 16 }, (_, i) => `w${i}`);
  // Each has another word more often, so that all are followed.
  const documents = Array.from({ length: MANY }, (_, i) =>
    documentOf(BigInt(i), { text: `${words.join(" ")} ${words[i % 16]}` }),
  );
  const snapshot = openSnapshot(schemaWith(), [{ documents }]);
  const query = requestOf(ranked(bm25(words.join(" "))));
  const { count } = countSteps(runRequest(snapshot, query, { kernels: KERNELS }));
  expect(count).toBeGreaterThanOrEqual((16 * MANY) / 32_768 + MANY / 512);
});

test("bounds leave room for sums in float64 that lost bits", () => {
  const third = 1 + 2 ** -7;
  const documents = Array.from({ length: 3000 }, (_, i) =>
    documentOf(BigInt(3000 - i), {
      sparse: { names: ["a", "b", "c"], weights: Float32Array.of(65_504, -65_504, third) },
    }),
  );
  const snapshot = openSnapshot(schemaWith(), [{ documents }]);
  const query = ranked(sparse({ a: 60_000, b: 60_000, c: third * 2 ** -9 }), { limit: 3 });
  // All scores are equal: the least ids are the best.
  expect(run(snapshot, query).results).toMatchObject([
    { documents: [{ id: 1n }, { id: 2n }, { id: 3n }] },
  ]);
});
