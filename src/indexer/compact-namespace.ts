/**
 * One compaction of a namespace's stored segments: picks it, loads the inputs, writes what takes
 * their place, and saves the manifest that says so.
 */

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
import { matchesSchema } from "../segment/missing-indexes.ts";
import { loadStoredSegment } from "../segment/segment-objects.ts";
import type { StoredSegment } from "../segment/stored-segments.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import { type Compaction, pickCompaction } from "./compaction-picker.ts";
import { saveThrough } from "./index-namespace.ts";
import type { IndexerOptions } from "./indexer-options.ts";

/** What became of it. */
export type CompactionOutcome =
  | { readonly kind: "nothing to do" }
  | { readonly kind: "conflict" }
  /** There is, if nothing is written for so long. */
  | { readonly kind: "rest"; readonly forMs: number }
  | { readonly kind: "compacted"; readonly inputCount: number; readonly bytesWritten: number };

/** Runs the compaction that is due most, if any is; nothing was written for `restedMs`. */
export async function compactNamespace(
  options: IndexerOptions,
  generation: NamespaceGeneration,
  restedMs: number,
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
      stored.map(({ segment, objectBytes, indexFingerprint: made }) => ({
        bytes: objectBytes,
        documentCount: segment.view.documentCount,
        liveCount: segment.liveCount,
        isCurrent: made === fingerprint || matchesSchema(segment.view, facts.schema),
      })),
    );
    const picked = confirmed(facts, pickCompaction(candidates, options.segmentBytesMax, restedMs));
    if (picked === undefined) return { kind: "nothing to do" };
    if (picked.kind === "rest") return picked;
    const groups = picked.kind === "merge" ? [picked.inputs] : picked.inputs.map((i) => [i]);
    const written: SegmentEntry[] = [];
    for (const group of groups) {
      const inputs = group.map((index) => stored[index]);
      written.push(
        ...(await write(options, inputs, { generation, facts, baseVersion: manifest.version })),
      );
    }
    const removed = new Set(picked.inputs.map((index) => manifest.segments[index].id));
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
  const places: ArenaRange[] = [];
  const loaded: StoreInput[] = [];
  try {
    for (const { object, segment } of inputs) {
      const id = segment.view.id as SegmentId;
      const whole = await loadStoredSegment(options.storeFor(undefined), object, { id, memory });
      places.push(whole.place);
      const { liveBitmap, liveCount } = segment;
      loaded.push({ view: whole.view, liveBitmap, liveCount });
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
    for (const place of places) memory.free(place);
  }
}
