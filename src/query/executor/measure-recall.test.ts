import { expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  KERNELS,
  openSnapshot,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { clusteredSnapshot } from "../../../test/support/segments/clustered-snapshot.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { seededRandom } from "../../base/random.ts";
import type { RecallRequest } from "../../model/recall.ts";
import { QueryMemory } from "../operator/query-memory.ts";
import type { Probing } from "../operator/query-options.ts";
import { measureRecall } from "./measure-recall.ts";

const METRIC = { distanceMetric: "euclidean_squared" } as const;
const SCHEMA = schemaOf(
  { vector: { type: "[2]f32", ann: { ...METRIC, lateInteraction: false } } },
  METRIC,
);

const DOCUMENTS = Array.from({ length: 20 }, (_, i) =>
  documentOf(BigInt(i), { vector: Float32Array.of(i, 0) }),
);

const REQUEST: RecallRequest = {
  sampleCount: 5,
  topK: 3,
  filter: undefined,
  rankBy: undefined,
  includeGroundTruth: true,
};

const SNAPSHOT = openSnapshot(SCHEMA, [
  { documents: DOCUMENTS.slice(0, 7) },
  { documents: DOCUMENTS.slice(7), deleted: [documentOf(99n, { vector: Float32Array.of(-9, 0) })] },
]);

const measure = (request: Partial<RecallRequest>, snapshot = SNAPSHOT) =>
  runReads(
    measureRecall(snapshot, { ...REQUEST, ...request }, { kernels: KERNELS }, seededRandom(1)),
  );

test("an exhaustive search finds all neighbours of distinct stored vectors", () => {
  const result = measure({});
  expect(result).toMatchObject({ recall: 1, exhaustiveCount: 3, annCount: 3 });
  const queries = result.groundTruth?.map(({ query }) => query[0]) ?? [];
  expect(new Set(queries).size).toBe(5);
  for (const { query, neighbours } of result.groundTruth ?? []) {
    expect(neighbours[0]).toMatchObject({ id: BigInt(query[0]), dist: 0 });
    expect(neighbours[0].attributes.map(([name]) => name)).toEqual(["vector"]);
  }
});

test("samples are at most as many as there are vectors, and the truth is left out", () => {
  const { groundTruth, ...means } = measure({ sampleCount: 50, includeGroundTruth: false });
  expect(groundTruth).toBeUndefined();
  expect(means).toEqual({ recall: 1, exhaustiveCount: 3, annCount: 3 });
});

test("vectors of neighbours take memory where they are shown alone", () => {
  const bytes = (includeGroundTruth: boolean): number => {
    const memory = new QueryMemory(new MemoryPool(1 << 20));
    const request = { ...REQUEST, includeGroundTruth };
    const options = { kernels: KERNELS, memory };
    runReads(measureRecall(SNAPSHOT, request, options, seededRandom(1)));
    return memory.bytes;
  };
  // 5 samples, twice 3 neighbours, two float32 each.
  expect(bytes(true) - bytes(false)).toBeGreaterThanOrEqual(5 * 2 * 3 * 8);
});

test("filters and a given ranking are used", () => {
  expect(measure({ filter: filterOf(["id", "Lt", 2]) })).toMatchObject({ exhaustiveCount: 2 });
  const operand = { kind: "vector", values: Float32Array.of(4, 0) } as const;
  const rankBy = { kind: "vector", method: "ANN", attribute: "vector", operand } as const;
  expect(measure({ rankBy }).groundTruth).toHaveLength(1);
});

test("what an approximate search misses is counted", () => {
  const random = seededRandom(3);
  const documents = Array.from({ length: 600 }, (_, i) =>
    documentOf(BigInt(i), { vector: Float32Array.of(random.next(), random.next()) }),
  );
  const snapshot = clusteredSnapshot(openSnapshot(SCHEMA, [{ documents }]), { clusterRows: 40 });
  const request = { ...REQUEST, topK: 20, sampleCount: 40, includeGroundTruth: false };
  const measured = (probing: Probing) =>
    runReads(measureRecall(snapshot, request, { kernels: KERNELS, probing }, seededRandom(1)));
  const short = measured({ missedShare: 20, firstClusters: 1, exactMatchesMax: 0 });
  expect(short).toMatchObject({ exhaustiveCount: 20, annCount: 20 });
  expect(short.recall).toBeGreaterThan(0.3);
  expect(short.recall).toBeLessThan(0.9);
  const longer = measured({ missedShare: 1, firstClusters: 30, exactMatchesMax: 0 });
  expect(longer.recall).toBeGreaterThan(short.recall);
  expect(measured({ missedShare: 1, firstClusters: 1, exactMatchesMax: 600 }).recall).toBe(1);
});

test("without vectors nothing is missed; without a vector attribute it is refused", () => {
  expect(measure({}, openSnapshot(SCHEMA, []))).toMatchObject({ recall: 1, annCount: 0 });
  expect(() => measure({}, openSnapshot(schemaOf({}), []))).toThrow("no vector attribute");
});
