/**
 * One compaction of a namespace's stored segments: picks it, loads the inputs, writes what takes
 * their place, and saves the manifest that says so.
 */

import type { SegmentId } from "../base/ids.ts";
import { NO_SERVED_TEXTS } from "../engine/served-texts.ts";
import { type Compaction, pickCompaction } from "../index/compaction-picker.ts";
import { editManifest, type ManifestSegment, replaceSegments } from "../manifest/manifest.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import { decodeFacts, encodeFacts, type NamespaceFacts } from "../namespace/namespace-facts.ts";
import { openManifestSegment } from "../namespace/recovery/open-stored-segment.ts";
import { type StoreInput, storeSegments } from "../namespace/segments/store-segments.ts";
import { indexMark } from "../segment/index-fingerprint.ts";
import type { SegmentPlace } from "../segment/memtable/memtable-delta.ts";
import { matchesSchema } from "../segment/segment-merger.ts";
import { loadStoredSegment } from "../segment/segment-objects.ts";
import type { StoredSegment } from "../segment/stored-segments.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import { saveThrough } from "./index-namespace.ts";
import type { IndexerParts } from "./indexer-options.ts";

/** What became of it. */
export type CompactionOutcome =
  | { readonly kind: "nothing to do" }
  | { readonly kind: "conflict" }
  | { readonly kind: "compacted"; readonly inputCount: number; readonly bytesWritten: number };

/** Runs the compaction that is due most, if any is. */
export async function compactNamespace(
  parts: IndexerParts,
  at: NamespaceGeneration,
): Promise<CompactionOutcome> {
  const { clock, random } = parts;
  const manifests = new ManifestStore({ store: parts.storeFor(undefined), clock, random, at });
  const manifest = await manifests.load();
  if (manifest === undefined || manifest.segments.length === 0) return { kind: "nothing to do" };
  const facts = decodeFacts(manifest.state, manifest.indexedUpTo);
  const mark = indexMark(facts.schema);
  const stored = await openAll(parts, at, manifest.segments);
  try {
    const candidates = await parts.reads.run(() =>
      stored.map(({ segment, objectBytes, indexMark: made }) => ({
        bytes: objectBytes,
        documentCount: segment.view.documentCount,
        liveCount: segment.liveCount,
        isCurrent: made === mark || matchesSchema(segment.view, facts.schema),
      })),
    );
    const picked = pickCompaction(candidates, parts.segmentBytesMax) ?? confirmation(facts);
    if (picked === undefined) return { kind: "nothing to do" };
    const groups = picked.kind === "merge" ? [picked.inputs] : picked.inputs.map((i) => [i]);
    const written: ManifestSegment[] = [];
    for (const group of groups) {
      const inputs = group.map((index) => stored[index]);
      written.push(...(await write(parts, inputs, { at, facts, baseVersion: manifest.version })));
    }
    const removed = new Set(picked.inputs.map((index) => manifest.segments[index].id));
    const segments = replaceSegments(manifest.segments, removed, written);
    const updatedAtMs = Math.max(0, Math.round(clock.nowMs()));
    // Stale ones are written anew before anything else, and all at once.
    const state = encodeFacts({ ...facts, served: NO_SERVED_TEXTS });
    const next = editManifest(manifest, { updatedAtMs, segments, state });
    const store = parts.storeFor(facts.settings);
    if (!(await saveThrough(manifests, { parts, at, store, next }))) return { kind: "conflict" };
    const bytesWritten = written.reduce((sum, { bytes }) => sum + bytes, 0);
    return { kind: "compacted", inputCount: removed.size, bytesWritten };
  } finally {
    for (const { object } of stored) parts.reads.forget(object);
  }
}

/** Nothing has to be written for the new full-text settings but that they are in force. */
function confirmation({ served }: NamespaceFacts): Compaction | undefined {
  return served.size === 0 ? undefined : { kind: "rewrite", inputs: [] };
}

function openAll(
  parts: IndexerParts,
  at: NamespaceGeneration,
  segments: readonly ManifestSegment[],
): Promise<StoredSegment[]> {
  const from = { store: parts.storeFor(undefined), reads: parts.reads };
  return Promise.all(segments.map((entry) => openManifestSegment(entry, at, from)));
}

/** Loads segments whole and stores their live documents. */
async function write(
  parts: IndexerParts,
  inputs: readonly StoredSegment[],
  of: {
    readonly at: NamespaceGeneration;
    readonly facts: NamespaceFacts;
    readonly baseVersion: number;
  },
): Promise<ManifestSegment[]> {
  const { memory, random } = parts;
  const { at, facts, baseVersion } = of;
  const places: SegmentPlace[] = [];
  const loaded: StoreInput[] = [];
  try {
    for (const { object, segment } of inputs) {
      const id = segment.view.id as SegmentId;
      const whole = await loadStoredSegment(parts.storeFor(undefined), object, { id, memory });
      places.push(whole.place);
      const { live, liveCount } = segment;
      loaded.push({ view: whole.view, live, liveCount });
    }
    return await storeSegments(loaded, {
      store: parts.storeFor(facts.settings),
      at,
      schema: facts.schema,
      baseVersion,
      random,
      memory,
      clusters: parts.clusters,
      yield: parts.yield,
    });
  } finally {
    for (const place of places) memory.free(place);
  }
}
