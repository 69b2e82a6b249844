/**
 * How many of the ten nearest documents an ANN search by several vectors finds on real data: texts
 * that follow each other are a document, each with an embedding. The datasets are small for a
 * server, so that walks are shorter, and clusters smaller, too.
 */

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import type { Filter } from "../../src/model/filter.ts";
import { runRequest } from "../../src/query/executor/run-request.ts";
import { LATE_PROBING, type LateProbing } from "../../src/query/operator/query-options.ts";
import type { Snapshot } from "../../src/query/operator/snapshot.ts";
import { hasDataset, readDataset, type VectorDataset } from "../support/documents/datasets.ts";
import { filterOf } from "../support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../support/queries/query-fixture.ts";
import { clusteredSnapshot } from "../support/segments/clustered-snapshot.ts";
import { runReads } from "../support/segments/remote-segment.ts";

const RECALL_MIN = 0.95;
const CLUSTER_ROWS = 32;
const VECTORS_MAX = 8;
const QUERY_VECTORS = 4;
const QUERIES = 40;
const PROBING: LateProbing = {
  ...LATE_PROBING,
  vectorsMin: 640,
  vectorsPerResult: 1,
  candidatesMin: 64,
  exactVectorsMax: 128,
};
/** Share of the vectors whose codes each query vector looks at, at most, by name. */
const CODES_MAX = { "lex-cohere-1536": 0.13, "bible-bge-large-1024": 0.4 } as const;

interface Sample {
  readonly snapshot: Snapshot;
  readonly queries: readonly Float32Array[][];
  readonly vectorCount: number;
}

/** Every twelfth document is a query, as long as there are enough. */
function sampleOf({ count, dimensions, metric, values }: VectorDataset): Sample {
  const random = seededRandom(1);
  const ann = { distanceMetric: metric, lateInteraction: true };
  const schema = schemaOf(
    { texts: { type: `[][${dimensions}]f32`, ann }, share: "int" },
    { distanceMetric: metric },
  );
  const queries: Float32Array[][] = [];
  const contents = [0, 1].map(() => ({ documents: [], deleted: [] }) as Content);
  let vectorCount = 0;
  for (let row = 0, id = 0; row < count; id++) {
    const end = Math.min(row + 1 + random.below(VECTORS_MAX), count);
    const texts: Float32Array[] = [];
    for (; row < end; row++) {
      texts.push(Float32Array.from(values.subarray(row * dimensions, (row + 1) * dimensions)));
    }
    const isQuery = id % 12 === 5 && queries.length < QUERIES;
    if (isQuery) {
      queries.push(texts.slice(0, QUERY_VECTORS));
      continue;
    }
    const { documents, deleted } = contents[id % 2];
    const isDeleted = id % 7 === 6;
    const document = documentOf(BigInt(id), { texts, share: BigInt(random.below(100)) });
    (isDeleted ? deleted : documents).push(document);
    if (!isDeleted) vectorCount += texts.length;
  }
  const plain = openSnapshot(schema, contents);
  return {
    snapshot: clusteredSnapshot(plain, { clusterRows: CLUSTER_ROWS }),
    queries,
    vectorCount,
  };
}

interface Content {
  readonly documents: ReturnType<typeof documentOf>[];
  readonly deleted: ReturnType<typeof documentOf>[];
}

function measure({ snapshot, queries }: Sample, filter: Filter | undefined) {
  const sums = { found: 0, wanted: 0, codes: 0, candidates: 0, vectors: 0 };
  for (const values of queries) {
    const [ann, knn] = (["ANN", "kNN"] as const).map((method) => {
      const operand = { kind: "vectors", values } as const;
      const rankBy = { kind: "vector", method, attribute: "texts", operand } as const;
      const request = requestOf(documentQuery(rankBy, { filter, limit: 10 }));
      const options = { kernels: KERNELS, lateProbing: PROBING };
      const { results, stats } = runReads(runRequest(snapshot, request, options));
      if (results[0].kind !== "documents") throw new Error("no documents");
      return { ids: results[0].documents.map(({ id }) => id), stats };
    });
    expect(ann.ids).toHaveLength(knn.ids.length);
    sums.found += knn.ids.filter((id) => ann.ids.includes(id)).length;
    sums.wanted += knn.ids.length;
    sums.codes += ann.stats.codesScanned;
    sums.candidates += ann.stats.candidatesReranked;
    sums.vectors += values.length;
  }
  const candidates = sums.candidates / queries.length;
  return { recall: sums.found / sums.wanted, codes: sums.codes / sums.vectors, candidates };
}

const NAMES = Object.keys(CODES_MAX) as (keyof typeof CODES_MAX)[];

describe.each(NAMES)("%s", (name) => {
  const isHere = hasDataset(name);
  let sample: Sample | undefined;

  const percents = [100, 50, 20, 3];
  test.skipIf(!isHere).each(percents)("%i percent match", { timeout: 180_000 }, (percent) => {
    sample ??= sampleOf(readDataset(name));
    const filter = percent === 100 ? undefined : filterOf(["share", "Lt", percent]);
    const found = measure(sample, filter);
    if (process.env.VERBOSE !== undefined) console.log(name, percent, sample.vectorCount, found);
    expect(found.recall).toBeGreaterThanOrEqual(RECALL_MIN);
    expect(found.candidates).toBeLessThanOrEqual(64);
    if (percent < 100) return;
    expect(found.candidates).toBe(64);
    expect(found.codes).toBeLessThan(CODES_MAX[name] * sample.vectorCount);
  });
});
