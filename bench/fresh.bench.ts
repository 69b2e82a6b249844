/**
 * Byte codes of segments in memory, in one thread: what merging such segments takes without them,
 * making them, and copying them, for each document; and what ANN searches of them alone take, in
 * milliseconds, with their vectors in the processor's caches and, as beside other work, not.
 * Vectors are random around 1,000 centres. Run: `npm run build && node bench/fresh.bench.ts
 * [dimensions] [f32 or f16] [cosine_distance or euclidean_squared]`.
 *
 * All take turns, and the best of the rounds counts, as other programs only ever add time.
 */

import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { fullBitmap } from "../src/codec/bitmap.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import type { DocumentColumns } from "../src/model/columns.ts";
import type { DistanceMetric } from "../src/model/schema.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import type { Snapshot } from "../src/query/operator/snapshot.ts";
import { memtableIndexes } from "../src/segment/memtable/memtable-indexes.ts";
import { planMerge } from "../src/segment/segment-merger.ts";
import type { OpenSegment } from "../src/segment/segment-reader.ts";
import type { AttributeIndex } from "../src/segment/view/attribute-index.ts";
import {
  documentOf,
  documentQuery,
  requestOf,
  schemaOf,
} from "../test/support/queries/query-fixture.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";
import { runReads } from "../test/support/segments/remote-segment.ts";
import { normal, openBenchSpace, snapshotOf, writeSegment } from "./bench-segments.ts";

const CENTRES = 1000;
/** Documents of a segment, about as many as steady writes leave in one. */
const SEGMENT_DOCUMENTS = 2000;
const COUNTS = [1000, 2000, 4000, 8000, 16_000, 64_000];
const MERGED = 4;
const QUERIES = 8;
const ROUNDS = 7;
/** More than the processor's caches hold. */
const EVICTED_BYTES = 96 * 1024 ** 2;

const dimensions = Number(process.argv[2] ?? 768);
const element = process.argv[3] ?? "f32";
const metric = (process.argv[4] ?? "cosine_distance") as DistanceMetric;

const { memory, kernels } = await openBenchSpace();
const random = seededRandom(1);
const centres = Float32Array.from({ length: CENTRES * dimensions }, () => normal(random));
const other = new Float64Array(EVICTED_BYTES / 8).fill(1);

function nextVector(): Float32Array {
  const centre = random.below(CENTRES) * dimensions;
  return Float32Array.from(
    { length: dimensions },
    (_, d) => centres[centre + d] + 0.4 * normal(random),
  );
}

const ann = { distanceMetric: metric, lateInteraction: false };
const schema = schemaOf(
  { vector: { type: `[${dimensions}]${element}`, ann } },
  { distanceMetric: metric },
);
const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
const coding = memtableIndexes(schema);

function columnsOf(count: number, first: number): DocumentColumns {
  const documents = Array.from({ length: count }, (_, i) =>
    documentOf(BigInt(first + i), { vector: nextVector() }),
  );
  return buildDocuments("uint", types, documents);
}

function build(columns: DocumentColumns): OpenSegment {
  return writeSegment(memory, planSegment(columns, schema), "built");
}

function merge(views: readonly OpenSegment[], indexes?: readonly AttributeIndex[]): OpenSegment {
  const inputs = views.map((view) => ({ view, liveBitmap: fullBitmap(view.documentCount) }));
  return writeSegment(memory, runSteps(planMerge(inputs, schema, indexes)), "merged");
}

function free({ place, bytes }: OpenSegment): void {
  memory.free({ ...place, bytes });
}

/** The least time of each work in all rounds, in milliseconds. */
function inTurns(works: readonly (() => void)[]): number[] {
  const best = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    works.forEach((work, i) => {
      const start = performance.now();
      work();
      best[i] = Math.min(best[i], performance.now() - start);
    });
  }
  return best;
}

const largest = COUNTS.at(-1) ?? 0;
const plain: OpenSegment[] = [];
const coded: OpenSegment[] = [];
for (let first = 0; first < largest; first += SEGMENT_DOCUMENTS) {
  const built = build(columnsOf(SEGMENT_DOCUMENTS, first));
  plain.push(built);
  coded.push(merge([built], coding));
}

console.log(`${dimensions} dimensions, ${element}, ${metric}; microseconds for a document`);
const written = inTurns([
  () => free(merge(plain.slice(0, MERGED))),
  () => free(merge(plain.slice(0, MERGED), coding)),
  () => free(merge(coded.slice(0, MERGED), coding)),
]);
const names = ["merged", "making codes", "copying codes"];
const micros = written.map((ms) => ((1000 * ms) / MERGED / SEGMENT_DOCUMENTS).toFixed(2));
console.log(names.map((name, i) => `${name} ${micros[i]}`).join(", "));

const queries = Array.from({ length: QUERIES }, nextVector);

/** Mean over the queries of the least time of each, and of what was compared. */
function measure(snapshot: Snapshot, limit: number, isCold: boolean): [number, number] {
  let sum = 0;
  let compared = 0;
  for (const values of queries) {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      if (isCold && other.reduce((a, b) => a + b, 0) === 0) throw new Error("nothing is there");
      const operand = { kind: "vector", values } as const;
      const rankBy = { kind: "vector", method: "ANN", attribute: "vector", operand } as const;
      const request = requestOf(documentQuery(rankBy, { limit }));
      const start = performance.now();
      const { stats } = runReads(runRequest(snapshot, request, { kernels }));
      best = Math.min(best, performance.now() - start);
      compared += stats.vectorsScored / ROUNDS / QUERIES;
    }
    sum += best / QUERIES;
  }
  return [sum, compared];
}

for (const count of COUNTS) {
  const views = Math.ceil(count / SEGMENT_DOCUMENTS);
  const smaller = build(columnsOf(Math.min(count, SEGMENT_DOCUMENTS), 0));
  const [without, withCodes] = [plain, coded].map((all) => {
    const whole = snapshotOf(schema, all.slice(0, views));
    if (count >= SEGMENT_DOCUMENTS) return whole;
    return snapshotOf(schema, [all === plain ? smaller : merge([smaller], coding)]);
  });
  for (const limit of [10, 100]) {
    for (const isCold of [false, true]) {
      const [before] = measure(without, limit, isCold);
      const [after, compared] = measure(withCodes, limit, isCold);
      console.log(
        `${String(count).padStart(6)}, ${String(limit).padStart(3)} nearest, ` +
          `${isCold ? "cold" : "hot "}: ${before.toFixed(3)} and ${after.toFixed(3)} ms with ` +
          `codes, ${(before / after).toFixed(2)} times; ${compared.toFixed(0)} compared`,
      );
    }
  }
}
