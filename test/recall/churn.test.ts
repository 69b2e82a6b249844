/**
 * Recall after half of the vectors were replaced by others, from another region, and merged round
 * by round with the clusters of before: as if all had been clustered anew.
 */

import { describe, expect, test } from "vitest";
import { type SegmentId, sequenceNumber } from "../../src/base/ids.ts";
import { seededRandom } from "../../src/base/random.ts";
import { runSteps } from "../../src/base/steps.ts";
import type { ArenaBytes } from "../../src/kernel/arena.ts";
import type { Column } from "../../src/model/columns.ts";
import type { Schema } from "../../src/model/schema.ts";
import { runRequest } from "../../src/query/executor/run-request.ts";
import { type Probing, PROBING as SERVED } from "../../src/query/operator/query-options.ts";
import type { Snapshot } from "../../src/query/operator/snapshot.ts";
import type { SegmentPlan } from "../../src/segment/format/segment-layout.ts";
import { LiveSegment } from "../../src/segment/memtable/live-segment.ts";
import { type OpenSegment, openSegment } from "../../src/segment/segment-reader.ts";
import { knownCentroids, planClustered } from "../../src/segment/segment-reorder.ts";
import { datasetColumn } from "../support/documents/dataset-columns.ts";
import {
  type DatasetName,
  hasDataset,
  readDataset,
  type VectorDataset,
} from "../support/documents/datasets.ts";
import { documentQuery, KERNELS, requestOf, schemaOf } from "../support/queries/query-fixture.ts";
import { ARENA_MEMORY } from "../support/segments/clustered-snapshot.ts";
import { planSegment } from "../support/segments/plan-segment.ts";
import { runReads } from "../support/segments/remote-segment.ts";

const ROWS_MAX = 12_000;
const QUERIES = 100;
const ROUNDS = 5;
/** What recall may lose beside fresh clusters. */
const LOSS_MAX = 0.01;
/** How many times as many codes a search may look at. */
const CODES_MAX = 1.5;

const PROBING: Probing = { ...SERVED, exactMatchesMax: 256 };
const TOOLS = {
  kernels: { kernels: KERNELS, memory: ARENA_MEMORY },
  rowsMin: 1,
  clusterRows: 32,
};
const NAMES: readonly DatasetName[] = ["fashion-mnist-784", "lex-cohere-1536"];

function schemaFor({ dimensions, metric, values }: VectorDataset): Schema {
  const element = values instanceof Float32Array ? "f32" : "f16";
  const ann = { distanceMetric: metric, lateInteraction: false };
  return schemaOf(
    { vector: { type: `[${dimensions}]${element}`, ann } },
    { distanceMetric: metric },
  );
}

/** A segment and where it lies. */
interface Placed {
  readonly view: OpenSegment;
  readonly block: ArenaBytes;
}

function written(plan: SegmentPlan): Placed {
  const block = ARENA_MEMORY.allocate(plan.bytes);
  runSteps(plan.writeTo(block.bytes));
  return { view: openSegment("some" as SegmentId, block.bytes, block), block };
}

function release({ block }: Placed): void {
  ARENA_MEMORY.free({ ...block, bytes: block.bytes.length });
}

/** The rows in clusters, of which those of another segment are used again if it is given. */
function clustered(
  dataset: VectorDataset,
  rows: readonly number[],
  before: readonly OpenSegment[] = [],
): Placed {
  const schema = schemaFor(dataset);
  const type = schema.attributes.get("vector")?.type ?? expect.unreachable();
  const attributes = new Map<string, Column>([["vector", datasetColumn(dataset, rows, type)]]);
  const ids = { kind: "u64", values: BigUint64Array.from(rows, BigInt) } as const;
  const columns = { count: rows.length, idType: "uint", ids, attributes } as const;
  const plain = written(planSegment(columns, schema));
  const plan =
    planClustered(plain.view, schema, knownCentroids(schema, before), TOOLS) ??
    expect.unreachable();
  const placed = written(plan);
  release(plain);
  return placed;
}

/** Rows by how far they are from one of them. */
function byRegion({ count, dimensions, values }: VectorDataset): number[] {
  const random = seededRandom(3);
  const rows = Array.from({ length: count }, (_, row) => row);
  for (let i = count - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [rows[i], rows[j]] = [rows[j], rows[i]];
  }
  const some = rows.slice(0, ROWS_MAX);
  const anchor = values.subarray(some[0] * dimensions, (some[0] + 1) * dimensions);
  const far = new Map(
    some.map((row) => {
      let sum = 0;
      for (let d = 0; d < dimensions; d++) sum += (values[row * dimensions + d] - anchor[d]) ** 2;
      return [row, sum] as const;
    }),
  );
  return some.sort((a, b) => (far.get(a) ?? 0) - (far.get(b) ?? 0));
}

function measure(dataset: VectorDataset, view: OpenSegment, queries: readonly number[]) {
  const snapshot: Snapshot = {
    sequence: sequenceNumber(1),
    schema: schemaFor(dataset),
    segments: [new LiveSegment(view)],
    unindexedCount: 0,
    logicalBytes: 0,
  };
  const { dimensions, values: all } = dataset;
  let found = 0;
  let codes = 0;
  for (const row of queries) {
    const values = Float32Array.from(all.subarray(row * dimensions, (row + 1) * dimensions));
    const [ann, knn] = (["ANN", "kNN"] as const).map((method) => {
      const operand = { kind: "vector", values } as const;
      const rankBy = { kind: "vector", method, attribute: "vector", operand } as const;
      const request = requestOf(documentQuery(rankBy, { limit: 10 }));
      const options = { kernels: KERNELS, probing: PROBING };
      const { results, stats } = runReads(runRequest(snapshot, request, options));
      const [result] = results;
      if (result.kind !== "documents") throw new Error("no documents");
      return { ids: result.documents.map(({ id }) => id), codes: stats.codesScanned };
    });
    found += knn.ids.filter((id) => ann.ids.includes(id)).length;
    codes += ann.codes;
  }
  return { recall: found / (10 * queries.length), codes: codes / queries.length };
}

describe.each(NAMES)("%s", (name) => {
  test.skipIf(!hasDataset(name))("half replaced", { timeout: 300_000 }, () => {
    const dataset = readDataset(name);
    const rows = byRegion(dataset);
    const step = Math.floor(rows.length / QUERIES);
    const isQuery = (_row: number, i: number) => i % step === 0;
    const queries = rows.filter(isQuery);
    const stored = rows.filter((row, i) => !isQuery(row, i));
    // A third leaves, a third stays, a third comes: half of what is there at any time.
    const share = Math.floor(stored.length / 3 / ROUNDS);
    let live = stored.slice(0, 2 * share * ROUNDS);
    let segment = clustered(dataset, live);
    for (let round = 0; round < ROUNDS; round++) {
      const next = (2 * ROUNDS + round) * share;
      live = [...live.slice(share), ...stored.slice(next, next + share)];
      const before = segment;
      segment = clustered(dataset, live, [before.view]);
      release(before);
    }
    const churned = measure(dataset, segment.view, queries);
    release(segment);
    const anew = clustered(dataset, live);
    const fresh = measure(dataset, anew.view, queries);
    release(anew);
    if (process.env.VERBOSE !== undefined) console.log(name, { churned, fresh });
    expect(churned.recall).toBeGreaterThanOrEqual(fresh.recall - LOSS_MAX);
    expect(churned.codes).toBeLessThanOrEqual(CODES_MAX * fresh.codes);
  });
});
