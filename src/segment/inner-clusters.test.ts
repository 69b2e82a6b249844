/** Clusters of the vectors of documents that have several: each is with its document. */

import { expect, test } from "vitest";
import { documentOf, schemaOf } from "../../test/support/queries/query-fixture.ts";
import { copiedSections } from "../../test/support/segments/copied-sections.ts";
import { openKernelSpace } from "../../test/support/segments/kernel-space.ts";
import { planSegment } from "../../test/support/segments/plan-segment.ts";
import type { Ordinal, SegmentId } from "../base/ids.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { clearBit, fullBitmap } from "../codec/bitmap.ts";
import { buildDocuments } from "../codec/columns-builder.ts";
import type { DistanceMetric, Schema } from "../model/schema.ts";
import { vectorDistance } from "../vector/metric.ts";
import { planBlock, sealInPlace } from "./format/segment-format.ts";
import type { SegmentPlan } from "./format/segment-layout.ts";
import { planMerge } from "./segment-merger.ts";
import { type OpenSegment, openSegment } from "./segment-reader.ts";
import { knownCentroids, planClustered } from "./segment-reorder.ts";
import { verifySegment } from "./segment-seal.ts";
import { CLUSTER_INDEX } from "./vectors/cluster-index.ts";
import { planClusters } from "./vectors/cluster-section.ts";
import { CODE_INDEX } from "./vectors/code-index.ts";
import type { Clusters } from "./view/attribute-index.ts";

const ID = "s" as SegmentId;
const SPACE = await openKernelSpace("auto");
const DIMENSIONS = 6;
const TOOLS = { kernels: SPACE, rowsMin: 10, clusterRows: 8 };

/** Schemas with and without a dense vector, in whose order the rows are. */
function schemaWith(metric: DistanceMetric, isDense: boolean, lateInteraction = true): Schema {
  const ann = { distanceMetric: metric, lateInteraction };
  const tokens = { type: `[][${DIMENSIONS}]f32`, ann };
  const dense = { type: `[${DIMENSIONS}]f32`, ann: { ...ann, lateInteraction: false } };
  return schemaOf(isDense ? { tokens, vector: dense } : { tokens }, { distanceMetric: metric });
}

function vector(random: Random): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
}

/** Documents with none to six vectors; some have no value. */
function segmentOf(schema: Schema, count: number, seed: number): OpenSegment {
  const random = seededRandom(seed);
  const rows = Array.from({ length: count }, (_, i) => {
    const tokens = Array.from({ length: random.below(7) }, () => vector(random));
    const attributes = schema.attributes.has("vector") ? { vector: vector(random) } : {};
    return documentOf(BigInt(1000 * seed + i), { ...attributes, ...(i % 9 > 0 && { tokens }) });
  });
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  return write(planSegment(buildDocuments("uint", types, rows), schema));
}

function write(plan: SegmentPlan): OpenSegment {
  const block = SPACE.memory.allocate(plan.bytes);
  runSteps(plan.writeTo(block.bytes));
  return openSegment(ID, block.bytes, block);
}

function sealed(view: OpenSegment): Uint8Array<ArrayBuffer> {
  const block = Uint8Array.from(view.block);
  sealInPlace(block);
  return block;
}

function clustered(view: OpenSegment, schema: Schema, inputs: readonly OpenSegment[] = []) {
  const plan = planClustered(view, schema, knownCentroids(schema, inputs), TOOLS);
  return plan === undefined ? undefined : write(plan);
}

function clustersOf(view: OpenSegment, attribute = "tokens") {
  return view.index(CLUSTER_INDEX, attribute) ?? expect.unreachable();
}

function tokensOf(view: OpenSegment, ordinal: number): Float32Array[] {
  return (view.column("tokens")?.value(ordinal as Ordinal) ?? []) as Float32Array[];
}

function contents(view: OpenSegment) {
  const ordinals = Array.from({ length: view.documentCount }, (_, o) => o as Ordinal);
  return new Map(ordinals.map((o) => [view.idOf(o), view.column("tokens")?.value(o)]));
}

const CASES = (["cosine_distance", "euclidean_squared"] as const).flatMap((metric) =>
  [false, true].map((isDense) => ({ metric, isDense })),
);

test.each(CASES)("each vector is with its document: %o", ({ metric, isDense }) => {
  const schema = schemaWith(metric, isDense);
  const view = segmentOf(schema, 200, 1);
  const found = clustered(view, schema) as OpenSegment;
  verifySegment(sealed(found));
  expect(contents(found)).toEqual(contents(view));
  const { starts, count, centroids, ordinals = new Uint32Array(0), ...own } = clustersOf(found);
  expect(own).toMatchObject({ metric, dimensions: DIMENSIONS, isInner: true });
  expect(count).toBeGreaterThan(20);
  const times = Array.from({ length: 200 }, (_, o) => tokensOf(found, o).length);
  for (const ordinal of ordinals) times[ordinal]--;
  expect(times.every((left) => left === 0)).toBe(true);
  // Of the documents in a cluster each has a vector that is about as near as its radius.
  const radii = found.index(CODE_INDEX, "tokens")?.shapes.radii ?? [];
  for (let c = 0; c < count; c++) {
    const centroid = centroids.subarray(c * DIMENSIONS, (c + 1) * DIMENSIONS);
    const distances = Array.from(ordinals.subarray(starts[c], starts[c + 1]), (o) =>
      Math.min(...tokensOf(found, o).map((token) => vectorDistance(metric, token, centroid))),
    );
    const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
    expect(mean).toBeLessThan(1.01 * radii[c] + 1e-6);
  }
  const kinds = found.sections("tokens").entries.map(({ kind }) => kind);
  // No kind is one that earlier programs take for clusters or codes of dense vectors.
  expect(kinds).toEqual([2, 32, 33, 34, 35]);
  expect(found.hasIndex(CLUSTER_INDEX, "vector")).toBe(isDense);
  if (isDense) expect(clustersOf(found, "vector").ordinals).toBeUndefined();
});

test("rows stay in their order where no dense vectors have clusters", () => {
  const schema = schemaWith("cosine_distance", false);
  const view = segmentOf(schema, 200, 2);
  const ids = (one: OpenSegment) => Array.from({ length: 200 }, (_, o) => one.idOf(o as Ordinal));
  expect(ids(clustered(view, schema) as OpenSegment)).toEqual(ids(view));
});

test("few vectors, and those that no schema asks to be searched, have no clusters", () => {
  const schema = schemaWith("cosine_distance", false);
  expect(clustered(segmentOf(schema, 3, 3), schema)).toBeUndefined();
  const view = segmentOf(schema, 100, 3);
  expect(clustered(view, schemaOf({ tokens: `[][${DIMENSIONS}]f32` }))).toBeUndefined();
  const late = schemaWith("cosine_distance", false, false);
  expect(clustered(view, late)).toBeUndefined();
});

test("a merge has all live vectors, by clusters around the centroids of the largest input", () => {
  const schema = schemaWith("euclidean_squared", true);
  const inputs = [segmentOf(schema, 150, 4), segmentOf(schema, 40, 5)].map(
    (view) => clustered(view, schema) as OpenSegment,
  );
  const live = inputs.map(({ documentCount }) => fullBitmap(documentCount));
  for (let o = 0; o < 150; o += 7) clearBit(live[0], o);
  const parts = inputs.map((view, i) => ({ view, liveBitmap: live[i] }));
  const merged = write(runSteps(planMerge(parts, schema)));
  expect(merged.hasIndex(CLUSTER_INDEX, "tokens")).toBe(false);
  const found = clustered(merged, schema, inputs) as OpenSegment;
  verifySegment(sealed(found));
  expect(contents(found)).toEqual(contents(merged));
  const { ordinals } = clustersOf(found);
  const total = Array.from({ length: found.documentCount }, (_, o) => tokensOf(found, o).length);
  expect(ordinals).toHaveLength(total.reduce((sum, own) => sum + own, 0));
  const anew = clustered(merged, schema) as OpenSegment;
  expect(clustersOf(anew).centroids).not.toEqual(clustersOf(found).centroids);
});

test("clusters that are not of the vectors of their documents are refused", () => {
  const schema = schemaWith("euclidean_squared", false);
  const view = segmentOf(schema, 20, 6);
  const rights = Array.from({ length: 20 }, (_, o) => tokensOf(view, o).map(() => o)).flat();
  const block = (ordinals: readonly number[], other: Partial<Clusters> = {}) => {
    const clusters = planClusters("tokens", {
      metric: "euclidean_squared",
      dimensions: DIMENSIONS,
      starts: Uint32Array.of(0, ordinals.length),
      centroids: new Float32Array(other.dimensions ?? DIMENSIONS),
      ordinals: Uint32Array.from(ordinals),
      isInner: true,
      ...other,
    });
    const { documentCount, idType, logicalBytes } = view;
    const facts = { documentCount, idType, logicalBytes };
    return sealed(write(planBlock(facts, [...copiedSections(view), clusters])));
  };
  verifySegment(block(rights.toReversed()));
  const refused = [
    block([...rights.slice(1), 20]),
    block([...rights.slice(1), rights[5]]),
    block(rights.slice(1)),
    block([...rights, rights[0]]),
    block(rights, { starts: Uint32Array.of(0, rights.length - 1) }),
    block(rights, { dimensions: 2 }),
  ];
  for (const bytes of refused) {
    expect(() => verifySegment(bytes)).toThrow("cannot decode clusters");
  }
});
