/**
 * One step of indexing: the entries after a namespace's newest manifest become stored segments, and
 * the next manifest names them. Runs beside servers that write; whoever loses the race for the
 * version has wasted its work and nothing else.
 */

import type { SegmentId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { countBits } from "../codec/bitmap.ts";
import { recover } from "../engine/open-namespace.ts";
import { servedSchema } from "../engine/served-texts.ts";
import {
  editManifest,
  firstManifest,
  type Manifest,
  type ManifestEdit,
  type ManifestSegment,
} from "../manifest/manifest.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import { encodeFacts, type NamespaceFacts } from "../namespace/namespace-facts.ts";
import { storeSegments } from "../namespace/segments/store-segments.ts";
import { tombstoneName } from "../segment/format/segment-id.ts";
import { putTombstones } from "../segment/segment-objects.ts";
import type { StoredSegment } from "../segment/stored-segments.ts";
import { homeOf, type NamespaceGeneration } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { IndexerParts } from "./indexer-options.ts";

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

/** Indexes at most `bytesMax` bytes of a namespace's log, and at least one entry if there is one. */
export async function indexNamespace(
  parts: IndexerParts,
  at: NamespaceGeneration,
  bytesMax: number,
): Promise<IndexOutcome> {
  const { clock, random, memory } = parts;
  let made = 0;
  const prefix = Buffer.from(random.bytes(8)).toString("hex");
  const documents = new NamespaceDocuments(memory, () => `${prefix}-${++made}` as SegmentId);
  const source = parts.storeFor(undefined);
  const manifests = new ManifestStore({ store: source, clock, random, at });
  try {
    const from = { at, documents, manifests, store: source, bytesMax };
    const { manifest, facts, tail, isWhole } = await recover(parts, from);
    const { settings, deleted } = facts;
    if (settings === undefined || deleted) return { kind: "absent" };
    const documentCount = documents.memtable.documentCount;
    const entryCount = tail.count;
    const indexed = { kind: "indexed", entryCount, documentCount, isWhole } as const;
    if (entryCount === 0) return indexed;
    // The manifest is encrypted as the namespace is, too.
    const store = parts.storeFor(settings);
    const next = await nextManifest(parts, { at, store, documents, manifest, facts });
    const saved = await saveThrough(manifests, { parts, at, store, next });
    return saved ? indexed : { kind: "conflict" };
  } finally {
    for (const { object } of documents.stored) parts.reads.forget(object);
    documents.clear();
    documents.releaseAll();
  }
}

/** Saves a manifest that follows the one that `known` has loaded, encrypted by `store`. */
export async function saveThrough(
  known: ManifestStore,
  of: {
    readonly parts: IndexerParts;
    readonly at: NamespaceGeneration;
    readonly store: ObjectStore;
    readonly next: Manifest;
  },
): Promise<boolean> {
  const { clock, random } = of.parts;
  const manifests = new ManifestStore({ store: of.store, clock, random, at: of.at });
  manifests.followFrom(known);
  return (await manifests.save(of.next)).kind === "written";
}

async function nextManifest(
  parts: IndexerParts,
  of: {
    readonly at: NamespaceGeneration;
    readonly store: ObjectStore;
    readonly documents: NamespaceDocuments;
    readonly manifest: Manifest | undefined;
    readonly facts: NamespaceFacts;
  },
): Promise<Manifest> {
  const { at, store, documents, manifest, facts } = of;
  const { clock, random, memory } = parts;
  const baseVersion = manifest?.version ?? 0;
  const kept: ManifestSegment[] = [];
  for (const stored of documents.stored) {
    const entry = await describe(stored, { at, store, baseVersion, random });
    if (entry !== undefined) kept.push(entry);
  }
  const added = await storeSegments(documents.memtable.segments, {
    store,
    at,
    schema: servedSchema(facts),
    baseVersion,
    random,
    memory,
    clusters: parts.clusters,
    yield: parts.yield,
  });
  const nowMs = Math.max(0, Math.round(clock.nowMs()));
  const edit: ManifestEdit = {
    updatedAtMs: nowMs,
    indexedUpTo: facts.sequence,
    lastWriteAtMs: facts.settings?.lastWriteAtMs ?? nowMs,
    state: encodeFacts(facts),
    segments: [...kept, ...added],
  };
  if (manifest !== undefined) return editManifest(manifest, edit);
  return { ...firstManifest(at.generation, facts.settings?.createdAtMs ?? nowMs), ...edit };
}

/** A stored segment with its tombstones as they are now; undefined if nobody in it is alive. */
async function describe(
  { object, head, objectBytes, tombstones, indexMark, segment }: StoredSegment,
  to: {
    readonly at: NamespaceGeneration;
    readonly store: ObjectStore;
    readonly baseVersion: number;
    readonly random: Random;
  },
): Promise<ManifestSegment | undefined> {
  const { at, store, baseVersion, random } = to;
  const { view, live } = segment;
  const { id, documentCount } = view;
  const liveCount = countBits(live);
  if (liveCount === 0) return undefined;
  const home = homeOf(object);
  const isShared = home.name !== at.name || home.generation !== at.generation;
  const entry = {
    id,
    documentCount,
    bytes: objectBytes,
    head: Buffer.from(head).toString("base64"),
    deletedCount: documentCount - liveCount,
    ...(isShared && { home }),
    ...(indexMark !== undefined && { indexMark }),
  };
  if (entry.deletedCount === 0) return entry;
  // Documents never come back to life, so the same count means the same bitmap.
  if (tombstones?.deletedCount === entry.deletedCount) {
    return { ...entry, tombstoneObject: tombstones.object };
  }
  const tombstoneObject = tombstoneName(id, baseVersion, random);
  await putTombstones(store, at, tombstoneObject, live);
  return { ...entry, tombstoneObject };
}
