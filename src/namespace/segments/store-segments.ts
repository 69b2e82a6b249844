/**
 * Live documents of segments in memory → stored segments. Several small inputs become one object;
 * none of the objects has more than a stored segment may have.
 */

import { MIB } from "../../base/byte-sizes.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { SegmentId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { Schema } from "../../model/schema.ts";
import type { SegmentEntry } from "../../model/segment-entry.ts";
import { newSegmentId } from "../../segment/format/segment-id.ts";
import type { SegmentPlan } from "../../segment/format/segment-layout.ts";
import type { SegmentMemory } from "../../segment/format/segment-memory.ts";
import { indexFingerprint } from "../../segment/index-fingerprint.ts";
import { planMerge } from "../../segment/segment-merger.ts";
import { putStoredSegment } from "../../segment/segment-objects.ts";
import { type OpenSegment, openSegment } from "../../segment/segment-reader.ts";
import { type ClusterOptions, planClustered } from "../../segment/segment-reorder.ts";
import { encodeStoredSegment } from "../../segment/stored-segment-writer.ts";
import { type NamespaceGeneration, segmentKey } from "../../storage/object-keys.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

/** Bytes of a stored segment, about; a merge holds two of them in memory, and its output. */
export const STORED_SEGMENT_BYTES_MAX = 512 * MIB;

/** A whole segment in memory and its live documents. */
export interface StoreInput {
  readonly view: OpenSegment;
  readonly liveBitmap: Uint32Array;
  readonly liveCount: number;
}

/** Where stored segments go, and what they are made with. */
export interface StoreTarget {
  readonly store: ObjectStore;
  readonly generation: NamespaceGeneration;
  readonly schema: Schema;
  /** The manifest version that the next one is made from; 0 if there is none. */
  readonly baseVersion: number;
  readonly random: Random;
  /** Holds what is being merged. */
  readonly memory: SegmentMemory;
  /** How large segments are clustered; undefined where that would take too long. */
  readonly clusters?: ClusterOptions;
  yield(): Promise<void>;
  /** Hears of each name before an object is put under it: a put that fails may have been done. */
  named?(id: SegmentId): void;
  /** An object was put: so many bytes. */
  progress?(bytes: number): void;
}

/** Puts all live documents of `inputs`. What was put before a throw is garbage. */
export async function storeSegments(
  inputs: readonly StoreInput[],
  target: StoreTarget,
): Promise<SegmentEntry[]> {
  const stored: SegmentEntry[] = [];
  for (const group of groupsOf(inputs)) {
    stored.push(await storeOne(group, target));
    await target.yield();
  }
  return stored;
}

async function storeOne(group: readonly StoreInput[], target: StoreTarget): Promise<SegmentEntry> {
  const { generation, schema, store, baseVersion, random } = target;
  const id = newSegmentId(baseVersion, random);
  target.named?.(id);
  let whole = build(runSteps(planMerge(group, schema)), id, target);
  try {
    const ordered = clusteredOf(whole.view, group, id, target);
    if (ordered !== undefined) {
      whole.free();
      whole = ordered;
    }
    const stored = encodeStoredSegment(whole.view, schema);
    const bytes = await putStoredSegment(store, segmentKey(generation, id), stored);
    target.progress?.(bytes);
    return {
      id,
      documentCount: whole.view.documentCount,
      bytes,
      deletedCount: 0,
      head: Buffer.from(stored.head).toString("base64"),
      indexMark: indexFingerprint(schema),
    };
  } finally {
    whole.free();
  }
}

/** The segment with its rows by cluster; undefined where it has none, or memory is short. */
function clusteredOf(
  view: OpenSegment,
  group: readonly StoreInput[],
  id: SegmentId,
  target: StoreTarget,
): BuiltSegment | undefined {
  const { clusters, schema } = target;
  if (clusters === undefined) return undefined;
  try {
    const inputs = group.map((input) => input.view);
    const plan = planClustered(view, schema, inputs, clusters);
    return plan && build(plan, id, target);
  } catch (error) {
    if (!isDatabaseError(error, "overloaded")) throw error;
    return undefined;
  }
}

/** A segment in memory that is ours. */
interface BuiltSegment {
  readonly view: OpenSegment;
  free(): void;
}

function build(plan: SegmentPlan, id: SegmentId, { memory }: StoreTarget): BuiltSegment {
  const block = memory.allocate(plan.bytes);
  const place = { arena: block.arena, offset: block.offset, bytes: plan.bytes };
  const free = () => memory.free(place);
  try {
    runSteps(plan.writeTo(block.bytes));
    return { view: openSegment(id, block.bytes, block), free };
  } catch (error) {
    // Codes are written with memory of their own, which may run out.
    free();
    throw error;
  }
}

/** Inputs in their order, joined while they fit. */
function groupsOf(inputs: readonly StoreInput[]): StoreInput[][] {
  const groups: StoreInput[][] = [];
  let bytes = 0;
  for (const input of inputs) {
    const { view, liveCount } = input;
    if (liveCount === 0) continue;
    const size = (view.bytes * liveCount) / view.documentCount;
    const last = groups.at(-1);
    if (last === undefined || bytes + size > STORED_SEGMENT_BYTES_MAX) {
      groups.push([input]);
      bytes = size;
    } else {
      last.push(input);
      bytes += size;
    }
  }
  return groups;
}
