/**
 * Recovery: the newest manifest, its segments, and the WAL entries after it give the namespace's
 * state. Segments stay in the store; only their tombstones are read. Damage anywhere refuses the
 * namespace with the name of the object (I18); nothing is half served.
 */

import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import {
  OPENING_AHEAD_BYTES_MAX,
  REPLAY_GROUP_BYTES_MAX,
  REPLAY_GROUP_ENTRIES_MAX,
} from "../base/far-store-limits.ts";
import { type SegmentId, type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { MANIFEST_LOAD_ATTEMPTS_MAX } from "../base/limits.ts";
import { asDamage } from "../cache/resident-ranges.ts";
import { type ReadWalEntry, WalReader } from "../log/wal-reader.ts";
import { decodeBatches, type WriteBatch } from "../log/wal-records.ts";
import type { Manifest, ManifestSegment } from "../manifest/manifest.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import type { ClockReading } from "../namespace/clock-reading.ts";
import { isAnnounced } from "../namespace/generations/namespace-generations.ts";
import { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import {
  decodeFacts,
  factsAfter,
  type NamespaceFacts,
  NO_FACTS,
} from "../namespace/namespace-facts.ts";
import type { NamespaceInstance } from "../namespace/published-state.ts";
import { readsAhead } from "../namespace/recovery/namespace-listing.ts";
import { openManifestSegment } from "../namespace/recovery/open-stored-segment.ts";
import { TailLog } from "../namespace/recovery/tail-log.ts";
import { staleIndexes } from "../namespace/segments/stale-indexes.ts";
import type { StoredSegment } from "../segment/stored-segments.ts";
import { ListedObjectStore, type PrefixListing } from "../storage/listed-object-store.ts";
import {
  manifestPrefix,
  type NamespaceGeneration,
  segmentPrefix,
  walKey,
} from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { NamespaceParts, OpenedNamespace, OpeningParts } from "./namespace-parts.ts";
import { servedSchema } from "./served-texts.ts";

/** What is opened. */
export interface Opening {
  readonly at: NamespaceGeneration;
  readonly instance: NamespaceInstance;
  /** Before anything was read of it, the listing included. */
  readonly begunAt: ClockReading;
  /** All keys of the namespace a moment ago: with them, opening takes one round of reads. */
  readonly listing?: PrefixListing | undefined;
}

/** Reads one generation from the store. */
export async function openNamespace(
  parts: NamespaceParts,
  opening: Opening,
): Promise<OpenedNamespace> {
  const { at, instance } = opening;
  const { clock, random, memory } = parts;
  const prefix = Buffer.from(random.bytes(8)).toString("hex");
  let made = 0;
  const documents = new NamespaceDocuments(memory, () => `${prefix}-${++made}` as SegmentId);
  const store = parts.storeFor(undefined);
  const manifests = new ManifestStore({ store, clock, random, at });
  try {
    const recovered =
      (await recoverListed(parts, { ...opening, documents }, manifests)) ??
      (await recoverChecked(parts, { at, documents, store, manifests }));
    if (recovered.facts.deleted) documents.clear();
    // A build that a stop interrupted is finished before anything is asked. Nobody reads yet, so
    // what a step replaces makes room for the next.
    const schema = servedSchema(recovered.facts);
    while (documents.rebuildStep(schema) !== undefined) {
      documents.releaseAll();
      await parts.yield();
    }
    documents.releaseAll();
    const stale = await parts.reads.run(() => staleIndexes(documents.stored, schema));
    const knownAt = opening.begunAt;
    return { at, instance, documents, manifests, stale, knownAt, ...recovered };
  } catch (error) {
    documents.clear();
    documents.releaseAll();
    throw error;
  }
}

/** Recovers through the listing; undefined if there is none, or it does not hold any more. */
async function recoverListed(
  parts: NamespaceParts,
  opening: Opening & { readonly documents: NamespaceDocuments },
  manifests: ManifestStore,
): Promise<Recovered | undefined> {
  const { at, listing, documents } = opening;
  if (listing === undefined) return undefined;
  const { clock, random } = parts;
  const store = new ListedObjectStore(parts.storeFor(undefined), listing);
  store.readAhead(readsAhead(listing.keys, at), OPENING_AHEAD_BYTES_MAX);
  const listed = new ManifestStore({ store, clock, random, at });
  try {
    const recovered = await recoverChecked(parts, { at, documents, store, manifests: listed });
    manifests.followFrom(listed);
    return recovered;
  } catch (error) {
    // Something was collected, or put, since the listing; or else the next try finds the same.
    if (isDatabaseError(error, "corrupt", "unavailable")) return undefined;
    throw error;
  }
}

async function recoverChecked(parts: NamespaceParts, of: RecoverySource): Promise<Recovered> {
  const recovered = await recover(parts, of);
  if (recovered.facts.settings === undefined) await checkNothingIsLost(of.store, of.at);
  return recovered;
}

/** What is recovered, and from where. */
export interface RecoverySource {
  readonly at: NamespaceGeneration;
  readonly documents: NamespaceDocuments;
  readonly manifests: ManifestStore;
  /** The one that the manifests are read through. */
  readonly store: ObjectStore;
}

/** What replaying found. */
export interface Recovered {
  readonly manifest: Manifest | undefined;
  readonly facts: NamespaceFacts;
  readonly tail: TailLog;
  /** The whole log was replayed; false: `bytesMax` of it. */
  readonly isWhole: boolean;
}

/**
 * Reads the newest manifest and the log after it into `documents`, which is empty. What a newer
 * manifest covers may be collected meanwhile: then that one is read instead. `bytesMax` bounds the
 * entries that are replayed, all of them without it; at least one is.
 */
export async function recover(
  parts: OpeningParts,
  of: RecoverySource & { readonly bytesMax?: number },
): Promise<Recovered> {
  const { at, documents, manifests, store, bytesMax = Number.POSITIVE_INFINITY } = of;
  let manifest = await manifests.load();
  for (let tried = 1; ; tried++) {
    const recovery = new Recovery(parts, at, { documents, store });
    try {
      await recovery.run(manifest, bytesMax);
      const { facts, tail, isWhole } = recovery;
      return { manifest, facts, tail, isWhole };
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

class Recovery {
  readonly #parts: OpeningParts;
  readonly #store: ObjectStore;
  readonly #at: NamespaceGeneration;
  readonly #documents: NamespaceDocuments;
  facts: NamespaceFacts = NO_FACTS;
  readonly tail = new TailLog();
  isWhole = true;

  constructor(
    parts: OpeningParts,
    at: NamespaceGeneration,
    of: { readonly documents: NamespaceDocuments; readonly store: ObjectStore },
  ) {
    this.#parts = parts;
    this.#store = of.store;
    this.#at = at;
    this.#documents = of.documents;
  }

  /** The log is fetched while the tombstones are. */
  async run(manifest: Manifest | undefined, bytesMax: number): Promise<void> {
    if (manifest !== undefined) this.facts = decodeFacts(manifest.state, manifest.indexedUpTo);
    const entries = new WalReader(this.#store, this.#at).entriesAfter(this.facts.sequence);
    const first = entries.next();
    first.catch(() => {}); // It is thrown below; until then nobody waits for it.
    try {
      this.#documents.restore(await this.#open(manifest?.segments ?? []));
    } catch (error) {
      await first.catch(() => {}); // The segments' fault is the one to tell.
      throw error;
    }
    await this.#replay(entryGroups(first, entries), bytesMax);
  }

  #open(entries: readonly ManifestSegment[]): Promise<StoredSegment[]> {
    const from = { store: this.#store, reads: this.#parts.reads };
    return Promise.all(entries.map((entry) => openManifestSegment(entry, this.#at, from)));
  }

  async #replay(groups: AsyncGenerator<ReadWalEntry[]>, bytesMax: number): Promise<void> {
    for await (const group of groups) {
      const decoded = group.map(({ entry, bytes }) => {
        return {
          entry,
          bytes,
          batches: decodeBatches(entry.records, walKey(this.#at, entry.sequence)),
        };
      });
      if (decoded.length > 1)
        await this.#lookAhead(decoded.flatMap(({ batches }) => batches).flat());
      for (const { entry, bytes, batches } of decoded) {
        const sequence = sequenceNumber(entry.sequence);
        for (const batch of batches) await this.#apply(batch, sequence, entry.timeMs);
        this.facts = { ...this.facts, sequence };
        this.tail.add(sequence, bytes);
        if (this.tail.bytes >= bytesMax) {
          this.isWhole = false;
          return;
        }
        this.#compact();
        await this.#parts.yield();
      }
    }
  }

  /** Reads what the ids of several entries lead to at once, so that each of them need not wait. */
  async #lookAhead(records: WriteBatch): Promise<void> {
    if (this.#documents.stored.length === 0) return;
    try {
      await this.#parts.reads.run(() => this.#documents.deathsOf(records));
    } catch (error) {
      // There is no memory for all of them at once; one after the other may do.
      if (!isDatabaseError(error, "overloaded")) throw error;
    }
  }

  async #apply(batch: WriteBatch, sequence: SequenceNumber, timeMs: number): Promise<void> {
    const hasStored = this.#documents.stored.length > 0;
    this.facts = factsAfter(this.facts, batch, { timeMs, hasStored });
    const { reads } = this.#parts;
    for (const record of batch) {
      if (record.kind !== "import") continue;
      this.#documents.addStored(await this.#open(record.segments));
    }
    const deaths = await reads.run(() => this.#documents.deathsOf(batch));
    this.#documents.apply(batch, { schema: servedSchema(this.facts), sequence, deaths });
  }

  /** Merges small segments where there is memory for it; without them replay is slower only. */
  #compact(): void {
    try {
      while (this.#documents.compactStep(servedSchema(this.facts)) !== undefined) {
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

/** Entries that are replayed together. */
async function* entryGroups(
  first: Promise<IteratorResult<ReadWalEntry>>,
  rest: AsyncGenerator<ReadWalEntry>,
): AsyncGenerator<ReadWalEntry[]> {
  let group: ReadWalEntry[] = [];
  let held = 0;
  try {
    for (let next = await first; !next.done; next = await rest.next()) {
      const { entry } = next.value;
      group.push(next.value);
      held += entry.records.reduce((sum, record) => sum + record.bytes.length, 0);
      if (group.length < REPLAY_GROUP_ENTRIES_MAX && held < REPLAY_GROUP_BYTES_MAX) continue;
      yield group;
      group = [];
      held = 0;
    }
    if (group.length > 0) yield group;
  } finally {
    await rest.return(undefined);
  }
}
