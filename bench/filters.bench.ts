/**
 * What counting with filters costs in one thread with sorted values and without them, in one run,
 * over one segment; what orderings cost; and what sorted values cost: bytes, and time to build.
 *
 * Run: `node bench/filters.bench.ts [documents]`; prints medians of 41 runs in microseconds.
 */

import type { SegmentId } from "../src/base/ids.ts";
import { sequenceNumber } from "../src/base/ids.ts";
import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { fullBitmap } from "../src/codec/bitmap.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import type { Query } from "../src/model/query.ts";
import type { AttributeValue } from "../src/model/value.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import type { Snapshot } from "../src/query/operator/snapshot.ts";
import { planMerge } from "../src/segment/segment-merger.ts";
import { type OpenSegment, openSegment } from "../src/segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../src/segment/segment-seal.ts";
import type { AttributeIndex } from "../src/segment/view/attribute-index.ts";
import { filterOf } from "../test/support/queries/filter-notation.ts";
import {
  documentQuery,
  KERNELS,
  requestOf,
  schemaOf,
} from "../test/support/queries/query-fixture.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";
import { runReads } from "../test/support/segments/remote-segment.ts";
import { sortedIndexes } from "../test/support/segments/sorted-indexes.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const RUNS = 41;

const random = seededRandom(1);
const schema = schemaOf({
  tag: "int",
  ten: "int",
  n: "int",
  float: "float",
  bool: "bool",
  time: { type: "datetime" },
  word: { type: "string", glob: true },
  key: "string",
  tags: { type: "[]string", glob: true },
  marks: "[]int",
  links: "[]uint",
  flags: "[]bool",
});
const two = (n: number): string => n.toString(36).padStart(2, "0");
/** None to five of something. */
const some = <T>(draw: () => T): T[] => Array.from({ length: random.below(6) }, draw);
const documents = Array.from({ length: COUNT }, (_, i) => {
  const attributes: [string, AttributeValue][] = [
    ["tag", BigInt(random.below(100))],
    ["ten", BigInt(random.below(10))],
    ["n", BigInt(random.below(1_000_000))],
    ["float", random.next()],
    ["bool", random.below(2) === 0],
    ["time", BigInt(1_700_000_000_000 + random.below(1_000_000_000))],
    ["word", `${two(random.below(100))}${two(random.below(100))}`],
    ["key", `${two(random.below(100))}-${i}`],
    ["tags", some(() => `t${two(Math.floor(1000 * random.next() ** 3))}`)],
    ["marks", some(() => BigInt(random.below(100)))],
    ["links", some(() => BigInt(random.below(1_000_000)))],
    ["flags", some(() => random.below(2) === 0)],
  ];
  return { id: BigInt(i), attributes: new Map(attributes) };
});
const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
const columns = buildDocuments("uint", types, documents);
documents.length = 0;

interface Built {
  readonly segment: OpenSegment;
  readonly ms: number;
  readonly longestMs: number;
}

function build(plan: ReturnType<typeof planSegment>): Omit<Built, "ms" | "longestMs"> {
  const bytes = new Uint8Array(new ArrayBuffer(plan.bytes));
  runSteps(plan.writeTo(bytes));
  return { segment: openSegment("s" as SegmentId, bytes, { arena: 0, offset: 0 }) };
}

function written(indexes: readonly AttributeIndex[]): Built {
  const start = performance.now();
  const built = build(planSegment(columns, schema, indexes));
  return { ...built, ms: performance.now() - start, longestMs: 0 };
}

/** As compaction does, of two segments; with the longest of its steps. */
function merged(view: OpenSegment, indexes: readonly AttributeIndex[]): Built {
  const start = performance.now();
  const half = fullBitmap(COUNT).fill(0, COUNT >> 6);
  const inputs = [half, half.map((word) => ~word)].map((liveBitmap) => ({ view, liveBitmap }));
  const steps = planMerge(inputs, schema, indexes);
  let longestMs = 0;
  for (;;) {
    const before = performance.now();
    const next = steps.next();
    longestMs = Math.max(longestMs, performance.now() - before);
    if (next.done !== true) continue;
    return { ...build(next.value), ms: performance.now() - start, longestMs };
  }
}

function snapshotOf(view: OpenSegment): Snapshot {
  const live = { liveBitmap: fullBitmap(COUNT), liveCount: COUNT, liveVersion: 0 };
  return {
    sequence: sequenceNumber(1),
    schema,
    segments: [{ view, ...live }],
    unindexedCount: 0,
    logicalBytes: 0,
  };
}

const scanned = sortedIndexes(Number.POSITIVE_INFINITY);
const plain = written(scanned);
const sorted = written(sortedIndexes(0));
console.log(
  `${COUNT} documents: written in ${plain.ms.toFixed(0)} ms, ` +
    `with sorted values in ${sorted.ms.toFixed(0)} ms`,
);
for (const round of [1, 2, 3]) {
  const before = merged(plain.segment, scanned);
  const after = merged(sorted.segment, sortedIndexes(0));
  console.log(
    `merge ${round}: ${before.ms.toFixed(0)} → ${after.ms.toFixed(0)} ms, ` +
      `longest step ${before.longestMs.toFixed(1)} → ${after.longestMs.toFixed(1)} ms`,
  );
}
for (const { segment } of [plain, sorted]) {
  const sealed = sealSegment(segment);
  const start = performance.now();
  verifySegment(sealed);
  console.log(`checked in ${(performance.now() - start).toFixed(0)} ms`);
}
for (const name of schema.attributes.keys()) {
  const bytes = ({ entries }: { readonly entries: readonly { bytes: number }[] }): number =>
    entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const [without, all] = [plain, sorted].map(({ segment }) => bytes(segment.sections(name)));
  const each = ((all - without) / COUNT).toFixed(2);
  console.log(`${name}: ${all - without} bytes, ${each} a value, beside ${without}`);
}

const before = snapshotOf(plain.segment);
const after = snapshotOf(sorted.segment);

const counting = (filter: readonly unknown[]): Query => ({
  kind: "aggregate",
  aggregates: new Map([["count", { kind: "count" }]]),
  filter: filterOf(filter),
  groupBy: [],
  groupLimit: 1,
});

function run(snapshot: Snapshot, query: Query) {
  const start = performance.now();
  const request = requestOf(query);
  const { results, stats } = runReads(runRequest(snapshot, request, { kernels: KERNELS }));
  return { us: 1000 * (performance.now() - start), results, stats };
}

/** Counts what a filter keeps, or runs a query. */
function compare(name: string, of: readonly unknown[] | Query): void {
  const query = "kind" in of ? of : counting(of);
  const times: [number[], number[]] = [[], []];
  let shown = "";
  for (let i = 0; i < RUNS + 4; i++) {
    const pair = [run(before, query), run(after, query)] as const;
    if (i < 4) continue;
    pair.forEach(({ us }, which) => {
      times[which].push(us);
    });
    const texts = pair.map(({ results }) => JSON.stringify(results, (_, v) => String(v)));
    if (texts[0] !== texts[1]) throw new Error(`${name}: ${texts.join(" is not ")}`);
    const { entriesTouched, valuesCompared } = pair[1].stats;
    shown = `${entriesTouched} entries, ${valuesCompared} values`;
  }
  const [a, b] = times.map((list) => list.sort((x, y) => x - y)[RUNS >> 1]);
  console.log(`${name} | ${a.toFixed(0)} → ${b.toFixed(0)} | ${shown}`);
}

const ordered = (attribute: string, direction: "asc" | "desc", filter?: readonly unknown[]) =>
  documentQuery(
    { kind: "order", keys: [{ attribute, direction }] },
    { limit: 10, filter: filter && filterOf(filter) },
  );

const list = (length: number, below: number): number[] =>
  Array.from({ length }, () => random.below(below));
compare("tag Eq, 1 %", ["tag", "Eq", 7]);
compare("tag Lt, 10 %", ["tag", "Lt", 10]);
compare("tag Lt, 50 %", ["tag", "Lt", 50]);
compare("tag Gte, 95 %", ["tag", "Gte", 5]);
compare("ten Eq, 10 %", ["ten", "Eq", 7]);
compare("n Eq", ["n", "Eq", 7]);
compare("n Lt, 1 %", ["n", "Lt", 10_000]);
compare("n Lt, 10 %", ["n", "Lt", 100_000]);
compare("n Lt, 50 %", ["n", "Lt", 500_000]);
compare("float Gt, 44 %", ["float", "Gt", 0.56]);
compare("time Gte, 30 %", ["time", "Gte", new Date(1_700_700_000_000).toISOString()]);
compare("bool Eq", ["bool", "Eq", true]);
compare("n In 100", ["n", "In", list(100, 1_000_000)]);
compare("n In 1000", ["n", "In", list(1000, 1_000_000)]);
compare("tag In 5", ["tag", "In", [3, 14, 15, 92, 65]]);
compare("word Eq", ["word", "Eq", "0a0b"]);
compare("word In 100", ["word", "In", list(100, 100).map((n) => `0a${two(n)}`)]);
compare("word Glob 0a*, 1 %", ["word", "Glob", "0a*"]);
compare("word Glob 0a*b, 1 %", ["word", "Glob", "0a*b"]);
compare("key Eq", ["key", "Eq", "0a-7"]);
compare("key Gte, 50 %", ["key", "Gte", "1e"]);
compare("tags Contains, 27 %", ["tags", "Contains", "t00"]);
compare("tags Contains, .1 %", ["tags", "Contains", "tre"]);
compare("tags NotContains, 99.9 %", ["tags", "NotContains", "tre"]);
compare("tags ContainsAny of 10", ["tags", "ContainsAny", list(10, 1000).map((n) => `t${two(n)}`)]);
compare("tags Glob t1*", ["tags", "Glob", "t1*"]);
compare("tags Glob *a", ["tags", "Glob", "*a"]);
compare("marks Contains, 2.5 %", ["marks", "Contains", 7]);
compare("marks ContainsAny of 5", ["marks", "ContainsAny", [3, 14, 15, 92, 65]]);
compare("marks AnyLt, 20 %", ["marks", "AnyLt", 10]);
compare("marks AnyGte, 77 %", ["marks", "AnyGte", 5]);
compare("links Contains", ["links", "Contains", 7]);
compare("links ContainsAny of 100", ["links", "ContainsAny", list(100, 1_000_000)]);
compare("links AnyLt, 1 %", ["links", "AnyLt", 4000]);
compare("links AnyLt, 64 %", ["links", "AnyLt", 500_000]);
compare("flags Contains", ["flags", "Contains", true]);
compare("And of tags and marks", [
  "And",
  [
    ["tags", "Contains", "t00"],
    ["marks", "Contains", 7],
  ],
]);
compare("And of two", [
  "And",
  [
    ["tag", "Lt", 10],
    ["n", "Lt", 500_000],
  ],
]);
compare("Or of two", [
  "Or",
  [
    ["tag", "Lt", 10],
    ["n", "Lt", 500_000],
  ],
]);
compare("Not", ["Not", ["tag", "Lt", 10]]);
compare("order by n asc", ordered("n", "asc"));
compare("order by n desc", ordered("n", "desc"));
compare("order by key asc", ordered("key", "asc"));
compare("order by tag asc", ordered("tag", "asc"));
compare("order by n, tag Lt 10", ordered("n", "asc", ["tag", "Lt", 10]));
compare("order by n, tag Eq 7", ordered("n", "asc", ["tag", "Eq", 7]));
for (const last of [1000, 250_000, 500_000, 990_000]) {
  compare(`page of order by n, n Gt ${last}`, ordered("n", "asc", ["n", "Gt", last]));
}
compare("order by n, n Gte 500000, desc", ordered("n", "desc", ["n", "Lt", 500_000]));
compare("tag Eq again", ["tag", "Eq", 7]);
