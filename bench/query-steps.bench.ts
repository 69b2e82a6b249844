/**
 * The longest steps of queries that take long, by kind: reading the body, running, and writing the
 * answer, over documents of a text of 30 words, a tag, a number and a vector. A step is what a
 * query thread does before it looks whether others wait (`docs/adr/0018-queries-in-slices.md`).
 *
 * Run: `node bench/query-steps.bench.ts [documents] [segments] [kind]`, on its own. Steps are the
 * same in every run, so each one's time is the least of several runs: what others do on the machine
 * and the collection of garbage are not in it. Prints milliseconds.
 */

import { seededRandom } from "../src/base/random.ts";
import type { TypedDocument } from "../src/codec/columns-builder.ts";
import type { QueryResult } from "../src/model/query-result.ts";
import type { AttributeValue } from "../src/model/value.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import type { ReadingSteps } from "../src/segment/format/reading-steps.ts";
import { encodeQueryAnswer, type QueryAnswer } from "../src/wire/answers/query-answer.ts";
import { parseQueryBody } from "../src/wire/query/parse-query.ts";
import {
  fullText,
  KERNELS,
  openSnapshot,
  schemaOf,
  splitDocuments,
} from "../test/support/queries/query-fixture.ts";

const COUNT = Number(process.argv[2] ?? 100_000);
const SEGMENTS = Number(process.argv[3] ?? 2);
const ONLY = process.argv[4];
const RUNS = 5;
const LONGEST = 4;
const DIMENSIONS = 64;
const WORDS = "river stone light winter garden letter window paper silver ocean".split(" ");
const METRIC = { distanceMetric: "cosine_distance" } as const;

const random = seededRandom(1);
const text = (i: number): string =>
  Array.from({ length: 30 }, (_, k) => WORDS[(i * 7 + k * k + (i >> 5) * k) % 10]).join(" ");
const vector = (): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);

const schema = schemaOf(
  {
    text: { type: "string", fullTextSearch: fullText(), regex: true, fuzzy: true },
    tag: "string",
    n: "int",
    vector: { type: `[${DIMENSIONS}]f32`, ann: { ...METRIC, lateInteraction: false } },
  },
  METRIC,
);
const documents = Array.from({ length: COUNT }, (_, i): TypedDocument => {
  const attributes = new Map<string, AttributeValue>([
    ["text", `${text(i)} ${i}`],
    ["tag", `tag ${(i * 31) % 5000}`],
    ["n", BigInt(i % 97)],
    ["vector", vector()],
  ]);
  return { id: BigInt(i), attributes };
});
const snapshot = openSnapshot(schema, splitDocuments(random, documents, SEGMENTS));

const many = Array.from({ length: 200_000 }, (_, i) => `value ${i}`);
const multi = (query: object) => ({ queries: Array.from({ length: 16 }, () => query) });
const byId = { rank_by: ["id", "asc"], limit: 10 };
const all = { limit: 10_000, include_attributes: true };
const EDITS = { max_edit_distance: [{ min_query_chars: 9, distance: 2 }] };
const KINDS: Readonly<Record<string, object>> = {
  fuzzy: { ...byId, filters: ["text", "Fuzzy", "gardem windov papre", EDITS] },
  regex: { ...byId, filters: ["text", "Regex", "(river|stone) .*x$"] },
  phrase: { ...byId, filters: ["text", "ContainsTokenSequence", "ocean river garden"] },
  groups: { aggregate_by: { count: ["Count"] }, group_by: ["tag", "n"], limit: 10_000 },
  texts: { aggregate_by: { sum: ["Sum", "n"] }, group_by: ["text"], limit: 10_000 },
  exact: multi({
    rank_by: ["vector", "kNN", [...vector()]],
    filters: ["n", "Gte", 0],
    limit: 100,
  }),
  ann: { rank_by: ["vector", "ANN", [...vector()]], limit: 10_000 },
  bm25: multi({ rank_by: ["text", "BM25", WORDS.join(" ")], limit: 100 }),
  large: { rank_by: ["n", "desc"], ...all },
  fused: {
    queries: [
      { rank_by: ["n", "desc"], ...all },
      { rank_by: ["text", "BM25", "river"], ...all },
    ],
    rerank_by: ["RRF"],
    limit: 10_000,
  },
  highlights: {
    rank_by: ["text", "BM25", "river garden"],
    limit: 10_000,
    compute_attributes: { h: ["Highlight", "text", {}] },
  },
  per: {
    rank_by: ["n", "desc"],
    limit: { total: 10_000, per: { attributes: ["tag"], limit: 2 } },
    include_attributes: ["tag"],
  },
  strings: { ...byId, filters: ["tag", "In", many] },
  integers: { ...byId, filters: ["n", "In", many.map((_, i) => i + 50)] },
  ids: { ...byId, filters: ["id", "In", many.map((_, i) => i)] },
  filters: { ...byId, filters: ["Or", many.slice(0, 3000).map((tag) => ["tag", "Eq", tag])] },
};

/** Runs steps to their end, and lowers `least` to what each has taken. */
function timed<T>(steps: ReadingSteps<T>, least: number[]): T {
  for (let i = 0; ; i++) {
    const start = performance.now();
    const next = steps.next();
    const ms = performance.now() - start;
    least[i] = Math.min(least[i] ?? ms, ms);
    if (next.done === true) return next.value;
  }
}

function line(name: string, phase: string, least: readonly number[]): string {
  const total = least.reduce((sum, ms) => sum + ms, 0);
  const longest = [...least.entries()].sort(([, a], [, b]) => b - a).slice(0, LONGEST);
  const shown = longest.map(([step, ms]) => `${ms.toFixed(2)} (${step})`).join("  ");
  const counts = `${total.toFixed(1).padStart(8)} ms in ${String(least.length).padStart(5)} steps`;
  return `${name.padEnd(10)} ${phase.padEnd(7)} ${counts}, longest ${shown}`;
}

console.log(`${COUNT} documents in ${SEGMENTS} segments; longest steps with their numbers`);
for (const [name, query] of Object.entries(KINDS)) {
  if (ONLY !== undefined && name !== ONLY) continue;
  const body = Buffer.from(JSON.stringify(query));
  const least = { read: [] as number[], run: [] as number[], write: [] as number[] };
  let found = "";
  for (let run = 0; run < RUNS; run++) {
    const request = timed(parseQueryBody(body), least.read);
    const outcome = timed(runRequest(snapshot, request, { kernels: KERNELS }), least.run);
    const answer = answerOf(outcome.results);
    const pieces = timed(encodeQueryAnswer(answer), least.write);
    found = `${pieces.reduce((bytes, { length }) => bytes + length, 0)} bytes`;
  }
  for (const phase of ["read", "run", "write"] as const) {
    console.log(line(name, phase, least[phase]));
  }
  console.log(`${"".padEnd(10)} ${found}`);
}

function answerOf(results: readonly QueryResult[]): QueryAnswer {
  return {
    kind: "multi",
    results,
    vectorEncoding: "float",
    billing: { bytesQueried: 0, bytesReturned: 0 },
    performance: () => ({
      cacheHitRatio: 1,
      cacheTemperature: "hot",
      serverTotalMs: 1,
      executionMs: 1,
      exhaustiveCount: 0,
      namespaceDocumentCount: COUNT,
      lastIncludedWriteAtMs: undefined,
      embedding: undefined,
    }),
  };
}
