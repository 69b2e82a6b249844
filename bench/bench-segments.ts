/** Segments in memory that kernels read, for measurements in one thread. */

import { type SegmentId, sequenceNumber } from "../src/base/ids.ts";
import type { Random } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { fullBitmap } from "../src/codec/bitmap.ts";
import { Arenas } from "../src/kernel/arena.ts";
import { ArenaKernels } from "../src/kernel/arena-kernels.ts";
import { compileKernel } from "../src/kernel/load-kernel.ts";
import type { Schema } from "../src/model/schema.ts";
import type { Snapshot } from "../src/query/operator/snapshot.ts";
import { arenaSegmentMemory } from "../src/segment/format/arena-segment-memory.ts";
import type { SegmentPlan } from "../src/segment/format/segment-layout.ts";
import type { SegmentMemory } from "../src/segment/format/segment-memory.ts";
import { type OpenSegment, openSegment } from "../src/segment/segment-reader.ts";
import type { KernelSpace } from "../src/vector/centroids.ts";

const GIB = 1024 ** 3;

/** Memory for as much as is measured, and the fastest kernels. */
export async function openBenchSpace(): Promise<KernelSpace> {
  const arenas = new Arenas({ totalBytes: 16 * GIB, threads: 1, arenaBytes: 2 * GIB });
  const kernels = new ArenaKernels(await compileKernel("auto"), 0);
  arenas.onArena((memory, arena) => kernels.attach(arena, memory));
  return { kernels, memory: arenaSegmentMemory(arenas) };
}

/** Writes a segment into memory, and opens it. */
export function writeSegment(memory: SegmentMemory, plan: SegmentPlan, name: string): OpenSegment {
  const block = memory.allocate(plan.bytes);
  runSteps(plan.writeTo(block.bytes));
  return openSegment(name as SegmentId, block.bytes, block);
}

/** What queries see of segments all of whose documents live. */
export function snapshotOf(schema: Schema, segments: readonly OpenSegment[]): Snapshot {
  return {
    sequence: sequenceNumber(1),
    schema,
    segments: segments.map((view) => {
      const { documentCount } = view;
      const liveBitmap = fullBitmap(documentCount);
      return { view, liveBitmap, liveCount: documentCount, liveVersion: 0 };
    }),
    unindexedCount: 0,
    logicalBytes: 0,
  };
}

/** Nearly normal, with a mean of 0 and a variance of 1/3. */
export function normal(random: Random): number {
  return random.next() + random.next() + random.next() + random.next() - 2;
}
