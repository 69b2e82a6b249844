/**
 * Recovery: the newest manifest, its segments, and the WAL entries after it give the namespace's
 * state. Segments stay in the store; only their tombstones are read. Damage anywhere refuses the
 * namespace with the name of the object (I18); nothing is half served.
 */

import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { MANIFEST_LOAD_ATTEMPTS_MAX } from "../base/limits.ts";
import { type ReadWalEntry, WalReader } from "../log/wal-reader.ts";
import type { Manifest, ManifestSegment } from "../manifest/manifest.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import type { StoredSegment } from "../segment/stored-segments.ts";
import {
  manifestPrefix,
  type NamespaceGeneration,
  segmentPrefix,
  walKey,
} from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { decodeBatches, type WriteBatch } from "../write/wal-records.ts";
import type { NamespaceDocuments } from "./namespace-documents.ts";
import { decodeFacts, factsAfter, type NamespaceFacts, NO_FACTS } from "./namespace-facts.ts";
import { isAnnounced } from "./namespace-generations.ts";
import type { NamespaceParts, OpenedNamespace, OpeningParts } from "./namespace-parts.ts";
import { openManifestSegment } from "./open-stored-segment.ts";
import type { NamespaceInstance } from "./published-state.ts";
import { SegmentMissing } from "./resident-ranges.ts";
import { staleIndexes } from "./stale-indexes.ts";
import { TailLog } from "./tail-log.ts";

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
  try {
    const recovered = await recover(parts, { at, documents, manifests });
    if (recovered.facts.settings === undefined) await checkNothingIsLost(store, at);
    if (recovered.facts.deleted) documents.clear();
    // A build that a stop interrupted is finished before anything is asked. Nobody reads yet, so
    // what a step replaces makes room for the next.
    while (documents.rebuildStep(recovered.facts.schema) !== undefined) {
      documents.releaseAll();
      await parts.yield();
    }
    documents.releaseAll();
    const { schema } = recovered.facts;
    const stale = await parts.reads.run(() => staleIndexes(documents.stored, schema));
    return { at, instance, documents, manifests, stale, ...recovered };
  } catch (error) {
    documents.clear();
    documents.releaseAll();
    throw error;
  }
}

/** What replaying found. */
export interface Recovered {
  readonly manifest: Manifest | undefined;
  readonly facts: NamespaceFacts;
  readonly tail: TailLog;
}

/**
 * Reads the newest manifest and the log after it into `documents`, which is empty. What a newer
 * manifest covers may be collected meanwhile: then that one is read instead. `bytesMax` bounds the
 * entries that are replayed, all of them without it; at least one is.
 */
export async function recover(
  parts: OpeningParts,
  of: {
    readonly at: NamespaceGeneration;
    readonly documents: NamespaceDocuments;
    readonly manifests: ManifestStore;
    readonly bytesMax?: number;
  },
): Promise<Recovered> {
  const { at, documents, manifests, bytesMax = Number.POSITIVE_INFINITY } = of;
  let manifest = await manifests.load();
  for (let tried = 1; ; tried++) {
    const recovery = new Recovery(parts, at, documents);
    try {
      await recovery.run(manifest, bytesMax);
      return { manifest, facts: recovery.facts, tail: recovery.tail };
    } catch (thrown) {
      documents.clear();
      documents.releaseAll();
      const error = asDamage(thrown);
      if (!isDatabaseError(error, "corrupt") || tried === MANIFEST_LOAD_ATTEMPTS_MAX) throw error;
      const newest = await manifests.load();
      if (newest === undefined || newest.version === manifest?.version) throw error;
      manifest = newest;
    }
  }
}

/** A segment that the newest manifest names and that is not there is lost. */
function asDamage(error: unknown): unknown {
  if (!(error instanceof SegmentMissing)) return error;
  return new DatabaseError("corrupt", error.message, { cause: error });
}

class Recovery {
  readonly #parts: OpeningParts;
  readonly #store: ObjectStore;
  readonly #at: NamespaceGeneration;
  readonly #documents: NamespaceDocuments;
  facts: NamespaceFacts = NO_FACTS;
  readonly tail = new TailLog();

  constructor(parts: OpeningParts, at: NamespaceGeneration, documents: NamespaceDocuments) {
    this.#parts = parts;
    this.#store = parts.storeFor(undefined);
    this.#at = at;
    this.#documents = documents;
  }

  /** The log is fetched while the tombstones are. */
  async run(manifest: Manifest | undefined, bytesMax: number): Promise<void> {
    if (manifest !== undefined) this.facts = decodeFacts(manifest.state, manifest.indexedUpTo);
    const entries = new WalReader(this.#store, this.#at).entriesAfter(this.facts.sequence);
    const first = entries.next();
    try {
      this.#documents.restore(await this.#open(manifest?.segments ?? []));
    } catch (error) {
      await first.catch(() => {}); // The segments' fault is the one to tell.
      throw error;
    }
    await this.#replay(first, entries, bytesMax);
  }

  #open(entries: readonly ManifestSegment[]): Promise<StoredSegment[]> {
    const from = { store: this.#store, reads: this.#parts.reads };
    return Promise.all(entries.map((entry) => openManifestSegment(entry, this.#at, from)));
  }

  async #replay(
    first: Promise<IteratorResult<ReadWalEntry>>,
    entries: AsyncGenerator<ReadWalEntry>,
    bytesMax: number,
  ): Promise<void> {
    for (let next = await first; !next.done; next = await entries.next()) {
      const { entry, bytes } = next.value;
      const sequence = sequenceNumber(entry.sequence);
      const batches = decodeBatches(entry.records, walKey(this.#at, entry.sequence));
      for (const batch of batches) await this.#apply(batch, sequence, entry.timeMs);
      this.facts = { ...this.facts, sequence };
      this.tail.add(sequence, bytes);
      if (this.tail.bytes >= bytesMax) {
        await entries.return(undefined);
        return;
      }
      this.#compact();
      await this.#parts.yield();
    }
  }

  async #apply(batch: WriteBatch, sequence: SequenceNumber, timeMs: number): Promise<void> {
    this.facts = factsAfter(this.facts, batch, timeMs);
    const { reads } = this.#parts;
    for (const record of batch) {
      if (record.kind !== "import") continue;
      this.#documents.addStored(await this.#open(record.segments));
    }
    const deaths = await reads.run(() => this.#documents.deathsOf(batch));
    this.#documents.apply(batch, { schema: this.facts.schema, sequence, deaths });
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
