/**
 * What codes tell of clusters' means, beside the distances themselves; and clusters with ordinals
 * beside the same ones in the order of rows.
 */

import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { clusteredSnapshot } from "../../../test/support/segments/clustered-snapshot.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { bitmapOrdinals, setBit } from "../../codec/bitmap.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import { CLUSTER_INDEX } from "../../segment/vectors/cluster-index.ts";
import type { AttributeIndex } from "../../segment/view/attribute-index.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { unitVector } from "../../vector/metric.ts";
import { emptyBits, invertBits } from "../documents/ordinal-bits.ts";
import { runRequest } from "../executor/run-request.ts";
import { PROBING } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { countMatches } from "./cluster-matches.ts";
import { CodedSegment } from "./coded-segment.ts";
import { QueryTables } from "./query-tables.ts";

const METRICS = ["cosine_distance", "euclidean_squared"] as const;
const DIMENSIONS = 100;
const vectorOf = (random: Random) =>
  Float32Array.from({ length: DIMENSIONS }, (_, d) => random.next() - 0.3 + (d % 3));

const segments = new Map<DistanceMetric, SegmentView>();

/** A segment that no test changes. */
function segmentOf(metric: DistanceMetric): SegmentView {
  const segment = segments.get(metric) ?? drawSegment(metric);
  segments.set(metric, segment);
  return segment;
}

function drawSegment(metric: DistanceMetric): SegmentView {
  const random = seededRandom(3);
  const ann = { distanceMetric: metric, lateInteraction: false };
  const schema = schemaOf(
    { vector: { type: `[${DIMENSIONS}]f32`, ann } },
    { distanceMetric: metric },
  );
  const documents = Array.from({ length: 3000 }, (_, id) =>
    documentOf(BigInt(id), { vector: vectorOf(random) }),
  );
  const snapshot = openSnapshot(schema, [{ documents }]);
  return clusteredSnapshot(snapshot, { clusterRows: 8 }).segments[0].view;
}

function openCoded(view: SegmentView, metric: DistanceMetric, sent: Float32Array): CodedSegment {
  const matches = invertBits(emptyBits(view.documentCount), view.documentCount);
  return runSteps(openingOf({ view, matches }, metric, sent)) ?? expect.unreachable();
}

function openingOf(
  of: { readonly view: SegmentView; readonly matches: Uint32Array },
  metric: DistanceMetric,
  sent: Float32Array,
) {
  const query = metric === "cosine_distance" ? unitVector(sent) : sent;
  const target = { attribute: "vector", metric, query: sent } as Parameters<
    typeof CodedSegment.open
  >[1];
  return CodedSegment.open(of, target, new QueryTables(query, KERNELS), KERNELS);
}

function boundsOf(segment: CodedSegment) {
  const { count } = segment.clusters;
  const bounds = { lower: new Float32Array(count), upper: new Float32Array(count) };
  segment.boundMeans(bounds);
  return bounds;
}

/** The distances of some means, by cluster. */
function distancesOf(segment: CodedSegment, clusters: Uint32Array) {
  const { count } = segment.clusters;
  const bounds = { lower: new Float32Array(count), upper: new Float32Array(count) };
  segment.measureMeans(clusters, bounds);
  expect(bounds.lower).toEqual(bounds.upper);
  return bounds.lower;
}

test.each(METRICS)("most means are within their bounds, which are near, by %s", (metric) => {
  const view = segmentOf(metric);
  const random = seededRandom(4);
  let inside = 0;
  let all = 0;
  let wide = 0;
  for (let turn = 0; turn < 20; turn++) {
    const segment = openCoded(view, metric, vectorOf(random));
    const { lower, upper } = boundsOf(segment);
    expect(lower.length).toBeGreaterThan(256);
    const clusters = Uint32Array.from(lower.keys());
    distancesOf(segment, clusters).forEach((distance, c) => {
      inside += Number(lower[c] <= distance && distance <= upper[c]);
      wide += (upper[c] - lower[c]) / distance;
      all++;
    });
  }
  expect(inside / all).toBeGreaterThan(0.93);
  expect(wide / all).toBeLessThan(0.6);
});

test("nothing is known of means from a query that is too long", () => {
  const view = segmentOf("euclidean_squared");
  const segment = openCoded(view, "euclidean_squared", new Float32Array(DIMENSIONS).fill(3e38));
  const { lower, upper } = boundsOf(segment);
  expect(lower.every((bound) => bound >= 0)).toBe(true);
  expect(upper.every((bound) => bound === Number.POSITIVE_INFINITY)).toBe(true);
});

/** The same documents in two segments, with clusters of `further` in their order or beside it. */
function furtherNamespace(seed: number, metric: DistanceMetric) {
  const drawn = seededRandom(seed);
  const ann = { distanceMetric: metric, lateInteraction: false };
  const further = { type: "[12]f32", ann };
  const vectorOf = (center: number) =>
    Float32Array.from({ length: 12 }, (_, d) => drawn.next() + ((center * (d + 3)) % 7));
  const document = (id: number) => {
    const group = drawn.below(9);
    return documentOf(BigInt(id), {
      ...(drawn.below(8) > 0 && { further: vectorOf(group) }),
      ...(drawn.below(8) > 0 && { vector: vectorOf(drawn.below(9)) }),
      n: BigInt(id),
      group: `g${group}`,
    });
  };
  const contents = [0, 1].map((part) => ({
    documents: Array.from({ length: 600 }, (_, i) => document(1000 * part + i)),
    deleted: Array.from({ length: drawn.below(100) }, (_, i) => document(1000 * part + 800 + i)),
  }));
  const snapshotOf = (vector: object) => {
    const types = { vector: { type: "[12]f32", ...vector }, further, n: "int", group: "string" };
    return openSnapshot(schemaOf(types, { distanceMetric: metric }), contents);
  };
  const near = snapshotOf({});
  const [inOrder, withOrdinals] = [near, snapshotOf({ ann })].map((snapshot) =>
    clusteredSnapshot(snapshot, { clusterRows: 10 }),
  );
  return { drawn, near, inOrder, withOrdinals, vectorOf };
}

describe.each(METRICS)("by %s", (metric) => {
  test.each(effort({ usual: [1], full: [1, 2, 3, 4] }))(
    "clusters with ordinals find the same at the same cost, seed %i",
    (seed) => {
      const { drawn, near, inOrder, withOrdinals, vectorOf } = furtherNamespace(seed, metric);
      for (const { view } of withOrdinals.segments) {
        expect(view.index(CLUSTER_INDEX, "further")?.ordinals).toBeDefined();
      }
      let found = 0;
      let wanted = 0;
      for (let i = 0; i < 40; i++) {
        const filter = pick(drawn, [
          undefined,
          filterOf(["n", "Lt", drawn.below(1600)]),
          filterOf(["group", "NotEq", `g${drawn.below(9)}`]),
          filterOf(["group", "Eq", `g${drawn.below(9)}`]),
        ]);
        const operand = { kind: "vector", values: vectorOf(drawn.below(9)) } as const;
        const search = (snapshot: Snapshot, method: "ANN" | "kNN") => {
          const rankBy = { kind: "vector", method, attribute: "further", operand } as const;
          const request = requestOf(documentQuery(rankBy, { filter, limit }));
          const options = { kernels: KERNELS, probing };
          const { results, stats } = runReads(runRequest(snapshot, request, options));
          const [result] = results;
          if (result.kind !== "documents") throw new Error("no documents");
          // In another order of the documents, others are skipped.
          const { candidatesSkipped: _, ...counted } = stats;
          return { documents: result.documents, stats: counted };
        };
        const limit = 1 + drawn.below(30);
        const probing = { ...PROBING, exactMatchesMax: drawn.below(2) * 200 };
        const where = `query ${i}`;
        const some = search(withOrdinals, "ANN");
        expect(some, where).toEqual(search(inOrder, "ANN"));
        const truth = search(near, "kNN").documents;
        expect(some.documents, where).toHaveLength(truth.length);
        expect(search(withOrdinals, "kNN").documents, where).toEqual(truth);
        const ids = new Set(some.documents.map(({ id }) => id));
        found += truth.filter(({ id }) => ids.has(id)).length;
        wanted += truth.length;
      }
      expect(found / wanted).toBeGreaterThan(0.97);
    },
  );
});

test("matches of many rows are put into the order of clusters in several steps", () => {
  const real = segmentOf("cosine_distance");
  const count = 300_000;
  const ordinals = Uint32Array.from({ length: count }, (_, position) => count - 1 - position);
  const starts = Uint32Array.of(0, count);
  const view = new Proxy(real, {
    get(target, name) {
      if (name === "documentCount") return count;
      if (name !== "index") return Reflect.get(target, name);
      return (index: AttributeIndex, attribute: string) => {
        const found = target.index(index, attribute) ?? expect.unreachable();
        if (index !== CLUSTER_INDEX) return found;
        return { ...found, ordinals, starts, count: 1 };
      };
    },
  });
  const matches = emptyBits(count);
  for (const ordinal of [0, 31, 32, 65_535, 65_536, count - 1]) setBit(matches, ordinal);
  const steps = openingOf({ view, matches }, "cosine_distance", vectorOf(seededRandom(6)));
  let stepCount = 1;
  let next = steps.next();
  for (; next.done !== true; next = steps.next()) stepCount++;
  expect(stepCount).toBeGreaterThanOrEqual(4);
  const opened = next.value ?? expect.unreachable();
  expect(countMatches(opened, new Uint32Array(1))).toBe(6);
  const positions = Uint32Array.from(bitmapOrdinals(opened.matches));
  expect([...positions].map((position) => opened.ordinalAt(position)).reverse()).toEqual([
    0,
    31,
    32,
    65_535,
    65_536,
    count - 1,
  ]);
});
