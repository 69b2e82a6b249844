/**
 * One compaction of a namespace's stored segments: picks it, loads the inputs, writes what takes
 * their place, and saves the manifest that says so.
 */

import { isDatabaseError } from "../base/errors.ts";
import type { SegmentId } from "../base/ids.ts";
import type { ArenaRange } from "../kernel/arena.ts";
import { editManifest, replaceSegments } from "../manifest/manifest.ts";
import { NO_ACTIVE_TEXT_OPTIONS } from "../manifest/manifest-state.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import type { SegmentEntry } from "../model/segment-entry.ts";
import { factsOf, type NamespaceFacts } from "../namespace/namespace-facts.ts";
import { openManifestSegment } from "../namespace/recovery/open-stored-segment.ts";
import { type StoreInput, storeSegments } from "../namespace/segments/store-segments.ts";
import { indexFingerprint } from "../segment/index-fingerprint.ts";
import type { StoredSegment } from "../segment/memtable/stored-segments.ts";
import { mergeWeight } from "../segment/merge-weight.ts";
import { matchesSchema } from "../segment/missing-indexes.ts";
import { loadStoredSegment } from "../segment/segment-objects.ts";
import { isShared, type NamespaceGeneration } from "../storage/object-keys.ts";
import { type Compaction, pickCompaction } from "./compaction-picker.ts";
import { saveThrough } from "./index-namespace.ts";
import type { IndexerOptions } from "./indexer-options.ts";

/** What became of it. */
export type CompactionOutcome =
  | { readonly kind: "nothing to do" }
  | { readonly kind: "conflict" }
  /** There is, if nothing is written for so long. */
  | { readonly kind: "rest"; readonly forMs: number }
  /** Segments that weigh so much do not fit the memory together. */
  | { readonly kind: "too large"; readonly weight: number; readonly reason: string }
  | { readonly kind: "compacted"; readonly inputCount: number; readonly bytesWritten: number };

/** What a compaction may do. */
export interface CompactionLimits {
  /** Greatest weight of a segment that is made of several. */
  readonly weightMax: number;
  /** Segments are merged, too, that nothing but their rest is a reason for. */
  readonly mergesRested: boolean;
}

/** Runs the compaction that is due most, if any is. */
export async function compactNamespace(
  options: IndexerOptions,
  generation: NamespaceGeneration,
  { weightMax, mergesRested }: CompactionLimits,
): Promise<CompactionOutcome> {
  const { clock, random } = options;
  const manifests = new ManifestStore({
    store: options.storeFor(undefined),
    clock,
    random,
    generation,
  });
  const manifest = await manifests.load();
  if (manifest === undefined) return { kind: "nothing to do" };
  const facts = factsOf(manifest);
  const fingerprint = indexFingerprint(facts.schema);
  const stored = await openAll(options, generation, manifest.segments);
  try {
    const candidates = await options.reads.run(() =>
      stored.map(({ object, segment, indexFingerprint: made }) => ({
        bytes: mergeWeight(segment.view),
        documentCount: segment.view.documentCount,
        liveCount: segment.liveCount,
        isCurrent: made === fingerprint || matchesSchema(segment.view, facts.schema),
        isShared: isShared(object, generation),
      })),
    );
    const restedMs = clock.nowMs() - manifest.lastWriteAtMs;
    const picked = confirmed(facts, pickCompaction(candidates, weightMax, restedMs));
    if (picked === undefined) return { kind: "nothing to do" };
    const { kind, inputs: chosen } = picked;
    if (kind === "rest" && !(mergesRested && picked.forMs === 0)) return picked;
    const groups = kind === "rewrite" ? chosen.map((i) => [i]) : [chosen];
    const written: SegmentEntry[] = [];
    for (const group of groups) {
      const inputs = group.map((index) => stored[index]);
      const to = { generation, facts, baseVersion: manifest.version };
      const result = await write(options, inputs, to).catch((error: unknown) => {
        if (group.length === 1 || !isDatabaseError(error, "out_of_memory")) throw error;
        return error;
      });
      if (result instanceof Error) {
        const weight = inputs.reduce((sum, { segment }) => sum + mergeWeight(segment.view), 0);
        return { kind: "too large", weight, reason: result.message };
      }
      written.push(...result);
    }
    const removed = new Set(chosen.map((index) => manifest.segments[index].id));
    const segments = replaceSegments(manifest.segments, removed, written);
    const updatedAtMs = Math.max(0, Math.round(clock.nowMs()));
    // Stale ones are written anew before anything else, and all at once.
    const state = { ...manifest.state, activeTextOptions: NO_ACTIVE_TEXT_OPTIONS };
    const next = editManifest(manifest, { updatedAtMs, segments, state });
    const store = options.storeFor(facts.settings);
    if (!(await saveThrough(manifests, { options, generation, store, next })))
      return { kind: "conflict" };
    const bytesWritten = written.reduce((sum, { bytes }) => sum + bytes, 0);
    return { kind: "compacted", inputCount: removed.size, bytesWritten };
  } finally {
    for (const { object } of stored) options.reads.forget(object);
  }
}

/** Where nothing is urgent, new full-text settings are told to be in force. */
function confirmed(
  { activeTextOptions }: NamespaceFacts,
  picked: Compaction | undefined,
): Compaction | undefined {
  const isUrgent = picked !== undefined && picked.kind !== "rest";
  return isUrgent || activeTextOptions.size === 0 ? picked : { kind: "rewrite", inputs: [] };
}

function openAll(
  options: IndexerOptions,
  generation: NamespaceGeneration,
  segments: readonly SegmentEntry[],
): Promise<StoredSegment[]> {
  const from = { store: options.storeFor(undefined), reads: options.reads };
  return Promise.all(segments.map((entry) => openManifestSegment(entry, generation, from)));
}

/** Loads segments whole and stores their live documents. */
async function write(
  options: IndexerOptions,
  inputs: readonly StoredSegment[],
  of: {
    readonly generation: NamespaceGeneration;
    readonly facts: NamespaceFacts;
    readonly baseVersion: number;
  },
): Promise<SegmentEntry[]> {
  const { memory, random } = options;
  const { generation, facts, baseVersion } = of;
  const held = new Set<ArenaRange>();
  const free = (place: ArenaRange) => {
    if (held.delete(place)) memory.free(place);
  };
  const loaded: StoreInput[] = [];
  try {
    for (const { object, segment } of inputs) {
      const id = segment.view.id as SegmentId;
      const whole = await loadStoredSegment(options.storeFor(undefined), object, { id, memory });
      held.add(whole.place);
      const { liveBitmap, liveCount } = segment;
      const release = () => free(whole.place);
      loaded.push({ view: whole.view, liveBitmap, liveCount, release });
    }
    return await storeSegments(loaded, {
      store: options.storeFor(facts.settings),
      generation,
      schema: facts.schema,
      baseVersion,
      random,
      memory,
      clusters: options.clusters,
      yield: options.yield,
    });
  } finally {
    held.forEach(free);
  }
}
