/**
 * What one query costs in one thread, by kind, on documents of a keyword, two numbers, a text of 30
 * words and a vector.
 *
 * Run: `node bench/query.bench.ts [documents] [segments] [dimensions] [name]`, on its own;
 * prints microseconds, the least of several runs.
 */

import { seededRandom } from "../src/base/random.ts";
import type { TypedDocument } from "../src/codec/columns-builder.ts";
import type { Query, RankBy, ScoreExpression } from "../src/model/query.ts";
import type { QueryResult } from "../src/model/query-result.ts";
import type { AttributeValue } from "../src/model/value.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import { filterOf } from "../test/support/queries/filter-notation.ts";
import {
  BY_ID,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
  splitDocuments,
} from "../test/support/queries/query-fixture.ts";
import { runReads } from "../test/support/segments/remote-segment.ts";

const COUNT = Number(process.argv[2] ?? 100_000);
const SEGMENTS = Number(process.argv[3] ?? 4);
const DIMENSIONS = Number(process.argv[4] ?? 128);
const RUNS_MIN = 15;
/** Short queries run more often, as what is shorter is disturbed more. */
const RUNS_MS = 300;
const METRIC = { distanceMetric: "cosine_distance" } as const;

const random = seededRandom(1);
/** Words with a frequency of about 1 / rank. */
const word = (): string => `w${Math.floor(5000 ** random.next())}`;
const vector = (): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);

const schema = schemaOf(
  {
    keyword: { type: "string", glob: true, regex: true },
    int: "int",
    float: "float",
    tags: "[]string",
    text: { type: "string", filterable: false, fullTextSearch: fullText() },
    vector: { type: `[${DIMENSIONS}]f32`, ann: { ...METRIC, lateInteraction: false } },
  },
  METRIC,
);

const documents = Array.from(
  { length: COUNT },
  (_, i): TypedDocument => ({
    id: BigInt(i),
    attributes: new Map<string, AttributeValue>([
      ["keyword", `key-${random.below(1000)}`],
      ["int", BigInt(random.below(1_000_000))],
      ["float", random.next()],
      ["tags", [`t${random.below(50)}`, `t${random.below(50)}`]],
      ["text", Array.from({ length: 30 }, word).join(" ")],
      ["vector", vector()],
    ]),
  }),
);
const snapshot = openSnapshot(schema, splitDocuments(random, documents, SEGMENTS));

const bm25 = (query: string): RankBy => {
  const expression: ScoreExpression = {
    kind: "bm25",
    attribute: "text",
    query,
    lastAsPrefix: false,
  };
  return { kind: "score", expression };
};
const order = (attribute: string): RankBy => ({
  kind: "order",
  keys: [{ attribute, direction: "desc" }],
});
const near = (method: "ANN" | "kNN"): RankBy => {
  const operand = { kind: "vector", values: vector() } as const;
  return { kind: "vector", method, attribute: "vector", operand };
};
const top = (rankBy: RankBy, filter?: unknown[]): Query =>
  documentQuery(rankBy, { limit: 10, filter: filter && filterOf(filter) });
const total = (filter?: unknown[]): Query => ({
  kind: "aggregate",
  filter: filter && filterOf(filter),
  aggregates: new Map([["n", { kind: "count" }]]),
  groupBy: [],
  groupLimit: 100,
});
const group = (attribute: string): Query => ({
  kind: "aggregate",
  filter: undefined,
  aggregates: new Map([
    ["n", { kind: "count" }],
    ["s", { kind: "sum", attribute: "int" }],
  ]),
  groupBy: [{ kind: "attribute", attribute }],
  groupLimit: 100,
});

const QUERIES: Record<string, Query> = {
  "lookup by id": top(BY_ID, ["id", "Eq", 77]),
  "lookup of 20 ids": top(BY_ID, ["id", "In", Array.from({ length: 20 }, (_, i) => 3 * i)]),
  "lookup by id, filtered": top(BY_ID, [
    "And",
    [
      ["id", "Eq", 77],
      ["int", "Gte", 0],
    ],
  ]),
  "first 10 by id": top(BY_ID),
  "page of 1,000 by id": {
    ...documentQuery(BY_ID, { limit: 1000 }),
    filter: filterOf(["id", "Gt", 500]),
  },
  "order by int": top(order("int")),
  "order by string": top(order("keyword")),
  "keyword Eq": top(BY_ID, ["keyword", "Eq", "key-5"]),
  "int range": top(BY_ID, ["int", "Gt", 500_000]),
  "tags ContainsAny": top(BY_ID, ["tags", "ContainsAny", ["t1", "t2"]]),
  "keyword Glob": top(BY_ID, ["keyword", "Glob", "*-1*9"]),
  "keyword Regex": top(BY_ID, ["keyword", "Regex", "1.*9$"]),
  "BM25, one rare term": top(bm25("w3000")),
  "BM25, three terms": top(bm25("w5 w100 w2000")),
  "BM25 with int range": top(bm25("w5 w100 w2000"), ["int", "Gt", 500_000]),
  "token sequence": top(BY_ID, ["text", "ContainsTokenSequence", "w3 w40"]),
  "ANN, all vectors": top(near("ANN")),
  "kNN, 1 in 1,000": top(near("kNN"), ["keyword", "Eq", "key-5"]),
  count: total(),
  "count, keyword Eq": total(["keyword", "Eq", "key-5"]),
  "count, int range": total(["int", "Gt", 500_000]),
  "group by keyword": group("keyword"),
  "group by int": group("int"),
};

function measure(query: Query): { us: number; result: QueryResult } {
  let least = Number.POSITIVE_INFINITY;
  let result: QueryResult | undefined;
  const end = performance.now() + RUNS_MS;
  for (let run = 0; run < RUNS_MIN || performance.now() < end; run++) {
    const start = performance.now();
    [result] = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS })).results;
    least = Math.min(least, performance.now() - start);
  }
  if (result === undefined) throw new Error("no run");
  return { us: least * 1000, result };
}

console.log(`${COUNT} documents in ${SEGMENTS} segments, ${DIMENSIONS} dimensions`);
for (const [name, query] of Object.entries(QUERIES)) {
  if (!name.includes(process.argv[5] ?? "")) continue;
  const { us, result } = measure(query);
  const count = result.kind === "documents" ? result.documents.length : "";
  console.log(`${name.padEnd(24)} ${us.toFixed(1).padStart(10)} us   ${count}`);
}
