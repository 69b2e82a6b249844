/** Segments on their way to the store: where memory is short, and what they hold of it. */

import { expect, test, vi } from "vitest";
import { documentOf, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { openKernelSpace } from "../../../test/support/segments/kernel-space.ts";
import { planSegment } from "../../../test/support/segments/plan-segment.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import { namespaceName, type SegmentId } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { fullBitmap } from "../../codec/bitmap.ts";
import { buildDocuments } from "../../codec/columns-builder.ts";
import { idAt } from "../../codec/columns-value.ts";
import { layoutOf } from "../../segment/format/segment-format.ts";
import type { SegmentMemory } from "../../segment/format/segment-memory.ts";
import { mergeWeight } from "../../segment/merge-weight.ts";
import { loadStoredSegment } from "../../segment/segment-objects.ts";
import { openSegment } from "../../segment/segment-reader.ts";
import { knownCentroids } from "../../segment/segment-reorder.ts";
import { CLUSTER_SECTIONS } from "../../segment/vectors/cluster-section.ts";
import { segmentKey } from "../../storage/object-keys.ts";
import { type StoreInput, type StoreTarget, storeSegments } from "./store-segments.ts";

const ROWS = 1500;
const SPACE = await openKernelSpace("auto");
const ann = { distanceMetric: "cosine_distance", lateInteraction: false } as const;
const SCHEMA = schemaOf({ vector: { type: "[4]f32", ann }, further: { type: "[4]f32", ann } });
const AT = { name: namespaceName("n"), generation: 1 };

function input(): StoreInput {
  const random = seededRandom(1);
  const types = new Map([...SCHEMA.attributes].map(([name, { type }]) => [name, type]));
  const vector = () => Float32Array.from({ length: 4 }, () => random.next() - 0.5);
  const documents = Array.from({ length: ROWS }, (_, i) =>
    documentOf(BigInt(i), { vector: vector(), further: vector() }),
  );
  const plan = planSegment(buildDocuments("uint", types, documents), SCHEMA);
  const block = SPACE.memory.allocate(plan.bytes);
  runSteps(plan.writeTo(block.bytes));
  const view = openSegment("in" as SegmentId, block.bytes, block);
  return { view, liveBitmap: fullBitmap(ROWS), liveCount: ROWS };
}

/** Memory whose allocation number `failing` finds no room. */
function shortMemory(failing: number): SegmentMemory & { readonly allocations: number } {
  let allocations = 0;
  return {
    allocate: (bytes) => {
      if (allocations++ === failing) throw new DatabaseError("out_of_memory", "no room");
      return SPACE.memory.allocate(bytes);
    },
    free: (place) => SPACE.memory.free(place),
    get allocations() {
      return allocations;
    },
  };
}

test("a segment that cannot be clustered for want of memory is stored as it is", async () => {
  const given = input();
  const usedBytes = SPACE.usedBytes;
  const outcomes: string[] = [];
  for (let failing = 0; ; failing++) {
    const memory = shortMemory(failing);
    const kernels = { kernels: SPACE.kernels, memory };
    try {
      const [stored] = await storeSegments([given], {
        store: new MemoryObjectStore(),
        generation: AT,
        schema: SCHEMA,
        baseVersion: 1,
        random: seededRandom(1),
        memory,
        clusters: { kernels, rowsMin: 100, clusterRows: 10 },
        yield: async () => {},
      });
      expect(stored.documentCount).toBe(ROWS);
      const head = Uint8Array.from(Buffer.from(stored.head, "base64"));
      const kinds = new Set(
        layoutOf(head)
          .directory(head)
          .map(({ kind }) => kind),
      );
      const isClustered = kinds.has(CLUSTER_SECTIONS.inOrder);
      expect(kinds.has(CLUSTER_SECTIONS.withOrdinals)).toBe(isClustered);
      outcomes.push(isClustered ? "clustered" : "as it is");
    } catch (error) {
      if (!isDatabaseError(error, "out_of_memory")) throw error;
      outcomes.push("refused");
    }
    expect(SPACE.usedBytes, `allocation ${failing}`).toBe(usedBytes);
    if (memory.allocations <= failing) break;
  }
  // The merge and the stored form need their room; training, dividing and reordering do without.
  expect(outcomes[0]).toBe("refused");
  expect(outcomes.slice(-2)).toEqual(["refused", "clustered"]);
  expect(outcomes.length).toBeGreaterThan(5);
  expect(outcomes.slice(1, -2)).toEqual(outcomes.slice(1, -2).map(() => "as it is"));
});

/** Memory that says how much of it was taken at most. */
function countedMemory(): SegmentMemory & { readonly mostBytes: number } {
  const first = SPACE.usedBytes;
  let mostBytes = 0;
  return {
    allocate: (bytes) => {
      const block = SPACE.memory.allocate(bytes);
      mostBytes = Math.max(mostBytes, SPACE.usedBytes - first);
      return block;
    },
    free: (place) => SPACE.memory.free(place),
    get mostBytes() {
      return mostBytes;
    },
  };
}

/** What is stored of inputs, whose memory is given back, and which were released. */
async function store(
  inputs: readonly StoreInput[],
  memory: SegmentMemory,
  more: Partial<StoreTarget> = {},
) {
  const released: number[] = [];
  const given = inputs.map((one, i) => {
    const place = { ...one.view.place, bytes: one.view.bytes };
    const release = () => {
      released.push(i);
      SPACE.memory.free(place);
    };
    return { ...one, release };
  });
  const objects = new MemoryObjectStore();
  const named: SegmentId[] = [];
  const stored = await storeSegments(given, {
    store: objects,
    generation: AT,
    schema: SCHEMA,
    baseVersion: 1,
    random: seededRandom(1),
    memory,
    clusters: { kernels: { kernels: SPACE.kernels, memory }, rowsMin: 100, clusterRows: 10 },
    yield: async () => {},
    named: (id) => void named.push(id),
    ...more,
  });
  return { stored, released, named, objects };
}

test("inputs are released once each, and a segment is in memory twice at most", async () => {
  const usedBytes = SPACE.usedBytes;
  const memory = countedMemory();
  const given = [input(), { ...input(), liveCount: 0 }];
  const { stored, released } = await store(given, memory);
  expect(released.sort()).toEqual([0, 1]);
  expect(stored.length).toBe(1);
  expect(memory.mostBytes).toBeLessThan(2.1 * stored[0].bytes);
  expect(SPACE.usedBytes).toBe(usedBytes);
});

test("where a put fails all memory is given back", async () => {
  const usedBytes = SPACE.usedBytes;
  const progress = () => {
    throw new DatabaseError("unavailable", "no store");
  };
  await expect(store([input()], SPACE.memory, { progress })).rejects.toThrow("no store");
  expect(SPACE.usedBytes).toBe(usedBytes);
});

test("what is too large for an object is stored in parts, with all documents", async () => {
  const usedBytes = SPACE.usedBytes;
  const { stored: whole } = await store([input()], SPACE.memory);
  const contentBytesMax = Math.floor(whole[0].bytes / 3);
  const { stored, named, objects } = await store([input()], SPACE.memory, { contentBytesMax });
  expect(stored.length).toBeGreaterThan(2);
  expect(stored.map(({ id }) => id)).toEqual(named);
  const ids = new Set<unknown>();
  for (const { id, bytes, documentCount } of stored) {
    expect(bytes).toBeLessThan(contentBytesMax + 1024);
    const to = { id, memory: SPACE.memory };
    const { view, place } = await loadStoredSegment(objects, segmentKey(AT, id), to);
    expect(view.documentCount).toBe(documentCount);
    for (let o = 0; o < documentCount; o++) ids.add(idAt(view.ids, o));
    SPACE.memory.free(place);
  }
  expect(ids.size).toBe(ROWS);
  expect(SPACE.usedBytes).toBe(usedBytes);
});

test("inputs are joined by what they weigh, of which vectors are half", async () => {
  const given = [input(), input()];
  const { view } = given[0];
  const weight = mergeWeight(view);
  expect(view.bytes - weight).toBe((ROWS * 2 * 16) / 2);
  const { stored } = await store(given, SPACE.memory, { weightMax: 1.9 * weight });
  expect(stored.length).toBe(2);
});

test("known centroids of other segments save the training", async () => {
  const scans = vi.spyOn(SPACE.kernels, "nearestRows");
  const scansOf = async (more: Partial<StoreTarget>) => {
    scans.mockClear();
    const outcome = await store([input()], SPACE.memory, more);
    return { ...outcome, count: scans.mock.calls.length };
  };
  const anew = await scansOf({});
  const [{ id }] = anew.stored;
  const to = { id, memory: SPACE.memory };
  const { view, place } = await loadStoredSegment(anew.objects, segmentKey(AT, id), to);
  const known = knownCentroids(SCHEMA, [view]);
  SPACE.memory.free(place);
  const again = await scansOf({ known });
  expect(again.count).toBeLessThan(anew.count / 2);
  scans.mockRestore();
});
