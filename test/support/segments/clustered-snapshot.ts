/** Snapshots whose segments have their rows by cluster. */

import type { Ordinal } from "../../../src/base/ids.ts";
import { runSteps } from "../../../src/base/steps.ts";
import { hasBit, setBit } from "../../../src/codec/bitmap.ts";
import type { Snapshot } from "../../../src/query/operator/snapshot.ts";
import { arenaSegmentMemory } from "../../../src/segment/format/arena-segment-memory.ts";
import { type OpenSegment, openSegment } from "../../../src/segment/segment-reader.ts";
import { planClustered } from "../../../src/segment/segment-reorder.ts";
import type { SegmentSnapshot } from "../../../src/segment/view/segment-view.ts";
import { ARENAS, KERNELS } from "../queries/query-fixture.ts";

/** Memory that the kernels of the fixtures read. */
export const ARENA_MEMORY = arenaSegmentMemory(ARENAS);

/** The same snapshot with the rows of segments by cluster, where there is a vector. */
export function clusteredSnapshot(
  snapshot: Snapshot,
  { clusterRows }: { readonly clusterRows: number },
): Snapshot {
  const tools = { kernels: { kernels: KERNELS, memory: ARENA_MEMORY }, rowsMin: 1, clusterRows };
  const segments = snapshot.segments.map((segment): SegmentSnapshot => {
    const before = segment.view as OpenSegment;
    const plan = planClustered(before, snapshot.schema, new Map(), tools);
    if (plan === undefined) return segment;
    const block = ARENA_MEMORY.allocate(plan.bytes);
    runSteps(plan.writeTo(block.bytes));
    const view = openSegment(before.id, block.bytes, block);
    const liveBitmap = new Uint32Array(segment.liveBitmap.length);
    for (let o = 0; o < view.documentCount; o++) {
      const old = before.ordinalOf(view.idOf(o as Ordinal));
      if (old !== undefined && hasBit(segment.liveBitmap, old)) setBit(liveBitmap, o);
    }
    const { liveCount, liveVersion } = segment;
    return { view, liveBitmap, liveCount, liveVersion };
  });
  return { ...snapshot, segments };
}
