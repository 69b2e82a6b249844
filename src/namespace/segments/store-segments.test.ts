/** Segments on their way to the store where memory is short. */

import { expect, test } from "vitest";
import { documentOf, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { openKernelSpace } from "../../../test/support/segments/kernel-space.ts";
import { planSegment } from "../../../test/support/segments/plan-segment.ts";
import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import { namespaceName, type SegmentId } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { fullBitmap } from "../../codec/bitmap.ts";
import { buildDocuments } from "../../codec/columns-builder.ts";
import { layoutOf } from "../../segment/format/segment-format.ts";
import type { SegmentMemory } from "../../segment/format/segment-memory.ts";
import { openSegment } from "../../segment/segment-reader.ts";
import { CLUSTER_SECTIONS } from "../../segment/vectors/cluster-section.ts";
import { MemoryObjectStore } from "../../storage/memory-object-store.ts";
import { type StoreInput, storeSegments } from "./store-segments.ts";

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
      if (allocations++ === failing) throw new DatabaseError("overloaded", "no room");
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
      if (!isDatabaseError(error, "overloaded")) throw error;
      outcomes.push("refused");
    }
    expect(SPACE.usedBytes, `allocation ${failing}`).toBe(usedBytes);
    if (memory.allocations <= failing) break;
  }
  // The merge itself needs its room; training, dividing and reordering do without.
  expect(outcomes[0]).toBe("refused");
  expect(outcomes.at(-1)).toBe("clustered");
  expect(outcomes.length).toBeGreaterThan(4);
  expect(outcomes.slice(1, -1)).toEqual(outcomes.slice(1, -1).map(() => "as it is"));
});
