/**
 * Recovery: the newest manifest, its segments, and the WAL entries after it give the namespace's
 * state. Segments stay in the store; only their tombstones are read. Damage anywhere refuses the
 * namespace with the name of the object (I18); nothing is half served.
 */

import { MIB } from "../../base/byte-sizes.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { Slices } from "../../base/slices.ts";
import { asDamage } from "../../cache/resident-ranges.ts";
import { type ReadWalEntry, WalReader } from "../../log/wal-reader.ts";
import type { WriteBatch } from "../../log/wal-records.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { ManifestStore } from "../../manifest/manifest-store.ts";
import { MANIFEST_LOAD_ATTEMPTS_MAX } from "../../manifest/manifest-store.ts";
import type { SegmentEntry } from "../../model/segment-entry.ts";
import type { StoredSegment } from "../../segment/memtable/stored-segments.ts";
import { mergeWeight } from "../../segment/merge-weight.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import type { NamespaceGeneration } from "../../storage/object-keys.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { activeSchema } from "../active-text-options.ts";
import type { NamespaceDocuments } from "../namespace-documents.ts";
import { factsOf, type NamespaceFacts, NO_FACTS } from "../namespace-facts.ts";
import { openManifestSegment } from "./open-stored-segment.ts";
import type { OpeningOptions } from "./opening-options.ts";
import { applyEntry, decodeLogEntry, type LogEntry, prepareEntry } from "./replay-entry.ts";
import { TailLog } from "./tail-log.ts";

/** Bytes of entries that are replayed together: what their ids lead to is then read in one go. */
const REPLAY_GROUP_BYTES_MAX = 1 * MIB;
/** Entries that are replayed together. */
const REPLAY_GROUP_ENTRIES_MAX = 64;

/** What is recovered, and from where. */
export interface RecoverySource {
  readonly generation: NamespaceGeneration;
  readonly documents: NamespaceDocuments;
  readonly manifests: ManifestStore;
  /** The one that the manifests are read through. */
  readonly store: ObjectStore;
}

/** How the log is replayed. */
export interface ReplayLimits {
  /**
   * What documents weigh in memory after which no more entries are replayed, nor after twice as
   * many bytes of entries. Without it all are; at least one is.
   */
  readonly weightMax?: number;
  /** What a merge of segments in memory may write, if not as much as merges may at all. */
  readonly mergeBytesMax?: number;
}

/** What replaying found. */
export interface Recovered {
  readonly manifest: Manifest | undefined;
  readonly facts: NamespaceFacts;
  readonly tail: TailLog;
  /** The whole log was replayed; false: `weightMax` of it. */
  readonly isWhole: boolean;
}

/**
 * Reads the newest manifest and the log after it into `documents`, which is empty. What a newer
 * manifest covers may be collected meanwhile: then that one is read instead.
 */
export async function recover(
  options: OpeningOptions,
  of: RecoverySource & ReplayLimits,
): Promise<Recovered> {
  const { generation, documents, manifests, store } = of;
  let manifest = await manifests.load();
  for (let tried = 1; ; tried++) {
    const recovery = new Recovery(options, generation, { documents, store });
    try {
      await recovery.run(manifest, of);
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
  readonly #options: OpeningOptions;
  readonly #store: ObjectStore;
  readonly #generation: NamespaceGeneration;
  readonly #documents: NamespaceDocuments;
  facts: NamespaceFacts = NO_FACTS;
  readonly tail = new TailLog();
  isWhole = true;
  /** Of segments that were weighed, which is done after each entry. */
  readonly #weights = new WeakMap<OpenSegment, number>();

  constructor(
    options: OpeningOptions,
    generation: NamespaceGeneration,
    of: { readonly documents: NamespaceDocuments; readonly store: ObjectStore },
  ) {
    this.#options = options;
    this.#store = of.store;
    this.#generation = generation;
    this.#documents = of.documents;
  }

  /** The log is fetched while the tombstones are. */
  async run(manifest: Manifest | undefined, limits: ReplayLimits): Promise<void> {
    if (manifest !== undefined) this.facts = factsOf(manifest);
    const reader = new WalReader(this.#store, this.#generation, this.#options);
    const entries = reader.entriesAfter(this.facts.sequence);
    const first = entries.next();
    first.catch(() => {}); // It is thrown below; until then nobody waits for it.
    try {
      this.#documents.restore(await this.#open(manifest?.segments ?? []));
    } catch (error) {
      await first.catch(() => {}); // The segments' fault is the one to tell.
      throw error;
    }
    await this.#replay(entryGroups(first, entries), limits);
  }

  #open(entries: readonly SegmentEntry[]): Promise<StoredSegment[]> {
    const from = { store: this.#store, reads: this.#options.reads };
    return Promise.all(entries.map((entry) => openManifestSegment(entry, this.#generation, from)));
  }

  async #replay(
    groups: AsyncGenerator<ReadWalEntry[]>,
    { weightMax = Number.POSITIVE_INFINITY, mergeBytesMax }: ReplayLimits,
  ): Promise<void> {
    for await (const group of groups) {
      const entries = group.map((read) => decodeLogEntry(read, this.#generation));
      if (entries.length > 1)
        await this.#lookAhead(entries.flatMap(({ batches }) => batches).flat());
      for (const entry of entries) {
        await this.#apply(entry);
        this.tail.add(entry.sequence, entry.bytes);
        if (this.tail.bytes >= 2 * weightMax || this.#weighs(weightMax)) {
          this.isWhole = false;
          return;
        }
        await this.#compact(mergeBytesMax);
        await this.#options.yield();
      }
    }
  }

  /** Whether what was replayed weighs so much. */
  #weighs(weightMax: number): boolean {
    const { memoryBytes, segments } = this.#documents.memtable;
    if (memoryBytes < weightMax) return false;
    let weight = 0;
    for (const { view } of segments) {
      const known = this.#weights.get(view) ?? mergeWeight(view);
      this.#weights.set(view, known);
      weight += known;
    }
    return weight >= weightMax;
  }

  /** Reads what the ids of several entries lead to at once, so that each of them need not wait. */
  async #lookAhead(records: WriteBatch): Promise<void> {
    if (this.#documents.stored.length === 0) return;
    try {
      const slices = new Slices(this.#options);
      await this.#options.reads.runInSteps(
        () => this.#documents.deletionsOf(records),
        (steps) => slices.run(steps),
      );
    } catch (error) {
      // All of them do not fit in memory together; they are read one after the other.
      if (!isDatabaseError(error, "out_of_memory")) throw error;
    }
  }

  async #apply(entry: LogEntry): Promise<void> {
    const { facts } = this;
    const documents = this.#documents;
    const prepared = await prepareEntry(entry, {
      generation: this.#generation,
      store: this.#store,
      reads: this.#options.reads,
      slices: new Slices(this.#options),
      facts,
      documents,
    });
    this.facts = applyEntry(prepared, { facts, documents }).facts;
  }

  /** Merges small segments where there is memory for it; without them replay is slower only. */
  async #compact(bytesMax: number | undefined): Promise<void> {
    const slices = new Slices(this.#options);
    const schema = activeSchema(this.facts);
    try {
      while ((await slices.run(this.#documents.compactStep(schema, bytesMax))) !== undefined) {
        this.#documents.releaseAll();
      }
    } catch (error) {
      if (!isDatabaseError(error, "out_of_memory")) throw error;
    }
  }
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
