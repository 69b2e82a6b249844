/**
 * What counts and sums cost in one thread, in total and by group, over one segment.
 *
 * Run: `node bench/aggregate.bench.ts [documents]`; prints medians of 15 runs in milliseconds, and
 * the longest step between two pauses of any run.
 */

import type { SegmentId } from "../src/base/ids.ts";
import { sequenceNumber } from "../src/base/ids.ts";
import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { fullBitmap } from "../src/codec/bitmap.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import type { Aggregate, GroupKey, Query } from "../src/model/query.ts";
import type { AttributeValue } from "../src/model/value.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import type { Snapshot } from "../src/query/operator/snapshot.ts";
import { openSegment } from "../src/segment/segment-reader.ts";
import { filterOf } from "../test/support/queries/filter-notation.ts";
import { KERNELS, requestOf, schemaOf } from "../test/support/queries/query-fixture.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const RUNS = 15;

const random = seededRandom(1);
const schema = schemaOf({
  ten: "int",
  thousand: "int",
  number: "int",
  city: "string",
  hundred: "string",
  flag: "bool",
  price: "float",
  big: "uint",
  tags: "[]string",
});
const name = (n: number): string => `city ${n.toString(36).padStart(4, "0")}`;
const documents = Array.from({ length: COUNT }, (_, i) => {
  const attributes: [string, AttributeValue][] = [
    ["ten", BigInt(random.below(10))],
    ["thousand", BigInt(random.below(1_000))],
    ["number", BigInt(random.below(1_000_000))],
    ["city", name(random.below(1_000))],
    ["flag", random.below(2) === 0],
    ["hundred", name(i % 100)],
    ["price", random.below(100_000) / 100],
    ["big", BigInt(random.below(2 ** 31)) << 20n],
    ["tags", Array.from({ length: random.below(6) }, () => name(random.below(1_000)))],
  ];
  return { id: BigInt(i), attributes: new Map(attributes) };
});
const types = new Map([...schema.attributes].map(([attribute, { type }]) => [attribute, type]));
const plan = planSegment(buildDocuments("uint", types, documents), schema);
documents.length = 0;
const bytes = new Uint8Array(new ArrayBuffer(plan.bytes));
runSteps(plan.writeTo(bytes));
const live = { liveBitmap: fullBitmap(COUNT), liveCount: COUNT, liveVersion: 0 };
const snapshot: Snapshot = {
  sequence: sequenceNumber(1),
  schema,
  segments: [{ view: openSegment("s" as SegmentId, bytes, { arena: 0, offset: 0 }), ...live }],
  unindexedCount: 0,
  logicalBytes: 0,
};

function measure(
  shown: string,
  aggregates: Readonly<Record<string, Aggregate>>,
  groupBy: readonly GroupKey[] = [],
  filter?: readonly unknown[],
): void {
  const query: Query = {
    kind: "aggregate",
    aggregates: new Map(Object.entries(aggregates)),
    filter: filter && filterOf(filter),
    groupBy,
    groupLimit: 10_000,
  };
  const times: number[] = [];
  let longest = 0;
  for (let i = 0; i < RUNS + 2; i++) {
    const start = performance.now();
    const steps = runRequest(snapshot, requestOf(query), { kernels: KERNELS });
    for (let before = start; ; before = performance.now()) {
      const next = steps.next();
      if (i >= 2) longest = Math.max(longest, performance.now() - before);
      if (next.done === true) break;
    }
    if (i >= 2) times.push(performance.now() - start);
  }
  const median = times.sort((a, b) => a - b)[RUNS >> 1];
  console.log(`${shown} | ${median.toFixed(2)} | longest step ${longest.toFixed(2)}`);
}

const count: Aggregate = { kind: "count" };
const sum = (attribute: string): Aggregate => ({ kind: "sum", attribute });
const by = (attribute: string): GroupKey => ({ kind: "attribute", attribute });
const each = (attribute: string): GroupKey => ({ kind: "each_unique", name: "key", attribute });
const tenth = ["ten", "Eq", 7];

console.log(`${COUNT} documents; milliseconds`);
measure("Count", { count });
measure("Count, 10 %", { count }, [], tenth);
measure("Sum of int", { sum: sum("number") });
measure("Sum of uint", { sum: sum("big") });
measure("Sum of float", { sum: sum("price") });
measure("Sum of float, 10 %", { sum: sum("price") }, [], tenth);
measure("2 groups of bool", { count }, [by("flag")]);
measure("10 groups of int", { count }, [by("ten")]);
measure("1,000 groups of int", { count }, [by("thousand")]);
measure("1,000 groups of string", { count }, [by("city")]);
measure("1,000 groups of string, 10 %", { count }, [by("city")], tenth);
measure("1,000 groups of string, Sum of int", { count, sum: sum("number") }, [by("city")]);
measure("1,000 groups of string, Sum of float", { sum: sum("price") }, [by("city")]);
measure("10,000 groups of two", { count }, [by("ten"), by("city")]);
measure("1,000 groups of two", { count }, [by("hundred"), by("ten")]);
measure("1,000 groups of two, Sum of int", { sum: sum("number") }, [by("hundred"), by("ten")]);
measure("2,000 groups of three", { count }, [by("hundred"), by("ten"), by("flag")]);
measure("a million groups of int", { count }, [by("number")]);
measure("ForEachUnique, 1,000 groups", { count }, [each("tags")]);
measure("ForEachUnique, 10 %", { count }, [each("tags")], tenth);
