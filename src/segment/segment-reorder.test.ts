/** Reordered segments are those that would be written in that order; clustered ones are in order. */

import { expect, test } from "vitest";
import { type MakeView, segmentViewConformance } from "../../test/conformance/segment-view.ts";
import { cases } from "../../test/support/effort.ts";
import { expectEqual } from "../../test/support/expect-equal.ts";
import { documentOf, schemaOf } from "../../test/support/queries/query-fixture.ts";
import { randomDocuments } from "../../test/support/random/random-documents.ts";
import { copiedSections } from "../../test/support/segments/copied-sections.ts";
import { encodeStoredSegment } from "../../test/support/segments/encode-stored-segment.ts";
import { openKernelSpace } from "../../test/support/segments/kernel-space.ts";
import { planSegment } from "../../test/support/segments/plan-segment.ts";
import { reorderedSegment } from "../../test/support/segments/segment-forms.ts";
import { TestSegmentMemory } from "../../test/support/segments/test-segment-memory.ts";
import { isDatabaseError } from "../base/errors.ts";
import type { Ordinal, SegmentId } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { clearBit, fullBitmap } from "../codec/bitmap.ts";
import { buildDocuments, type TypedDocument } from "../codec/columns-builder.ts";
import type { Schema } from "../model/schema.ts";
import type { AttributeValue } from "../model/value.ts";
import { vectorDistance } from "../vector/metric.ts";
import { BlockSource } from "./format/byte-source.ts";
import { planBlock, sealInPlace } from "./format/segment-format.ts";
import type { SegmentPlan } from "./format/segment-layout.ts";
import { planMerge } from "./segment-merger.ts";
import { type OpenSegment, openSegment } from "./segment-reader.ts";
import { knownCentroids, planClustered } from "./segment-reorder.ts";
import { verifySegment } from "./segment-seal.ts";
import { openStoredSegment } from "./stored-segment-reader.ts";
import { CLUSTER_INDEX } from "./vectors/cluster-index.ts";
import { type ClusterView, planClusters } from "./vectors/cluster-section.ts";
import type { Clusters } from "./view/attribute-index.ts";

const SEEDS = cases({ usual: 3, full: 24 });
const ID = "s" as SegmentId;
const SPACE = await openKernelSpace("auto");

const inOrder: MakeView = (documents, schema, random) => {
  const memory = new TestSegmentMemory();
  const view = reorderedSegment(documents, { schema, random, memory });
  verifySegment(sealed(view));
  return { view, memory: (arena) => memory.buffer(arena) };
};

segmentViewConformance("a reordered segment", inOrder, SEEDS);

const storedInOrder: MakeView = (documents, schema, random) => {
  const view = reorderedSegment(documents, { schema, random, memory: new TestSegmentMemory() });
  const { content, head } = encodeStoredSegment(view, schema);
  verifySegment(content);
  const source = new BlockSource({ arena: 0, offset: 0, bytes: content });
  return { view: openStoredSegment(ID, head, () => source), memory: () => content.buffer };
};

segmentViewConformance("a reordered segment in its stored form", storedInOrder, SEEDS);

function sealed(view: OpenSegment): Uint8Array<ArrayBuffer> {
  const block = Uint8Array.from(view.block);
  sealInPlace(block);
  return block;
}

function write(plan: SegmentPlan): OpenSegment {
  const block = SPACE.memory.allocate(plan.bytes);
  runSteps(plan.writeTo(block.bytes));
  return openSegment(ID, block.bytes, block);
}

const SCHEMA = schemaOf({
  vector: { type: "[6]f16", ann: { distanceMetric: "euclidean_squared", lateInteraction: false } },
  other: { type: "[6]f32", ann: { distanceMetric: "cosine_distance", lateInteraction: false } },
  text: "string",
});

/** Documents with and without vectors. */
function documents(count: number, seed: number): TypedDocument[] {
  const random = seededRandom(seed);
  const types = new Map([...SCHEMA.attributes].map(([name, { type }]) => [name, type]));
  return randomDocuments(random, count, { idType: "uint", types, space: 1e9 });
}

function segmentOf(rows: readonly TypedDocument[], schema: Schema): OpenSegment {
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  return write(planSegment(buildDocuments("uint", types, rows), schema));
}

const TOOLS = { kernels: SPACE, rowsMin: 10, clusterRows: 8 };

function clustered(view: OpenSegment, inputs: readonly OpenSegment[] = [], schema = SCHEMA) {
  const plan = planClustered(view, schema, knownCentroids(schema, inputs), TOOLS);
  return plan === undefined ? undefined : write(plan);
}

function contents(view: OpenSegment): Map<unknown, AttributeValue[]> {
  return new Map(
    Array.from({ length: view.documentCount }, (_, o) => {
      const at = o as Ordinal;
      const values = [...SCHEMA.attributes.keys()].map(
        (name) => view.column(name)?.value(at) ?? null,
      );
      return [view.idOf(at), values];
    }),
  );
}

/** Mean distance of an attribute's vectors from the centroids of their clusters, and of the next. */
function distancesOf(view: OpenSegment, attribute: string): { own: number; next: number } {
  const found = clustersOf(view, attribute);
  const { starts, count, ordinals, centroids, dimensions, metric } = found;
  const distance = (ordinal: number, cluster: number) => {
    const vector = view.column(attribute)?.value(ordinal as Ordinal);
    if (!(vector instanceof Float32Array)) throw new Error(`${ordinal} has no vector`);
    const centroid = centroids.subarray(cluster * dimensions, (cluster + 1) * dimensions);
    return vectorDistance(metric, vector, centroid);
  };
  const sums = { own: 0, next: 0 };
  for (let c = 0; c < count; c++) {
    for (let at = starts[c]; at < starts[c + 1]; at++) {
      const ordinal = ordinals?.[at] ?? at;
      sums.own += distance(ordinal, c) / starts[count];
      sums.next += distance(ordinal, (c + 1) % count) / starts[count];
    }
  }
  return sums;
}

function clustersOf(view: OpenSegment, attribute: string): ClusterView {
  return view.index(CLUSTER_INDEX, attribute) ?? expect.unreachable();
}

/** Ordinals of the documents with a vector. */
function withVector(view: OpenSegment, attribute: string): number[] {
  const all = Array.from({ length: view.documentCount }, (_, o) => o);
  return all.filter((o) => view.column(attribute)?.has(o as Ordinal));
}

test("clusters are ranges of rows, and documents without a vector come last", () => {
  const view = segmentOf(documents(500, 1), SCHEMA);
  const found = clustered(view) as OpenSegment;
  verifySegment(sealed(found));
  expectEqual(contents(found), contents(view));
  const { starts, count, metric, ordinals } = clustersOf(found, "vector");
  expect(count).toBeGreaterThan(20);
  expect(metric).toBe("euclidean_squared");
  expect(ordinals).toBeUndefined();
  const { own, next } = distancesOf(found, "vector");
  expect(own).toBeLessThan(0.7 * next);
  const rows = withVector(found, "vector");
  expect(rows).toHaveLength(starts[count]);
  expect(rows.at(-1)).toBe(starts[count] - 1);
  expect(starts[count]).toBeLessThan(found.documentCount);
});

test("clusters of further vectors have ordinals, those with a vector once", () => {
  const view = segmentOf(documents(500, 1), SCHEMA);
  const found = clustered(view) as OpenSegment;
  const { count, metric, ordinals } = clustersOf(found, "other");
  expect(count).toBeGreaterThan(20);
  expect(metric).toBe("cosine_distance");
  expect([...(ordinals ?? [])].sort((a, b) => a - b)).toEqual(withVector(found, "other"));
  expect(ordinals).toHaveLength(clustersOf(found, "other").starts[count]);
  expect(ordinals?.length).toBeLessThan(found.documentCount);
  const { own, next } = distancesOf(found, "other");
  expect(own).toBeLessThan(0.7 * next);
  const kinds = (attribute: string) => found.sections(attribute).entries.map(({ kind }) => kind);
  expect(kinds("vector")).toEqual([4, 3, 14, 17, 18, 19]);
  // What earlier programs take for ranges of ordinals is not there.
  expect(kinds("other")).toEqual([4, 3, 20, 21, 22, 23]);
});

test("where the main vectors are too few, others give the order", () => {
  const rows = documents(300, 7);
  const few = rows.map(({ id, attributes }, i) => {
    const { vector: _, ...rest } = Object.fromEntries(attributes);
    return { id, attributes: i < TOOLS.rowsMin - 1 ? attributes : new Map(Object.entries(rest)) };
  });
  const found = clustered(segmentOf(few, SCHEMA)) as OpenSegment;
  expect(found.hasIndex(CLUSTER_INDEX, "vector")).toBe(false);
  const { ordinals, starts, count } = clustersOf(found, "other");
  expect(ordinals).toBeUndefined();
  expect(withVector(found, "other").at(-1)).toBe(starts[count] - 1);
  const tenth = rows.map(({ id, attributes }, i) => {
    const { other: _, ...rest } = Object.fromEntries(attributes);
    return { id, attributes: i < TOOLS.rowsMin - 1 ? attributes : new Map(Object.entries(rest)) };
  });
  const alone = clustered(segmentOf(tenth, SCHEMA)) as OpenSegment;
  expect(clustersOf(alone, "vector").ordinals).toBeUndefined();
  expect(alone.hasIndex(CLUSTER_INDEX, "other")).toBe(false);
});

test("the attribute named `vector` is clustered, else the first by name that is searched", () => {
  const { vector: _, ...rest } = Object.fromEntries(SCHEMA.attributes);
  const without: Schema = { ...SCHEMA, attributes: new Map(Object.entries(rest)) };
  const view = segmentOf(documents(100, 2), SCHEMA);
  expect(clustered(view, [], without)?.hasIndex(CLUSTER_INDEX, "other")).toBe(true);
  const unsearched = schemaOf({ vector: "[6]f16", text: "string" });
  expect(clustered(view, [], unsearched)).toBeUndefined();
});

test("few vectors are left as they are", () => {
  expect(clustered(segmentOf(documents(9, 3), SCHEMA))).toBeUndefined();
  const bare = Array.from({ length: 100 }, (_, i) => documentOf(BigInt(i), { text: "a" }));
  expect(clustered(segmentOf(bare, SCHEMA))).toBeUndefined();
});

test("a merge of clustered segments has all live documents, by clusters again", () => {
  const inputs = [documents(300, 4), documents(40, 5)].map((rows) => {
    return clustered(segmentOf(rows, SCHEMA)) as OpenSegment;
  });
  const live = inputs.map(({ documentCount }) => fullBitmap(documentCount));
  for (let o = 0; o < 300; o += 7) clearBit(live[0], o);
  const merged = write(
    runSteps(
      planMerge(
        inputs.map((view, i) => ({ view, liveBitmap: live[i] })),
        SCHEMA,
      ),
    ),
  );
  expect(merged.hasIndex(CLUSTER_INDEX, "vector")).toBe(false);
  const found = clustered(merged, inputs) as OpenSegment;
  expectEqual(contents(found), contents(merged));
  expectEqual(clustered(merged, inputs)?.block, found.block);
  const anew = clustered(merged) as OpenSegment;
  for (const attribute of ["vector", "other"]) {
    const { centroids } = clustersOf(found, attribute);
    expect(clustersOf(anew, attribute).centroids, attribute).not.toEqual(centroids);
    expect(distancesOf(found, attribute).own).toBeLessThan(
      0.7 * distancesOf(found, attribute).next,
    );
  }
});

test("clusters that contradict themselves are refused", () => {
  const view = segmentOf(documents(20, 6), SCHEMA);
  const block = (planned: Partial<Clusters>, metric = 0) => {
    const clusters = planClusters("vector", {
      metric: "cosine_distance",
      dimensions: 6,
      starts: Uint32Array.of(0, 5),
      centroids: new Float32Array(6),
      ...planned,
    });
    const writeTo = function* (target: Uint8Array) {
      yield* clusters.writeTo(target);
      new Uint32Array(target.buffer, target.byteOffset, 2)[1] = metric;
    };
    const { documentCount, idType, logicalBytes } = view;
    return write(
      planBlock({ documentCount, idType, logicalBytes }, [
        ...copiedSections(view),
        { ...clusters, writeTo },
      ]),
    );
  };
  const starts = (...all: number[]) => ({ starts: Uint32Array.from(all) });
  const ordinals = (...all: number[]) => ({ ordinals: Uint32Array.from(all) });
  const faulty: [Partial<Clusters>, number?][] = [
    [{ ...starts(0, 5, 4), centroids: new Float32Array(12) }],
    [starts(1, 5)],
    [starts(0, 21)],
    [{ centroids: new Float32Array(12) }],
    [{ ...starts(), centroids: new Float32Array(0) }],
    [{}, 9],
    // The vectors have another number of dimensions.
    [{ dimensions: 2, centroids: new Float32Array(2) }],
    [ordinals(0, 1, 2, 3)],
    [ordinals(0, 1, 2, 3, 4, 5)],
    // These are not seen where a segment is opened.
    [ordinals(0, 1, 2, 3, 20)],
    [ordinals(0, 1, 2, 3, 1)],
  ];
  for (const [planned, metric] of faulty) {
    const bytes = sealed(block(planned, metric));
    expect(() => verifySegment(bytes)).toThrow("cannot decode clusters");
  }
  for (const right of [{}, ordinals(19, 3, 7, 0, 1)]) verifySegment(sealed(block(right)));
  for (const [planned] of [faulty[1], faulty[7]]) {
    try {
      block(planned).index(CLUSTER_INDEX, "vector");
      expect.unreachable();
    } catch (error) {
      expect(isDatabaseError(error, "corrupt")).toBe(true);
    }
  }
});
