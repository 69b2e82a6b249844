/**
 * Exact searches in one thread, over the vectors alone and with byte codes, in milliseconds: the
 * ten and the hundred nearest of all, and of shares of the documents. Vectors are random around
 * 1,000 centres, or those of a file of float32, of which the last are queries. Run: `npm run build
 * && node bench/exact.bench.ts [vectors] [dimensions] [cosine_distance or euclidean_squared]
 * [file]`.
 *
 * Both take turns, and the best of the rounds counts, as other programs only ever add time.
 */

import { closeSync, openSync, readSync } from "node:fs";
import { seededRandom } from "../src/base/random.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import type { DistanceMetric } from "../src/model/schema.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import type { Snapshot } from "../src/query/operator/snapshot.ts";
import type { OpenSegment } from "../src/segment/segment-reader.ts";
import { planReordered } from "../src/segment/segment-reorder.ts";
import { filterOf } from "../test/support/queries/filter-notation.ts";
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
/** A segment of more would be larger than indexers make them. */
const SEGMENT_VECTORS = 100_000;
const QUERIES = 8;
const ROUNDS = 5;

const count = Number(process.argv[2] ?? 100_000);
const dimensions = Number(process.argv[3] ?? 768);
const metric = (process.argv[4] ?? "cosine_distance") as DistanceMetric;
const file = process.argv[5];

const { kernels, memory } = await openBenchSpace();
const random = seededRandom(1);
const centres = Float32Array.from({ length: CENTRES * dimensions }, () => normal(random));
const opened = file === undefined ? undefined : openSync(file, "r");

function nextVector(): Float32Array {
  const vector = new Float32Array(dimensions);
  if (opened !== undefined) {
    if (readSync(opened, vector) < vector.byteLength) throw new Error("the file has too few");
    return vector;
  }
  const centre = random.below(CENTRES) * dimensions;
  return vector.map((_, d) => centres[centre + d] + 0.4 * normal(random));
}

const ann = { distanceMetric: metric, lateInteraction: false };
const schema = schemaOf(
  { vector: { type: `[${dimensions}]f32`, ann }, share: "int" },
  { distanceMetric: metric },
);
const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));

/** The same segment with byte codes, by the mean of the first vectors. */
function coded(plain: OpenSegment, origin: Float32Array): OpenSegment {
  const clusters = {
    ...{ attribute: "vector", metric, dimensions, byteOrigin: origin },
    ...{ starts: Uint32Array.of(0, plain.documentCount), centroids: origin },
  };
  const order = Uint32Array.from({ length: plain.documentCount }, (_, o) => o);
  return writeSegment(
    memory,
    planReordered(plain, order, { schema, clusters: [clusters] }),
    `${plain.id}-coded`,
  );
}

const plain: OpenSegment[] = [];
const withCodes: OpenSegment[] = [];
for (let start = 0; start < count; start += SEGMENT_VECTORS) {
  const length = Math.min(SEGMENT_VECTORS, count - start);
  const origin = new Float32Array(dimensions);
  const documents = Array.from({ length }, (_, i) => {
    const vector = nextVector();
    const size = metric === "cosine_distance" ? Math.hypot(...vector) : 1;
    for (let d = 0; d < dimensions; d++) origin[d] += vector[d] / size / length;
    return documentOf(BigInt(start + i), { vector, share: BigInt(random.below(1000)) });
  });
  const built = writeSegment(
    memory,
    planSegment(buildDocuments("uint", types, documents), schema),
    `${start}`,
  );
  plain.push(built);
  withCodes.push(coded(built, origin));
}
const queries = Array.from({ length: QUERIES }, nextVector);
if (opened !== undefined) closeSync(opened);

interface Case {
  readonly name: string;
  readonly limit: number;
  /** Thousandths of the documents that match. */
  readonly share: number;
}

const CASES: readonly Case[] = [
  { name: "10 nearest", limit: 10, share: 1000 },
  { name: "100 nearest", limit: 100, share: 1000 },
  { name: "10 nearest of 10 %", limit: 10, share: 100 },
  { name: "10 nearest of 4 %", limit: 10, share: 40 },
  { name: "10 nearest of 1 %", limit: 10, share: 10 },
];

/** Runs all queries; the least time of one, and means of what was looked at. */
function measure(snapshot: Snapshot, { limit, share }: Case) {
  let best = Number.POSITIVE_INFINITY;
  let compared = 0;
  const answers: unknown[] = [];
  for (const values of queries) {
    const operand = { kind: "vector", values } as const;
    const rankBy = { kind: "vector", method: "kNN", attribute: "vector", operand } as const;
    const filter = share === 1000 ? undefined : filterOf(["share", "Lt", share]);
    const request = requestOf(documentQuery(rankBy, { limit, filter }));
    const start = performance.now();
    const { results, stats } = runReads(runRequest(snapshot, request, { kernels }));
    best = Math.min(best, performance.now() - start);
    compared += stats.vectorsScored / queries.length;
    answers.push(results);
  }
  return { best, compared, answers };
}

const snapshots = [snapshotOf(schema, plain), snapshotOf(schema, withCodes)];
console.log(`${count} vectors of ${dimensions} dimensions, ${metric}`);
for (const one of CASES) {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const compared = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const found = snapshots.map((snapshot) => measure(snapshot, one));
    found.forEach((turn, i) => {
      best[i] = Math.min(best[i], turn.best);
      compared[i] = turn.compared;
    });
    if (JSON.stringify(found[0].answers, shown) !== JSON.stringify(found[1].answers, shown)) {
      throw new Error("the answers are not the same");
    }
  }
  const [before, after] = best.map((ms) => ms.toFixed(2).padStart(8));
  const ratio = (best[0] / best[1]).toFixed(2);
  const counts = compared.map((number) => number.toFixed(0)).join(" and ");
  console.log(
    `${one.name.padEnd(20)} ${before} and ${after} ms with codes, ${ratio} times; ` +
      `${counts} compared`,
  );
}

function shown(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
