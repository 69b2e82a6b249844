import { describe, expect, test } from "vitest";
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
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { runSteps } from "../../base/steps.ts";
import type { DocumentQuery, Query, RankBy, ScoreExpression } from "../../model/query.ts";
import type { ResultDocument } from "../../model/query-result.ts";
import { bindFilter } from "../bind/bind-filter.ts";
import { PatternBudget } from "../bind/pattern-budget.ts";
import type { PatternNode } from "../filter/pattern/pattern.ts";
import { testBytes } from "../filter/pattern/string-test.ts";
import { QueryMemory } from "../operator/query-memory.ts";
import type { QueryOptions } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { explainRequest, runRequest } from "./run-request.ts";

const OPTIONS: QueryOptions = { kernels: KERNELS };

function documents(snapshot: Snapshot, query: Query): readonly ResultDocument[] {
  const [result] = runReads(runRequest(snapshot, requestOf(query), OPTIONS)).results;
  if (result.kind !== "documents") throw new Error("no documents");
  return result.documents;
}

const ids = (snapshot: Snapshot, rankBy: RankBy, rest?: Partial<DocumentQuery>): number[] =>
  documents(snapshot, documentQuery(rankBy, rest)).map(({ id }) => Number(id));

const score = (expression: ScoreExpression): RankBy => ({ kind: "score", expression });

const bm25 = (attribute: string, query: string, lastAsPrefix = false): ScoreExpression => ({
  kind: "bm25",
  attribute,
  query,
  lastAsPrefix,
});

const attribute = (name: string): ScoreExpression => ({ kind: "attribute", attribute: name });

const FISH = [
  documentOf(1n, { text: "fish fish swim" }),
  documentOf(2n, { text: "fish tank water deep blue" }),
  documentOf(3n, { text: "swim swim fish" }),
];
const TEXT = schemaOf({ text: { type: "string", filterable: false, fullTextSearch: fullText() } });

describe("BM25", () => {
  test("scores are those of the reference service, and the same bits in every split", () => {
    const deleted = [documentOf(4n, { text: "fish" }), documentOf(1n, { text: "fish tank" })];
    const [first, ...others] = [
      openSnapshot(TEXT, [{ documents: FISH }]),
      openSnapshot(
        TEXT,
        FISH.map((document) => ({ documents: [document] })),
      ),
      openSnapshot(TEXT, [{ documents: FISH.slice(1), deleted }, { documents: FISH.slice(0, 1) }]),
    ].map((snapshot) => documents(snapshot, documentQuery(score(bm25("text", "fish")))));
    expect(first.map(({ id }) => id)).toEqual([1n, 3n, 2n]);
    const published = [0.19350067, 0.14426166, 0.11623961].map(Math.fround);
    expect(first.map(({ dist }) => dist)).toEqual(published);
    for (const other of others) expect(other).toEqual(first);
  });

  test("a prefix as last token adds one", () => {
    const snapshot = openSnapshot(TEXT, [{ documents: FISH }]);
    const found = documents(snapshot, documentQuery(score(bm25("text", "wat", true))));
    expect(found.map(({ id, dist }) => [id, dist])).toEqual([[2n, 1]]);
    expect(ids(snapshot, score(bm25("text", "wat")))).toEqual([]);
  });

  test("needs full text and the right kind of operand", () => {
    const schema = schemaOf({
      tokens: { type: "[]string", fullTextSearch: fullText({ tokenizer: "pre_tokenized_array" }) },
      plain: "string",
    });
    const snapshot = openSnapshot(schema, []);
    const run = (expression: ScoreExpression) => () =>
      documents(snapshot, documentQuery(score(expression)));
    expect(run(bm25("plain", "x"))).toThrow("BM25 needs `full_text_search`");
    expect(run(bm25("plane", "x"))).toThrow('the nearest is "plain"');
    expect(run(bm25("tokens", "x"))).toThrow(
      "💔 invalid input 'x' for rank_by field \"tokens\", expecting []string",
    );
  });
});

describe("score arithmetic", () => {
  const schema = schemaOf({
    u: "uint",
    i: "int",
    f: "float",
    at: "datetime",
    ok: "bool",
    s: { type: "{}f16", filterable: false },
  });
  const day = 86_400_000n;
  const docs = [
    documentOf(1n, { u: 4n, i: -3n, at: 0n }),
    documentOf(2n, { u: 0n, i: 5n, at: 7n * day }),
    documentOf(3n, { f: 2.5, s: { names: ["a", "b"], weights: Float32Array.of(2, -1) } }),
  ];
  const snapshot = openSnapshot(schema, [
    { documents: docs.slice(0, 2) },
    { documents: docs.slice(2) },
  ]);
  const scores = (expression: ScoreExpression) =>
    documents(snapshot, documentQuery(score(expression))).map(({ id, dist }) => [Number(id), dist]);
  const floor = (clause: ScoreExpression, least = 0): ScoreExpression => ({
    kind: "floor",
    floor: least,
    clause,
  });
  const dist = (name: string, origin: bigint | string): ScoreExpression => ({
    kind: "dist",
    attribute: name,
    origin,
  });

  test("documents with score zero and without the attribute are left out", () => {
    expect(scores(attribute("u"))).toEqual([[1, 4]]);
    expect(scores(floor(attribute("i")))).toEqual([[2, 5]]);
  });

  test("a floor raises scores and adds no documents", () => {
    expect(scores(floor(attribute("i"), 1))).toEqual([
      [2, 5],
      [1, 1],
    ]);
  });

  test("sums, maxima and products take what is present", () => {
    const clauses = [attribute("u"), floor(attribute("i"), 1), floor(attribute("f"))];
    expect(scores({ kind: "sum", clauses })).toEqual([
      [1, 5],
      [2, 5],
      [3, 2.5],
    ]);
    expect(scores({ kind: "max", clauses })).toEqual([
      [2, 5],
      [1, 4],
      [3, 2.5],
    ]);
    expect(scores({ kind: "product", weight: 2, clause: attribute("u") })).toEqual([[1, 8]]);
    expect(scores({ kind: "product", weight: 0, clause: attribute("u") })).toEqual([]);
  });

  test("distances rank the farthest first", () => {
    expect(scores(dist("i", 5n))).toEqual([[1, 8]]);
    expect(scores(dist("at", "1970-01-03"))).toEqual([
      [2, 5 * 86_400_000],
      [1, 2 * 86_400_000],
    ]);
  });

  test("saturation clamps at zero, decay falls from one", () => {
    const curve = { midpoint: 4n, exponent: 1 };
    expect(scores({ kind: "saturate", clause: attribute("u"), ...curve })).toEqual([[1, 0.5]]);
    expect(scores({ kind: "saturate", clause: attribute("i"), ...curve })).toEqual([
      [2, Math.fround(5 / 9)],
    ]);
    const clause = dist("at", "1970-01-01");
    expect(scores({ kind: "decay", clause, midpoint: "1w", exponent: 2 })).toEqual([
      [1, 1],
      [2, 0.5],
    ]);
  });

  test("filters score one, sparse vectors their dot product", () => {
    const filter = filterOf(["u", "Lte", 0]);
    expect(scores({ kind: "filter", filter })).toEqual([
      [2, 1],
      [3, 1],
    ]);
    const entries = new Map([
      ["a", 3],
      ["b", 1],
      ["c", 9],
    ]);
    expect(scores({ kind: "sparse", attribute: "s", entries })).toEqual([[3, 5]]);
    expect(scores({ kind: "sparse", attribute: "s", entries: new Map([["c", 1]]) })).toEqual([]);
  });

  test.each<[ScoreExpression, string]>([
    [attribute("i"), "values of type int may be negative"],
    [{ kind: "product", weight: 1, clause: attribute("f") }, "may be negative"],
    [{ kind: "sum", clauses: [attribute("i")] }, "may be negative"],
    [attribute("ok"), "needs an int, uint, float or datetime attribute, not bool"],
    [dist("i", "x"), "Dist expects an origin of type int, but got 'x'"],
    [{ kind: "dist", attribute: "i", origin: 5.5 }, "but got '5.5'"],
    [{ kind: "saturate", clause: attribute("u"), midpoint: 0n, exponent: 1 }, "greater than 0"],
    [
      { kind: "decay", clause: attribute("u"), midpoint: "7d", exponent: 1 },
      "needs a Dist of a dat",
    ],
    [{ kind: "decay", clause: dist("at", "1970-01-01"), midpoint: "7y", exponent: 1 }, "units ms"],
    [
      { kind: "sparse", attribute: "u", entries: new Map() },
      "SparseKNN needs type {}f16, not uint",
    ],
  ])("refusal %#", (expression, message) => {
    expect(() => scores(expression)).toThrow(message);
  });
});

describe("stats", () => {
  test("count logical bytes as the contract's examples do", () => {
    const ann = { distanceMetric: "euclidean_squared", lateInteraction: false } as const;
    const schema = schemaOf(
      { vector: { type: "[2]f32", ann }, name: "string" },
      { distanceMetric: "euclidean_squared" },
    );
    const vector = Float32Array.of(1, 2);
    const docs = [1n, 2n, 3n, 4n, 5n].map((id) => documentOf(id, { vector, name: "hello" }));
    const snapshot = openSnapshot(schema, [{ documents: docs }]);
    const operand = { kind: "vector", values: vector } as const;
    const rankBy = { kind: "vector", method: "ANN", attribute: "vector", operand } as const;
    const run = (rest: Partial<DocumentQuery>) =>
      runReads(runRequest(snapshot, requestOf(documentQuery(rankBy, rest)), OPTIONS)).stats;
    expect(run({ limit: 2 }).bytesReturned).toBe(24);
    // 5 × (8 + 4 + 8) vectors with id and distance, and one string more each.
    expect(run({ selection: { kind: "include", names: new Set(["vector"]) } }).bytesReturned).toBe(
      100,
    );
    expect(run({ selection: { kind: "all" } })).toEqual({
      bytesReturned: 125,
      blocksSkipped: 0,
      documentsScanned: 5,
      valuesCompared: 0,
      stringsTested: 0,
      textsAnalyzed: 0,
      positionsRead: 0,
      entriesTouched: 0,
      vectorsScored: 5,
      clustersProbed: 0,
      codesScanned: 0,
      candidatesReranked: 0,
      candidatesSkipped: 0,
      postingsTouched: 0,
      exhaustiveCount: 5,
    });
  });

  test("are those of all subqueries, each of which is counted by itself", () => {
    const snapshot = openSnapshot(TEXT, [{ documents: FISH }]);
    const queries = ["swim", "fish", "tank"].map((text) =>
      documentQuery(score(bm25("text", text)), { limit: 1 }),
    );
    const { stats, works } = runReads(runRequest(snapshot, requestOf(...queries), OPTIONS));
    expect(works.map(({ postingsTouched }) => postingsTouched)).toEqual([2, 3, 1]);
    expect(works.map(({ bytesReturned }) => bytesReturned)).toEqual([12, 12, 12]);
    expect(stats).toMatchObject({ postingsTouched: 6, bytesReturned: 36, exhaustiveCount: 3 });
  });
});

describe("indexes that are being built", () => {
  test("refuse the query with progress and a time to come back", () => {
    const snapshot = openSnapshot(TEXT, [{ documents: FISH }]);
    const options: QueryOptions = {
      kernels: KERNELS,
      indexState: (name, index) =>
        name === "text" && index === "full_text_search"
          ? { documentsDone: 1, documentsTotal: 3, retryAfterMs: 500 }
          : undefined,
    };
    const request = requestOf(documentQuery(score(bm25("text", "fish"))));
    expect(() => runReads(runRequest(snapshot, request, options))).toThrow(
      expect.objectContaining({ code: "building", retryAfterMs: 500 }),
    );
    expect(() =>
      runReads(runRequest(snapshot, requestOf(documentQuery(BY_ID)), options)),
    ).not.toThrow();
  });
});

describe("multi-queries", () => {
  test("fuse rankings by reciprocal ranks", () => {
    const snapshot = openSnapshot(TEXT, [{ documents: FISH }]);
    const request = requestOf(
      documentQuery(score(bm25("text", "swim"))),
      documentQuery(score(bm25("text", "tank"))),
    );
    const fusion = { rankConstant: 10, weights: [2, 1], limit: 2, offset: 0 };
    const { results } = runReads(runRequest(snapshot, { ...request, fusion }, OPTIONS));
    expect(results).toEqual([
      {
        kind: "documents",
        documents: [
          { id: 3n, dist: Math.fround(2 / 11), attributes: [], computed: [] },
          { id: 1n, dist: Math.fround(2 / 12), attributes: [], computed: [] },
        ],
      },
    ]);
  });

  test("explain themselves", () => {
    const snapshot = openSnapshot(TEXT, [{ documents: FISH }]);
    const aggregate: Query = {
      kind: "aggregate",
      filter: filterOf(["id", "Gt", 1]),
      aggregates: new Map([["n", { kind: "count" }]]),
      groupBy: [],
      groupLimit: 10,
    };
    const request = requestOf(documentQuery(score(bm25("text", "fish swim"))), aggregate);
    expect(runReads(explainRequest(snapshot, request, OPTIONS))).toBe(
      [
        "Subquery 0",
        "Return: id",
        "Limit: 10000, offset 0",
        "Rank: score, descending",
        "  BM25 on text, average length 3.67: fish (in 3), swim (in 2)",
        "Scan: 3 live documents in 1 segments",
        "Subquery 1",
        "Aggregate: n = Count",
        "Filter: id > 1",
        "Scan: 3 live documents in 1 segments",
      ].join("\n"),
    );
  });
});

test("what patterns match of a dictionary is counted before it is known", () => {
  const schema = schemaOf({ tag: { type: "string", glob: true } });
  const documents = Array.from({ length: 3000 }, (_, i) =>
    documentOf(BigInt(i), { tag: `tag ${i % 1000}` }),
  );
  const snapshot = openSnapshot(schema, [{ documents }]);
  const patterns = (count: number) =>
    requestOf(
      documentQuery(BY_ID, {
        filter: filterOf(["Or", Array.from({ length: count }, () => ["tag", "Glob", "*9"])]),
      }),
    );
  const run = (count: number, bytesMax: number): number => {
    const memory = new QueryMemory(new MemoryPool(bytesMax));
    runReads(runRequest(snapshot, patterns(count), { ...OPTIONS, memory }));
    return memory.bytes;
  };
  const bind = bindFilter(
    {
      kind: "condition",
      attribute: "tag",
      operator: "Glob",
      operand: { kind: "value", value: "*9" },
    },
    { schema, purpose: "query", requireIndex: () => undefined, patterns: new PatternBudget() },
  );
  const compiled = testBytes((runSteps(bind) as PatternNode).test);
  expect(run(2, 1 << 20) - run(1, 1 << 20)).toBe(compiled + 1000);
  expect(() => run(200, 200 * compiled + 100_000)).toThrow(
    /more memory .* at last for what patterns match/,
  );
});
