/**
 * Recovery: the newest manifest, its segments, and the WAL entries after it give the namespace's
 * state. Damage anywhere refuses the namespace with the name of the object (I18); nothing is half
 * served.
 */

import { sequenceNumber } from "../base/ids.ts";
import { WalReader } from "../log/wal-reader.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import { type NamespaceGeneration, walKey } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { decodeBatches, type WriteBatch } from "../write/wal-records.ts";
import { IndexBuilder } from "./index-builder.ts";
import type { NamespaceDocuments } from "./namespace-documents.ts";
import { decodeFacts, factsAfter, type NamespaceFacts, NO_FACTS } from "./namespace-facts.ts";
import type { NamespaceParts, OpenedNamespace, StoredSegment, Tail } from "./namespace-parts.ts";
import type { NamespaceInstance } from "./published-state.ts";
import { getSegment, getTombstones } from "./segment-objects.ts";

/** Reads one generation from the store into `documents`, which is empty. */
export async function openNamespace(
  parts: NamespaceParts,
  at: NamespaceGeneration,
  instance: NamespaceInstance,
  documents: NamespaceDocuments,
): Promise<OpenedNamespace> {
  const { clock, random } = parts;
  const store = parts.storeFor(undefined);
  const manifests = new ManifestStore({ store, clock, random, at });
  const recovery = new Recovery(parts, { store, at, documents });
  try {
    const manifest = await manifests.load();
    if (manifest !== undefined) await recovery.loadManifest(manifest);
    await recovery.replay();
    const { facts, stored, tail } = recovery;
    if (facts.deleted) documents.clear();
    // A build that a stop interrupted is finished before anything is asked.
    await new IndexBuilder(documents).buildAll(facts.schema, () => parts.yield());
    documents.releaseAll();
    return { at, instance, facts, documents, manifest, manifests, stored, tail };
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
  readonly stored: StoredSegment[] = [];
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
    for (const { id, documentCount, bytes, tombstoneObject } of manifest.segments) {
      const sealed = await getSegment(this.#store, this.#at, id);
      const live =
        tombstoneObject === undefined
          ? undefined
          : await getTombstones(this.#store, this.#at, {
              name: tombstoneObject as typeof id,
              documentCount,
            });
      this.#documents.addSegment(id, sealed, live);
      this.stored.push({ id, documentCount, bytes });
    }
  }

  async replay(): Promise<void> {
    const reader = new WalReader(this.#store, this.#at);
    for await (const { entry, bytes } of reader.entriesAfter(this.facts.sequence)) {
      const batches = decodeBatches(entry.records, walKey(this.#at, entry.sequence));
      for (const batch of batches) await this.#apply(batch, entry.timeMs);
      this.facts = { ...this.facts, sequence: sequenceNumber(entry.sequence) };
      this.tail = { ...this.tail, bytes: this.tail.bytes + bytes, entries: this.tail.entries + 1 };
      while (this.#documents.compactStep(this.facts.schema) !== undefined) {
        this.#documents.releaseAll();
      }
      await this.#parts.yield();
    }
  }

  async #apply(batch: WriteBatch, timeMs: number): Promise<void> {
    this.facts = factsAfter(this.facts, batch, timeMs);
    for (const record of batch) {
      if (record.kind === "import") {
        for (const { id, documentCount, bytes } of record.segments) {
          this.#documents.addSegment(id, await getSegment(this.#store, this.#at, id));
          this.stored.push({ id, documentCount, bytes });
        }
      } else if (record.kind === "documents") {
        const documentCount = this.tail.documentCount + record.documents.count;
        this.tail = { ...this.tail, documentCount };
      }
    }
    this.#documents.apply(batch, this.facts.schema);
  }
}
