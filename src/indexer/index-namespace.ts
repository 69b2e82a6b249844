/**
 * One step of indexing: the entries after a namespace's newest manifest become stored segments, and
 * the next manifest names them. Runs beside servers that write; an indexer that loses the race for
 * the version has wasted its work and nothing else.
 */

import { MIB } from "../base/byte-sizes.ts";
import { isDatabaseError } from "../base/errors.ts";
import type { SegmentId } from "../base/ids.ts";
import { countBits } from "../codec/bitmap.ts";
import { putCoverageMark } from "../log/coverage-marks.ts";
import {
  editManifest,
  firstManifest,
  type Manifest,
  type ManifestEdit,
} from "../manifest/manifest.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import type { Schema } from "../model/schema.ts";
import type { SegmentEntry } from "../model/segment-entry.ts";
import { activeSchema } from "../namespace/active-text-options.ts";
import { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import { type NamespaceFacts, stateOf } from "../namespace/namespace-facts.ts";
import { recover } from "../namespace/recovery/recover-namespace.ts";
import { type StoreInput, storeSegments } from "../namespace/segments/store-segments.ts";
import { tombstoneName } from "../segment/format/segment-id.ts";
import type { StoredSegment } from "../segment/memtable/stored-segments.ts";
import { putTombstones } from "../segment/segment-objects.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import { type KnownCentroids, knownCentroids } from "../segment/segment-reorder.ts";
import { isShared, type NamespaceGeneration, ownerOf } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { countDeletions } from "./count-deletions.ts";
import type { IndexerOptions } from "./indexer-options.ts";

/**
 * Bytes that one merge writes before all segments become one: enough that segments of small
 * entries, in each of which later ids are looked for, stay few.
 */
const REPLAY_MERGE_BYTES_MAX = 4 * MIB;

/**
 * How many times fewer documents a segment may have, or more, for its centroids to be those of a
 * step: of more, most would have no rows, and fewer would be divided, which is to train anew.
 */
const KNOWN_RATIO = { fewer: 4, more: 2 };

const NO_CENTROIDS: KnownCentroids = new Map();

/** What is more than a step by its last entry still is one segment up to this. */
const STEP_SLACK = 1.2;

/** What became of a step. */
export type IndexOutcome =
  /** There is no namespace, or it is deleted. */
  | { readonly kind: "absent" }
  /** Another indexer wrote the next version first. */
  | { readonly kind: "conflict" }
  /**
   * `documentCount` documents of `entryCount` entries are indexed; perhaps none were left.
   * `isWhole`: all entries that there were.
   */
  | {
      readonly kind: "indexed";
      readonly entryCount: number;
      readonly documentCount: number;
      readonly isWhole: boolean;
    };

/**
 * Indexes as much of a namespace's log as weighs `weightMax` in memory (`mergeWeight`), and at most
 * twice as many bytes of it; at least one entry if there is one.
 */
export async function indexNamespace(
  options: IndexerOptions,
  generation: NamespaceGeneration,
  weightMax: number,
): Promise<IndexOutcome> {
  const { clock, random, memory } = options;
  let made = 0;
  const prefix = Buffer.from(random.bytes(8)).toString("hex");
  const newSegmentId = () => `${prefix}-${++made}` as SegmentId;
  const documents = new NamespaceDocuments({ memory, newSegmentId });
  const source = options.storeFor(undefined);
  const manifests = new ManifestStore({ store: source, clock, random, generation });
  try {
    const mergeBytesMax = REPLAY_MERGE_BYTES_MAX;
    const from = { generation, documents, manifests, store: source, weightMax, mergeBytesMax };
    const { manifest, facts, tail, isWhole } = await recover(options, from);
    const { settings, deleted } = facts;
    if (settings === undefined || deleted) return { kind: "absent" };
    const documentCount = documents.memtable.documentCount;
    const entryCount = tail.count;
    const indexed = { kind: "indexed", entryCount, documentCount, isWhole } as const;
    if (entryCount === 0) return indexed;
    // The manifest is encrypted as the namespace is, too.
    const store = options.storeFor(settings);
    const next = await nextManifest(options, { generation, store, documents, manifest, facts });
    if (!(await saveThrough(manifests, { options, generation, store, next }))) {
      return { kind: "conflict" };
    }
    await markCoverage(options, generation, next.indexedUpTo);
    return indexed;
  } finally {
    for (const { object } of documents.stored) options.reads.forget(object);
    documents.clear();
    documents.releaseAll();
  }
}

/** A mark that cannot be put is done without. */
async function markCoverage(
  { store, log }: IndexerOptions,
  generation: NamespaceGeneration,
  upTo: Manifest["indexedUpTo"],
): Promise<void> {
  if (upTo === 0) return;
  try {
    await putCoverageMark(store, generation, upTo);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    const facts = { namespace: generation.name, reason: error.message };
    log("warn", "cannot mark which log entries are indexed; openings read more", facts);
  }
}

/** Saves a manifest that follows the one that `known` has loaded, encrypted by `store`. */
export async function saveThrough(
  known: ManifestStore,
  of: {
    readonly options: IndexerOptions;
    readonly generation: NamespaceGeneration;
    readonly store: ObjectStore;
    readonly next: Manifest;
  },
): Promise<boolean> {
  const { clock, random } = of.options;
  const manifests = new ManifestStore({
    store: of.store,
    clock,
    random,
    generation: of.generation,
  });
  manifests.followFrom(known);
  return (await manifests.save(of.next)).kind === "written";
}

async function nextManifest(
  options: IndexerOptions,
  of: {
    readonly generation: NamespaceGeneration;
    readonly store: ObjectStore;
    readonly documents: NamespaceDocuments;
    readonly manifest: Manifest | undefined;
    readonly facts: NamespaceFacts;
  },
): Promise<Manifest> {
  const { generation, store, documents, manifest, facts } = of;
  const { clock, random, memory } = options;
  const baseVersion = manifest?.version ?? 0;
  const schema = activeSchema(facts);
  const kept: SegmentEntry[] = [];
  for (const stored of documents.stored) {
    const entry = await describe(stored, { generation, store, baseVersion, options, schema });
    if (entry !== undefined) kept.push(entry);
  }
  const known = await centroidsBefore(options, documents, schema);
  const added = await storeSegments(releasedAtOnce(documents), {
    store,
    generation,
    schema,
    baseVersion,
    random,
    memory,
    weightMax: STEP_SLACK * options.stepWeightMax,
    clusters: options.clusters,
    known,
    yield: options.yield,
  });
  const nowMs = Math.max(0, Math.round(clock.nowMs()));
  const state = stateOf(facts);
  const { createdAtMs, lastWriteAtMs = nowMs } = state.settings;
  const edit: ManifestEdit = {
    updatedAtMs: nowMs,
    indexedUpTo: facts.sequence,
    lastWriteAtMs,
    state,
    segments: [...kept, ...added],
  };
  if (manifest !== undefined) return editManifest(manifest, edit);
  return { ...firstManifest(generation.generation, createdAtMs, state), ...edit };
}

/**
 * Centroids of a stored segment that has about as many documents as were replayed, if there is one:
 * what comes later is mostly like what came before, and to train anew is half of the work.
 */
async function centroidsBefore(
  { clusters, reads }: IndexerOptions,
  { memtable, stored }: NamespaceDocuments,
  schema: Schema,
): Promise<KnownCentroids> {
  const { documentCount: wanted } = memtable;
  let nearest: OpenSegment | undefined;
  for (const { segment } of stored) {
    const { view } = segment;
    const { documentCount: count } = view;
    if (count < wanted / KNOWN_RATIO.fewer || count > wanted * KNOWN_RATIO.more) continue;
    if (count > (nearest?.documentCount ?? 0)) nearest = view;
  }
  if (nearest === undefined || wanted < clusters.rowsMin) return NO_CENTROIDS;
  const views = [nearest];
  try {
    return await reads.run(() => knownCentroids(schema, views));
  } catch (error) {
    // They are not needed, and whoever needs that segment will say what is wrong with it.
    if (!isDatabaseError(error)) throw error;
    return NO_CENTROIDS;
  }
}

/** What was replayed, whose memory is given back when all of it was merged. */
function releasedAtOnce(documents: NamespaceDocuments): StoreInput[] {
  const { memtable } = documents;
  let unreadCount = memtable.segments.length;
  const release = () => {
    unreadCount--;
    if (unreadCount > 0) return;
    documents.releaseAll();
    memtable.release(memtable.clear().dropped);
  };
  return memtable.segments.map(({ view, liveBitmap, liveCount }) => {
    return { view, liveBitmap, liveCount, release };
  });
}

/**
 * A stored segment with its tombstones as they are now; undefined if none of its documents is live.
 */
async function describe(
  { object, head, objectBytes, tombstones, indexFingerprint, segment }: StoredSegment,
  to: {
    readonly generation: NamespaceGeneration;
    readonly store: ObjectStore;
    readonly baseVersion: number;
    readonly options: IndexerOptions;
    readonly schema: Schema;
  },
): Promise<SegmentEntry | undefined> {
  const { generation, store, baseVersion, options, schema } = to;
  const { view, liveBitmap } = segment;
  const { id, documentCount } = view;
  const liveCount = countBits(liveBitmap);
  if (liveCount === 0) return undefined;
  const entry = {
    id,
    documentCount,
    bytes: objectBytes,
    head: Buffer.from(head).toString("base64"),
    deletedCount: documentCount - liveCount,
    ...(isShared(object, generation) && { owner: ownerOf(object) }),
    indexFingerprint,
  };
  if (entry.deletedCount === 0) return entry;
  // Documents never come back to life, so the same count means the same bitmap.
  if (tombstones?.deletedCount === entry.deletedCount) {
    return { ...entry, tombstoneObject: tombstones.object };
  }
  const tombstoneObject = tombstoneName(id, baseVersion, options.random);
  const { reads, yield: pause } = options;
  const counted = await countDeletions(segment, { schema, reads, yield: pause });
  await putTombstones(store, generation, tombstoneObject, { liveBitmap, counted });
  return { ...entry, tombstoneObject };
}
