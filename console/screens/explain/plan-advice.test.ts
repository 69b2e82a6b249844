import { expect, test } from "vitest";
import { readRequestSchema } from "../../query/request-schema.ts";
import { planAdvice } from "./plan-advice.ts";
import type { QueryAnalysis } from "./plan-tree.ts";

const SCHEMA = readRequestSchema({
  title: { type: "string", full_text_search: { tokenizer: "word_v3" } },
  name: { type: "string", filterable: true },
  code: { type: "string", filterable: true, glob: true },
  year: { type: "int", filterable: true },
  vector: { type: "[2]f32", ann: { distance_metric: "cosine_distance" } },
});

interface Told {
  readonly work?: Record<string, number>;
  readonly fresh?: number;
  readonly phases?: Record<string, number>;
  readonly rounds?: number;
  readonly status?: "up-to-date" | "updating";
}

function advice(plan_text: string, told: Told = {}): string[] {
  const { work = {}, fresh = 0, phases = {}, rounds = 0, status } = told;
  const analysis: QueryAnalysis = {
    queries: [work],
    reads: { rounds, loaded_bytes: rounds * 100, store_bytes: 0 },
    performance: {
      cache_temperature: "hot",
      server_total_ms: 5,
      query_execution_ms: 4,
      exhaustive_search_count: fresh,
      approx_namespace_size: 5000,
    },
    phases,
    steps: [],
  };
  return planAdvice({ answer: { plan_text, analysis }, schema: SCHEMA, indexStatus: status });
}

const SCAN = "Scan: 5000 live documents in 1 segments";

test("where nothing stands out nothing is said", () => {
  expect(advice(`Return: id\nLimit: 3, offset 0\nOrder: id asc\n${SCAN}`)).toEqual([]);
  expect(
    planAdvice({ answer: { plan_text: SCAN }, schema: SCHEMA, indexStatus: undefined }),
  ).toEqual([]);
});

test("documents of the log are told, and whether they will be indexed", () => {
  const plan = `Rank: ANN on vector (cosine_distance), exact scan of all vectors\n${SCAN}`;
  expect(advice(plan, { fresh: 1200, status: "updating" })).toEqual([
    expect.stringMatching(/^1,200 of 5,000 documents.*one by one.*The indexer is at them/),
  ]);
  expect(advice(SCAN, { fresh: 2, status: "up-to-date" })).toEqual([
    expect.stringMatching(/nothing has to be done\.$/),
  ]);
});

test("words that nothing has are told, and those that most documents have", () => {
  const line =
    "  BM25 on title, average length 2.00: walrus (in 3), the (in 4900), xyzzy (in 0), sea*";
  expect(advice(`Rank: score, descending\n${line}\n${SCAN}`)).toEqual([
    expect.stringMatching(/^"the" is in title of 4,900 of 5,000 documents/),
    'No document has "xyzzy" in title: it finds nothing.',
  ]);
});

test("patterns on an attribute without trigrams are advised one, others are not", () => {
  const work = { strings_tested: 4000, documents_scanned: 5000 };
  expect(advice(`Filter: name matches Glob "*x*"\n${SCAN}`, { work })).toEqual([
    expect.stringMatching(/4,000 strings\. With "glob": true in the schema of name/),
  ]);
  expect(advice(`Filter: code matches Glob "*x*"\n${SCAN}`, { work })).toEqual([]);
  expect(
    advice(`Filter: name matches Glob "*x*"\n${SCAN}`, { work: { ...work, strings_tested: 9 } }),
  ).toEqual([]);
});

test("values that were compared one by one are told", () => {
  const work = { documents_scanned: 5000, values_compared: 5000 };
  expect(advice(`Filter: year < 2000\n${SCAN}`, { work })).toEqual([
    expect.stringMatching(/^The filter compared 5,000 values one by one/),
  ]);
  expect(
    advice(`Filter: year < 2000\n${SCAN}`, { work: { ...work, values_compared: 10 } }),
  ).toEqual([]);
});

test("an aggregate over everything is told", () => {
  expect(advice(`Aggregate: n = Count\n${SCAN}`, { work: { documents_scanned: 5000 } })).toEqual([
    "There is no filter: all 5,000 documents were counted.",
  ]);
});

test("exact searches over an attribute with an index are told", () => {
  const rank = "Rank: kNN on vector (cosine_distance), exact scan of the matches";
  const plan = `${rank}\nFilter: year < 1\n${SCAN}`;
  expect(advice(plan, { work: { vectors_scored: 4000 } })).toEqual([
    expect.stringMatching(/^kNN looked at 4,000 vectors/),
  ]);
  expect(advice(plan, { work: { vectors_scored: 40 } })).toEqual([]);
});

test("vectors in the answer, reads and waits are told", () => {
  expect(advice(`Return: id, vector, title\n${SCAN}`, { work: { bytes_returned: 800 } })).toEqual([
    expect.stringMatching(/vectors among them \(vector\)/),
  ]);
  expect(advice(SCAN, { rounds: 3 })).toEqual([
    expect.stringMatching(/waited 3 times.*300 in all/),
  ]);
  expect(advice(SCAN, { phases: { queue_ms: 40, wait_ms: 20, search_ms: 10 } })).toEqual([
    expect.stringMatching(/^60 of 70 ms were waiting/),
  ]);
  expect(advice(SCAN, { phases: { embed_ms: 40, search_ms: 10 } })).toEqual([
    expect.stringMatching(/^40 of 50 ms the model took/),
  ]);
});
