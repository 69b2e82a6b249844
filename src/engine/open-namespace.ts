/**
 * Recovery: the newest manifest, its segments, and the WAL entries after it give the namespace's
 * state. Damage anywhere refuses the namespace with the name of the object (I18); nothing is half
 * served.
 */

import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { type SegmentId, sequenceNumber } from "../base/ids.ts";
import { countBits } from "../codec/bitmap.ts";
import { WalReader } from "../log/wal-reader.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import {
  manifestPrefix,
  type NamespaceGeneration,
  segmentPrefix,
  walKey,
} from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { decodeBatches, type WriteBatch } from "../write/wal-records.ts";
import { CurrentStore } from "./current-store.ts";
import type { NamespaceDocuments } from "./namespace-documents.ts";
import { decodeFacts, factsAfter, type NamespaceFacts, NO_FACTS } from "./namespace-facts.ts";
import { isAnnounced } from "./namespace-generations.ts";
import type { NamespaceParts, OpenedNamespace, Tail } from "./namespace-parts.ts";
import type { NamespaceInstance } from "./published-state.ts";
import { asFaultOf, getSegment, getTombstones, type SegmentFacts } from "./segment-objects.ts";

/** Reads one generation from the store into `documents`, which is empty. */
export async function openNamespace(
  parts: NamespaceParts,
  at: NamespaceGeneration,
  instance: NamespaceInstance,
  documents: NamespaceDocuments,
): Promise<OpenedNamespace> {
  const { clock, random } = parts;
  const store = parts.storeFor(undefined);
  const manifestStore = new CurrentStore(store);
  const manifests = new ManifestStore({ store: manifestStore, clock, random, at });
  const recovery = new Recovery(parts, { store, at, documents });
  try {
    const manifest = await manifests.load();
    if (manifest !== undefined) await recovery.loadManifest(manifest);
    await recovery.replay();
    if (recovery.facts.settings === undefined) await checkNothingIsLost(store, at);
    const { facts, stored, tail } = recovery;
    if (facts.deleted) documents.clear();
    // A build that a stop interrupted is finished before anything is asked. Nobody reads yet, so
    // what a step replaces makes room for the next.
    while (documents.rebuildStep(facts.schema) !== undefined) {
      documents.releaseAll();
      await parts.yield();
    }
    documents.releaseAll();
    return { at, instance, facts, documents, manifest, manifests, manifestStore, stored, tail };
  } catch (error) {
    documents.clear();
    documents.releaseAll();
    throw error;
  }
}

class Recovery {
  readonly #parts: NamespaceParts;
  readonly #store: ObjectStore;
  readonly #at: NamespaceGeneration;
  readonly #documents: NamespaceDocuments;
  facts: NamespaceFacts = NO_FACTS;
  readonly stored: SegmentFacts[] = [];
  tail: Tail = { bytes: 0, entries: 0, documentCount: 0 };

  constructor(
    parts: NamespaceParts,
    of: { store: ObjectStore; at: NamespaceGeneration; documents: NamespaceDocuments },
  ) {
    this.#parts = parts;
    this.#store = of.store;
    this.#at = of.at;
    this.#documents = of.documents;
  }

  async loadManifest(manifest: Manifest): Promise<void> {
    this.facts = decodeFacts(manifest.state, manifest.indexedUpTo);
    for (const { tombstoneObject, deletedCount, ...segment } of manifest.segments) {
      const { documentCount } = segment;
      if (tombstoneObject === undefined) {
        await this.#addSegment(segment);
        continue;
      }
      const name = tombstoneObject as SegmentId;
      const live = await getTombstones(this.#store, this.#at, { name, documentCount });
      if (documentCount - countBits(live) !== deletedCount) {
        const reason = `the manifest says that ${deletedCount} documents are deleted`;
        throw asFaultOf(this.#at, name, new DatabaseError("corrupt", reason));
      }
      await this.#addSegment(segment, live);
    }
  }

  async replay(): Promise<void> {
    const reader = new WalReader(this.#store, this.#at);
    for await (const { entry, bytes } of reader.entriesAfter(this.facts.sequence)) {
      const batches = decodeBatches(entry.records, walKey(this.#at, entry.sequence));
      for (const batch of batches) await this.#apply(batch, entry.timeMs);
      this.facts = { ...this.facts, sequence: sequenceNumber(entry.sequence) };
      this.tail = { ...this.tail, bytes: this.tail.bytes + bytes, entries: this.tail.entries + 1 };
      this.#compact();
      await this.#parts.yield();
    }
  }

  async #apply(batch: WriteBatch, timeMs: number): Promise<void> {
    this.facts = factsAfter(this.facts, batch, timeMs);
    for (const record of batch) {
      if (record.kind === "import") {
        for (const segment of record.segments) await this.#addSegment(segment);
      } else if (record.kind === "documents") {
        const documentCount = this.tail.documentCount + record.documents.count;
        this.tail = { ...this.tail, documentCount };
      }
    }
    this.#documents.apply(batch, this.facts.schema);
  }
  async #addSegment({ id, documentCount, bytes }: SegmentFacts, live?: Uint32Array): Promise<void> {
    const sealed = await getSegment(this.#store, this.#at, { id, documentCount, bytes });
    try {
      this.#documents.addPrepared(this.#documents.prepareStored(id, sealed, live));
    } catch (error) {
      throw asFaultOf(this.#at, id, error);
    }
    this.stored.push({ id, documentCount, bytes });
  }

  /** Merges small segments where there is memory for it; without them replay is slower only. */
  #compact(): void {
    try {
      while (this.#documents.compactStep(this.facts.schema) !== undefined) {
        this.#documents.releaseAll();
      }
    } catch (error) {
      if (!isDatabaseError(error, "overloaded")) throw error;
    }
  }
}

/**
 * Segments without a manifest and without a log were put by a copy that was not committed, and is
 * announced as such; or else the manifest is lost.
 */
async function checkNothingIsLost(store: ObjectStore, at: NamespaceGeneration): Promise<void> {
  const { keys } = await store.list({ prefix: segmentPrefix(at), limit: 1 });
  if (keys.length === 0 || (await isAnnounced(store, at))) return;
  const reason = `there is none, but ${keys[0]} exists`;
  throw new DatabaseError("corrupt", `cannot read a manifest in ${manifestPrefix(at)}: ${reason}`);
}
