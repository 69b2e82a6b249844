import { expect, test } from "vitest";
import { type ExplainAnswer, type QueryAnalysis, readPlan } from "./plan-tree.ts";

const ANALYSIS: QueryAnalysis = {
  queries: [],
  reads: { rounds: 0, loaded_bytes: 0, store_bytes: 0 },
  performance: {
    cache_temperature: "hot",
    server_total_ms: 5,
    query_execution_ms: 4,
    exhaustive_search_count: 2,
    approx_namespace_size: 2,
  },
  phases: {},
  steps: [],
};

const FILTERED: ExplainAnswer = {
  plan_text: [
    "Return: id, title",
    "Limit: 10, offset 0",
    "Rank: score, descending",
    "  Sum",
    "    BM25 on title, average length 2.00: walrus (in 1)",
    "    Attribute year",
    "Filter: all of",
    "  part: year < 2000 or is null",
    "  part: not",
    '    part: some element of tags is one of "b"',
    "Scan: 2 live documents in 1 segments",
    "Work: 2 documents scanned, 6 values compared, 2 postings touched, 568 bytes returned",
    "Reads: none, all was in memory",
  ].join("\n"),
  analysis: {
    ...ANALYSIS,
    queries: [
      {
        documents_scanned: 2,
        values_compared: 6,
        postings_touched: 2,
        bytes_returned: 568,
        vectors_scored: 0,
      },
    ],
    steps: [
      { step: "planning", ms: 9.9 },
      {
        step:
          "Filter: all of; part: year < 2000 or is null; part: not; " +
          'part: some element of tags is one of "b"',
        ms: 3.3,
      },
      { step: "Return: id, title", ms: 2.6 },
      {
        step:
          "Rank: score, descending;   Sum;     " +
          "BM25 on title, average length 2.00: walrus (in 1);     Attribute year",
        ms: 1.5,
      },
    ],
  },
};

test("lines are a tree, with the times and counters that are told of them", () => {
  const { fusion, queries, further } = readPlan(FILTERED);
  expect(fusion).toEqual([]);
  expect(further).toEqual([{ step: "planning", ms: 9.9 }]);
  const [{ title, steps, work }] = queries;
  expect(title).toBeUndefined();
  expect(steps.map(({ text, ms }) => [text, ms])).toEqual([
    ["Return: id, title", 2.6],
    ["Limit: 10, offset 0", undefined],
    ["Rank: score, descending", 1.5],
    ["Filter: all of", 3.3],
    ["Scan: 2 live documents in 1 segments", undefined],
  ]);
  expect(steps[2].parts[0].parts.map(({ text }) => text)).toEqual([
    "BM25 on title, average length 2.00: walrus (in 1)",
    "Attribute year",
  ]);
  expect(steps[3].parts[1].parts[0].text).toBe('part: some element of tags is one of "b"');
  expect(steps[0].work).toEqual({ bytes_returned: 568 });
  expect(steps[4].work).toEqual({ documents_scanned: 2 });
  // The ranking may have compared values and read postings as well as the filter.
  expect(work).toEqual({ values_compared: 6, postings_touched: 2 });
});

test("beside a ranking by vectors, what was compared is the filter's", () => {
  const { queries } = readPlan({
    plan_text:
      "Return: id\nLimit: 3, offset 0\n" +
      "Rank: ANN on vector (cosine_distance), exact scan of the matches\n" +
      "Filter: year < 2000\nScan: 2 live documents in 1 segments",
    analysis: { ...ANALYSIS, queries: [{ values_compared: 2, vectors_scored: 1 }] },
  });
  expect(queries[0].steps[2].work).toEqual({ vectors_scored: 1 });
  expect(queries[0].steps[3].work).toEqual({ values_compared: 2 });
});

test("queries of one request have steps of their own; equal steps share their time", () => {
  const plan = [
    "Return: id",
    "Limit: 3, offset 0",
    "Order: id asc",
    "Scan: 2 live documents in 1 segments",
  ];
  const { fusion, queries } = readPlan({
    plan_text: [
      "Fuse: RRF, rank constant 60, weights 1, 1, limit 3",
      "Subquery 0",
      ...plan,
      "Work: 2 documents scanned",
      "Subquery 1",
      ...plan.with(2, "Order: year asc"),
      "Work: 2 documents scanned",
      "Reads: none, all was in memory",
    ].join("\n"),
    analysis: {
      ...ANALYSIS,
      queries: [{ documents_scanned: 2 }, { documents_scanned: 2 }],
      steps: [
        { step: "Return: id", ms: 1.2 },
        { step: "Order: id asc", ms: 0.7 },
      ],
    },
  });
  expect(fusion).toEqual(["Fuse: RRF, rank constant 60, weights 1, 1, limit 3"]);
  expect(queries.map(({ title }) => title)).toEqual(["Subquery 0", "Subquery 1"]);
  expect(queries.map(({ steps }) => [steps[0].ms, steps[0].isShared])).toEqual([
    [1.2, true],
    [1.2, true],
  ]);
  expect(queries.map(({ steps }) => steps[2].ms)).toEqual([0.7, undefined]);
});

test("aggregates and their groups have one time", () => {
  const { queries, further } = readPlan({
    plan_text:
      "Aggregate: n = Count\nGroup: year, at most 10000 groups\n" +
      "Scan: 2 live documents in 1 segments",
    analysis: {
      ...ANALYSIS,
      steps: [{ step: "Aggregate: n = Count; Group: year, at most 10000 groups", ms: 2 }],
    },
  });
  expect(queries[0].steps.map(({ ms }) => ms)).toEqual([2, undefined, undefined]);
  expect(further).toEqual([]);
});

test("a plan that was not run has no times", () => {
  const { queries, further } = readPlan({ plan_text: FILTERED.plan_text });
  expect(queries[0].steps.every(({ ms }) => ms === undefined)).toBe(true);
  expect(further).toEqual([]);
});
