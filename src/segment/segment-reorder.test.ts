/** Reordered segments are those that would be written in that order; clustered ones are in order. */

import { expect, test } from "vitest";
import { type MakeView, segmentViewConformance } from "../../test/conformance/segment-view.ts";
import { documentOf, schemaOf } from "../../test/support/queries/query-fixture.ts";
import { randomDocuments } from "../../test/support/random/random-documents.ts";
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
import { copyInSteps } from "../codec/columns-packing.ts";
import type { Schema } from "../model/schema.ts";
import type { AttributeValue } from "../model/value.ts";
import { vectorDistance } from "../vector/metric.ts";
import { BlockSource } from "./format/byte-source.ts";
import { planBlock, sealInPlace } from "./format/segment-format.ts";
import type { SegmentPlan } from "./format/segment-layout.ts";
import { planMerge } from "./segment-merger.ts";
import { type OpenSegment, openSegment } from "./segment-reader.ts";
import { planClustered } from "./segment-reorder.ts";
import { verifySegment } from "./segment-seal.ts";
import { openStoredSegment } from "./stored-segment-reader.ts";
import { encodeStoredSegment } from "./stored-segment-writer.ts";
import { CLUSTER_INDEX } from "./vectors/cluster-index.ts";
import { planClusters } from "./vectors/cluster-section.ts";

const ID = "s" as SegmentId;
const SPACE = await openKernelSpace("auto");

const inOrder: MakeView = (documents, schema, random) => {
  const memory = new TestSegmentMemory();
  const view = reorderedSegment(documents, { schema, random, memory });
  verifySegment(sealed(view));
  return { view, memory: (arena) => memory.buffer(arena) };
};

segmentViewConformance("a reordered segment", inOrder);

const storedInOrder: MakeView = (documents, schema, random) => {
  const view = reorderedSegment(documents, { schema, random, memory: new TestSegmentMemory() });
  const { content, head } = encodeStoredSegment(view, schema);
  verifySegment(content);
  const source = new BlockSource({ arena: 0, offset: 0, bytes: content });
  return { view: openStoredSegment(ID, head, () => source), memory: () => content.buffer };
};

segmentViewConformance("a reordered segment in its stored form", storedInOrder);

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
  const plan = planClustered(view, schema, inputs, TOOLS);
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

function distanceToOwn(view: OpenSegment, attribute: string, ordinal: number, cluster: number) {
  const found = view.index(CLUSTER_INDEX, attribute);
  const vector = view.column(attribute)?.value(ordinal as Ordinal);
  if (found === undefined || !(vector instanceof Float32Array)) throw new Error("no vector");
  const { centroids, dimensions, metric } = found;
  const centroid = centroids.subarray(cluster * dimensions, (cluster + 1) * dimensions);
  return vectorDistance(metric, vector, centroid);
}

test("clusters are ranges of rows, and documents without a vector come last", () => {
  const view = segmentOf(documents(500, 1), SCHEMA);
  const found = clustered(view) as OpenSegment;
  verifySegment(sealed(found));
  expect(contents(found)).toEqual(contents(view));
  expect(found.hasIndex(CLUSTER_INDEX, "vector")).toBe(true);
  expect(found.hasIndex(CLUSTER_INDEX, "other")).toBe(false);
  expect(found.index(CLUSTER_INDEX, "other")).toBeUndefined();
  const { starts, count, metric } = found.index(CLUSTER_INDEX, "vector") ?? {
    starts: [],
    count: 0,
  };
  expect(count).toBeGreaterThan(20);
  expect(metric).toBe("euclidean_squared");
  let own = 0;
  let next = 0;
  for (let c = 0; c < count; c++) {
    for (let o = starts[c]; o < starts[c + 1]; o++) {
      own += distanceToOwn(found, "vector", o, c);
      next += distanceToOwn(found, "vector", o, (c + 1) % count);
    }
  }
  expect(own).toBeLessThan(0.7 * next);
  for (let o = 0; o < found.documentCount; o++) {
    const hasVector = found.column("vector")?.has(o as Ordinal);
    expect(hasVector).toBe(o < starts[count]);
  }
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
  expect(contents(found)).toEqual(contents(merged));
  expect(clustered(merged, inputs)?.block).toEqual(found.block);
  expect(clustered(merged)?.index(CLUSTER_INDEX, "vector")).not.toEqual(
    found.index(CLUSTER_INDEX, "vector"),
  );
});

test("clusters that contradict themselves are refused", () => {
  const block = (starts: number[], centroids: number, metric = 0) => {
    const clusters = planClusters("vector", {
      metric: "cosine_distance",
      dimensions: 2,
      starts: Uint32Array.from(starts),
      centroids: new Float32Array(centroids),
    });
    const writeTo = function* (target: Uint8Array) {
      yield* clusters.writeTo(target);
      new Uint32Array(target.buffer, target.byteOffset, 2)[1] = metric;
    };
    const view = segmentOf(documents(20, 6), SCHEMA);
    const copied = view.entries.map(({ kind, attribute, offset, bytes }) => ({
      kind,
      attribute,
      bytes,
      writeTo: (target: Uint8Array) =>
        copyInSteps(view.block.subarray(offset, offset + bytes), target),
    }));
    const { documentCount, idType, logicalBytes } = view;
    return write(
      planBlock({ documentCount, idType, logicalBytes }, [...copied, { ...clusters, writeTo }]),
    );
  };
  const faulty: [number[], number, number?][] = [
    [[0, 5, 4], 4],
    [[1, 5], 2],
    [[0, 21], 2],
    [[0, 5], 4],
    [[], 0],
    [[0, 5], 2, 9],
    // The vectors have another number of dimensions.
    [[0, 5], 2],
  ];
  for (const [starts, centroids, metric] of faulty) {
    const bytes = sealed(block(starts, centroids, metric));
    expect(() => verifySegment(bytes)).toThrow("cannot decode clusters");
  }
  try {
    block([1, 5], 2).index(CLUSTER_INDEX, "vector");
    expect.unreachable();
  } catch (error) {
    expect(isDatabaseError(error, "corrupt")).toBe(true);
  }
});
