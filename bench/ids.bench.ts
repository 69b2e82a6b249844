/**
 * What orders and ranges of ids cost in one thread over one segment, in which documents lie in no
 * order of their ids or in that order, and what it costs to merge one; longest steps, and bytes.
 *
 * Run: `node bench/ids.bench.ts [documents]`; prints the least and the median of 41 runs in
 * microseconds, each of another place, and the least of several merges and sorts.
 */

import { seededRandom } from "../src/base/random.ts";
import type { Steps } from "../src/base/steps.ts";
import { fullBitmap } from "../src/codec/bitmap.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import type { IdType } from "../src/model/attribute-type.ts";
import type { Query } from "../src/model/query.ts";
import { compareScalars, type DocumentId } from "../src/model/value.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import { ID_ORDER, planIdOrder } from "../src/segment/ids/id-order-section.ts";
import { planMerge } from "../src/segment/segment-merger.ts";
import type { OpenSegment } from "../src/segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../src/segment/segment-seal.ts";
import { filterOf } from "../test/support/queries/filter-notation.ts";
import { documentQuery, requestOf, schemaOf } from "../test/support/queries/query-fixture.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";
import { runReads } from "../test/support/segments/remote-segment.ts";
import { openBenchSpace, snapshotOf, writeSegment } from "./bench-segments.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const RUNS = 41;

const { kernels, memory } = await openBenchSpace();
const random = seededRandom(1);
const word = (): string =>
  random
    .below(2 ** 32)
    .toString(16)
    .padStart(8, "0");
const numbered = (i: number): string => `product-${String(i).padStart(8, "0")}`;
const KINDS: readonly (readonly [string, IdType, (i: number) => DocumentId])[] = [
  ["numbers in no order", "uint", (i) => BigInt((i * 7919) % COUNT)],
  ["ascending numbers", "uint", (i) => BigInt(i)],
  ["random UUIDs", "uuid", () => `${word()}-0000-4000-8000-0000${word()}`],
  ["numbered strings in no order", "string", (i) => numbered((i * 7919) % COUNT)],
];

/**
 * Runs the same steps several times. Tells how long all of them took at least, and the longest: the
 * least of each counts, since a busy machine stops any of them now and then.
 */
function timed(runs: number, make: () => Steps<unknown>): string {
  const least: number[] = [];
  let leastMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const steps = make();
    const start = performance.now();
    for (let step = 0, done = false; !done; step++) {
      const before = performance.now();
      done = steps.next().done === true;
      const ms = performance.now() - before;
      least[step] = Math.min(ms, least[step] ?? ms);
    }
    leastMs = Math.min(leastMs, performance.now() - start);
  }
  return `${leastMs.toFixed(0)} ms (longest step ${Math.max(...least).toFixed(1)})`;
}

/** As compaction does, of two segments. */
function mergeOf(view: OpenSegment, schema: ReturnType<typeof schemaOf>): Steps<unknown> {
  const half = fullBitmap(COUNT).fill(0, COUNT >> 6);
  const inputs = [half, half.map((bits) => ~bits)].map((liveBitmap) => ({ view, liveBitmap }));
  return planMerge(inputs, schema);
}

function bench(name: string, idType: IdType, idOf: (i: number) => DocumentId): void {
  const schema = schemaOf({ n: "int" }, { idType });
  const ids = Array.from({ length: COUNT }, (_, i) => idOf(i));
  const documents = ids.map((id, i) => ({ id, attributes: new Map([["n", BigInt(i)]]) }));
  const types = new Map([...schema.attributes].map(([key, { type }]) => [key, type]));
  const columns = buildDocuments(idType, types, documents);
  documents.length = 0;
  const view = writeSegment(memory, planSegment(columns, schema), "ids");
  const merges = timed(5, () => mergeOf(view, schema));
  const sorts = timed(9, () => planIdOrder(view.ids, COUNT));
  const sealed = sealSegment(view);
  const start = performance.now();
  verifySegment(sealed);
  const checkedMs = performance.now() - start;
  const bytes = view
    .sections("")
    .entries.filter(({ kind }) => ID_ORDER.sections.includes(kind))
    .reduce((sum, entry) => sum + entry.bytes, 0);
  console.log(
    `${name}: ${COUNT} merged in ${merges}, ids sorted in ${sorts}; ` +
      `checked in ${checkedMs.toFixed(0)} ms; ${bytes} bytes, ${(bytes / COUNT).toFixed(2)} an id`,
  );
  const snapshot = snapshotOf(schema, [view]);
  const time = (what: string, queryOf: (id: DocumentId) => Query): void => {
    const times: number[] = [];
    for (let i = 0; i < RUNS + 4; i++) {
      const request = requestOf(queryOf(ids[random.below(COUNT)]));
      const before = performance.now();
      runReads(runRequest(snapshot, request, { kernels }));
      if (i >= 4) times.push(1000 * (performance.now() - before));
    }
    times.sort((a, b) => a - b);
    const [least, median] = [times[0], times[RUNS >> 1]].map((us) => us.toFixed(0));
    console.log(`  ${what} | ${least} | ${median}`);
  };
  const page = (direction: "asc" | "desc", limit: number, filter?: readonly unknown[]): Query =>
    documentQuery(
      { kind: "order", keys: [{ attribute: "id", direction }] },
      { limit, filter: filter && filterOf(filter) },
    );
  const count = (filter: readonly unknown[]): Query => ({
    kind: "aggregate",
    aggregates: new Map([["count", { kind: "count" }]]),
    filter: filterOf(filter),
    groupBy: [],
    groupLimit: 1,
  });
  time("first 10", () => page("asc", 10));
  time("first 1,000", () => page("asc", 1000));
  time("page of 10 by Gt", (id) => page("asc", 10, ["id", "Gt", id]));
  time("page of 1,000 by Gt", (id) => page("asc", 1000, ["id", "Gt", id]));
  time("page of 10,000 by Gt", (id) => page("asc", 10_000, ["id", "Gt", id]));
  time("page of 10 by Lt, falling", (id) => page("desc", 10, ["id", "Lt", id]));
  time("count of Gt", (id) => count(["id", "Gt", id]));
  const sorted = [...ids].sort(compareScalars);
  const share = Math.ceil(COUNT / 1000);
  time("count of 0.1 %", () => {
    const first = random.below(COUNT - share);
    const ends = [
      ["id", "Gte", sorted[first]],
      ["id", "Lt", sorted[first + share]],
    ];
    return count(["And", ends]);
  });
}

for (const [name, idType, idOf] of KINDS) bench(name, idType, idOf);
