/**
 * Live documents of segments in memory → stored segments. Several small inputs become one object;
 * none of the objects has more than a stored segment may have.
 */

import { MIB, OBJECT_BYTES_MAX } from "../../base/byte-sizes.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { SegmentId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { bitmapWords, setBit } from "../../codec/bitmap.ts";
import type { ArenaBytes } from "../../kernel/arena.ts";
import type { Schema } from "../../model/schema.ts";
import type { SegmentEntry } from "../../model/segment-entry.ts";
import { newSegmentId } from "../../segment/format/segment-id.ts";
import type { SegmentPlan } from "../../segment/format/segment-layout.ts";
import type { SegmentMemory } from "../../segment/format/segment-memory.ts";
import { makePages, pageBufferBytes, unpagedContent } from "../../segment/format/segment-pages.ts";
import { indexFingerprint } from "../../segment/index-fingerprint.ts";
import { mergeWeight } from "../../segment/merge-weight.ts";
import { planMerge } from "../../segment/segment-merger.ts";
import { putStoredSegment } from "../../segment/segment-objects.ts";
import { type OpenSegment, openSegment } from "../../segment/segment-reader.ts";
import {
  type ClusterOptions,
  type KnownCentroids,
  knownCentroids,
  planClustered,
} from "../../segment/segment-reorder.ts";
import { planStoredSegment, writeStoredSegment } from "../../segment/stored-segment-writer.ts";
import { type NamespaceGeneration, segmentKey } from "../../storage/object-keys.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

/** In memory a segment needs no name. */
const UNNAMED = "" as SegmentId;

/**
 * What a stored segment weighs, about (`mergeWeight`): vectors alone reach twice as many bytes. So,
 * with what growing may add, it stays below what an object may have, and fits a usual arena.
 */
export const STORED_SEGMENT_WEIGHT_MAX = 480 * MIB;

/** Content of a segment at most: frame, pages and encryption add less than a thousandth to it. */
const CONTENT_BYTES_MAX = OBJECT_BYTES_MAX - MIB;

/** A whole segment in memory and its live documents. */
export interface StoreInput {
  readonly view: OpenSegment;
  readonly liveBitmap: Uint32Array;
  readonly liveCount: number;
  /** Nothing of it is read any more: gives back its memory. Called once at most. */
  release?(): void;
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
  /** Inputs are joined up to this weight; if it is not given, STORED_SEGMENT_WEIGHT_MAX. */
  readonly weightMax?: number;
  /** Content of an object at most, unless a test says otherwise. */
  readonly contentBytesMax?: number;
  /** How large segments are clustered; undefined where that would take too long. */
  readonly clusters?: ClusterOptions;
  /** Centroids of segments of about the same size, for inputs that have none. */
  readonly known?: KnownCentroids;
  yield(): Promise<void>;
  /** Hears of each name before an object is put under it: a put that fails may have been done. */
  named?(id: SegmentId): void;
  /** An object was put: so many bytes. */
  progress?(bytes: number): void;
}

/**
 * Puts all live documents of `inputs`, and releases each input as soon as it is merged: beside them
 * there is never more in memory than twice what becomes one object. What was put before a throw is
 * garbage.
 */
export async function storeSegments(
  inputs: readonly StoreInput[],
  target: StoreTarget,
): Promise<SegmentEntry[]> {
  const stored: SegmentEntry[] = [];
  for (const input of inputs) if (input.liveCount === 0) input.release?.();
  for (const group of groupsOf(inputs, target.weightMax ?? STORED_SEGMENT_WEIGHT_MAX)) {
    await target.yield();
    stored.push(...(await storeGroup(group, target)));
  }
  return stored;
}

async function storeGroup(
  group: readonly StoreInput[],
  target: StoreTarget,
): Promise<SegmentEntry[]> {
  const whole = mergeGroup(group, target);
  try {
    const plan = planStoredSegment(whole.view, target.schema);
    const { contentBytesMax = CONTENT_BYTES_MAX } = target;
    if (plan.bytes > contentBytesMax && plan.documentCount > 1) {
      const stored: SegmentEntry[] = [];
      for (const half of halvesOf(whole.view)) stored.push(...(await storeGroup([half], target)));
      return stored;
    }
    return [await putSegment(whole, plan, target)];
  } finally {
    whole.free();
  }
}

/** Merges all inputs, with rows by cluster where there are clusters and memory for it. */
function mergeGroup(group: readonly StoreInput[], target: StoreTarget): BuiltSegment {
  const { clusters, schema } = target;
  const inputs = group.map(({ view }) => view);
  const known = new Map([...(target.known ?? []), ...knownCentroids(schema, inputs)]);
  const merged = build(runSteps(planMerge(group, schema)), target);
  let ordered: BuiltSegment | undefined;
  try {
    for (const input of group) input.release?.();
    if (clusters === undefined) return merged;
    const plan = planClustered(merged.view, schema, known, clusters);
    ordered = plan && build(plan, target);
  } catch (error) {
    if (!isDatabaseError(error, "out_of_memory")) {
      merged.free();
      throw error;
    }
  }
  if (ordered === undefined) return merged;
  merged.free();
  return ordered;
}

/** Puts a segment as a plan of its stored form says, and frees it as soon as that is written. */
async function putSegment(
  whole: BuiltSegment,
  plan: SegmentPlan,
  target: StoreTarget,
): Promise<SegmentEntry> {
  const { generation, schema, store, baseVersion, random, memory } = target;
  const id = newSegmentId(baseVersion, random);
  const key = segmentKey(generation, id);
  const block = allocate(pageBufferBytes(plan.bytes), memory);
  try {
    const head = writeStoredSegment(plan, unpagedContent(block.bytes, plan.bytes));
    whole.free();
    const pages = makePages(block.bytes, plan.bytes, key);
    target.named?.(id);
    const bytes = await putStoredSegment(store, key, pages);
    target.progress?.(bytes);
    return {
      id,
      documentCount: plan.documentCount,
      bytes,
      deletedCount: 0,
      head: Buffer.from(head).toString("base64"),
      indexFingerprint: indexFingerprint(schema),
    };
  } finally {
    block.free();
  }
}

/** The documents of a segment in two parts, by their order; each has some. */
function halvesOf(view: OpenSegment): StoreInput[] {
  const { documentCount } = view;
  const middle = documentCount >> 1;
  return [
    { start: 0, end: middle },
    { start: middle, end: documentCount },
  ].map(({ start, end }) => {
    const liveBitmap = new Uint32Array(bitmapWords(documentCount));
    for (let ordinal = start; ordinal < end; ordinal++) setBit(liveBitmap, ordinal);
    return { view, liveBitmap, liveCount: end - start };
  });
}

/** Memory that is ours until it is freed, which may be said again. */
interface OwnBlock extends ArenaBytes {
  free(): void;
}

function allocate(bytes: number, memory: SegmentMemory): OwnBlock {
  const block = memory.allocate(bytes);
  let isOurs = true;
  const free = () => {
    if (isOurs) memory.free({ ...block, bytes });
    isOurs = false;
  };
  return { ...block, free };
}

/** A segment in memory that is ours. */
interface BuiltSegment {
  readonly view: OpenSegment;
  /** May be called again. */
  free(): void;
}

function build(plan: SegmentPlan, { memory }: StoreTarget): BuiltSegment {
  const block = allocate(plan.bytes, memory);
  try {
    runSteps(plan.writeTo(block.bytes));
    return { view: openSegment(UNNAMED, block.bytes, block), free: block.free };
  } catch (error) {
    // Codes are written with memory of their own, which may run out.
    block.free();
    throw error;
  }
}

/** Inputs in their order, joined while they fit. */
function groupsOf(inputs: readonly StoreInput[], weightMax: number): StoreInput[][] {
  const groups: StoreInput[][] = [];
  let weight = 0;
  for (const input of inputs) {
    const { view, liveCount } = input;
    if (liveCount === 0) continue;
    const own = (mergeWeight(view) * liveCount) / view.documentCount;
    const last = groups.at(-1);
    if (last === undefined || weight + own > weightMax) {
      groups.push([input]);
      weight = own;
    } else {
      last.push(input);
      weight += own;
    }
  }
  return groups;
}
