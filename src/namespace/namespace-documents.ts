/**
 * The documents of one open namespace in the write thread: the memtable, the stored segments, the
 * numbering of their deltas, and which dropped segments wait for their readers.
 *
 * What a batch deletes in stored segments is looked up before it is committed (`deletionsOf`),
 * since that may need bytes of the store; applying it afterwards needs none.
 */

import { DatabaseError } from "../base/errors.ts";
import { type Ordinal, type SegmentId, type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import type { Steps } from "../base/steps.ts";
import type { WriteBatch } from "../log/wal-records.ts";
import type { DocumentColumns } from "../model/columns.ts";
import type { Schema } from "../model/schema.ts";
import type { DocumentId } from "../model/value.ts";
import type { LiveSegment } from "../segment/memtable/live-segment.ts";
import {
  Memtable,
  type MemtableOptions,
  type PreparedSegments,
  SEGMENT_MERGE_DOCUMENTS_MAX,
} from "../segment/memtable/memtable.ts";
import type { CountedSegment, MemtableDelta } from "../segment/memtable/memtable-delta.ts";
import {
  describeStored,
  findIn,
  type SoughtIds,
  type StoredDeletions,
  type StoredSegment,
  StoredSegments,
} from "../segment/memtable/stored-segments.ts";
import { type IdKeys, idKeys } from "../segment/view/id-keys.ts";
import type { PublishedDelta } from "./published-state.ts";

/** How a committed batch is applied. */
export interface BatchApplication {
  readonly schema: Schema;
  readonly sequence: SequenceNumber;
  /** What `prepare` made of it; without it the documents' segments are built now. */
  readonly prepared?: PreparedSegments;
  /** What `deletionsOf` gave for it. */
  readonly deletions: StoredDeletions;
}

/** Ids that one entry deleted. */
interface TailDeletes {
  readonly sequence: SequenceNumber;
  readonly keys: IdKeys;
}

/** Documents, and the deltas that they gave. */
export class NamespaceDocuments {
  readonly memtable: Memtable;
  readonly #stored = new StoredSegments();
  #tailDeletes: TailDeletes[] = [];
  #importedUpTo = sequenceNumber(0);
  #version = 0;
  /** Dropped segments by the version that dropped them, ascending. */
  readonly #drops: { readonly version: number; readonly ids: readonly SegmentId[] }[] = [];
  #releasedVersion = 0;
  /** Segments that long readers hold, each its own. */
  readonly #retained = new Set<ReadonlySet<SegmentId>>();
  /** Dropped and let go of by all others. */
  #held: SegmentId[] = [];

  constructor(options: MemtableOptions) {
    this.memtable = new Memtable(options);
  }

  /** No segment is here and none waits for its readers. */
  get isEmpty(): boolean {
    const waiting = this.#drops.length + this.#held.length;
    return this.segments.length === 0 && waiting === 0;
  }

  /** All segments with their live documents as of now; unordered. */
  get segments(): readonly LiveSegment[] {
    return [...this.#stored.stored.map(({ segment }) => segment), ...this.memtable.segments];
  }

  /** The segments in the store. */
  get stored(): readonly StoredSegment[] {
    return this.#stored.stored;
  }

  /** Live documents. */
  get documentCount(): number {
    return this.memtable.documentCount + this.#stored.documentCount;
  }

  /** Logical bytes of live documents; estimated where stored segments have deleted ones. */
  get logicalBytes(): number {
    return this.memtable.logicalBytes + this.#stored.logicalBytes;
  }

  /** Where the live document with an id is. Throws `BytesMissing`. */
  locate(id: DocumentId): { segment: LiveSegment; ordinal: Ordinal } | undefined {
    return this.memtable.locate(id) ?? this.#stored.locate(id);
  }

  /** What a batch deletes in stored segments. Throws `BytesMissing`. */
  deletionsOf(batch: WriteBatch): Steps<StoredDeletions> {
    const sought: SoughtIds[] = [];
    for (const record of batch) {
      const ids = idsOf(record);
      if (ids !== undefined) sought.push({ keys: idKeys(ids.ids, ids.count), indexes: undefined });
    }
    return findIn(
      this.#stored.stored.map(({ segment }) => segment),
      sought,
    );
  }

  /** Builds the segments of a batch that is yet to be committed. Throws `out_of_memory`. */
  *prepare(batch: WriteBatch, schema: Schema): Steps<PreparedSegments | undefined> {
    const documents = documentsOf(batch);
    const deletes = batch.find((record) => record.kind === "deletes")?.deletes;
    if (documents === undefined && deletes === undefined) return undefined;
    const commit = { schema, ...(documents && { documents }), ...(deletes && { deletes }) };
    return yield* this.memtable.prepare(commit);
  }

  /** Gives back the memory of what was prepared and not committed. */
  discard(prepared: PreparedSegments | undefined): void {
    if (prepared !== undefined) this.memtable.discard(prepared);
  }

  /** Applies the documents of a committed batch; undefined if it has none. */
  apply(batch: WriteBatch, application: BatchApplication): PublishedDelta | undefined {
    const { schema, sequence, prepared, deletions } = application;
    const documents = documentsOf(batch);
    const deletes = batch.find((record) => record.kind === "deletes")?.deletes;
    if (documents === undefined && deletes === undefined) return undefined;
    const change = this.memtable.apply({
      schema,
      sequence,
      ...(documents && { documents }),
      ...(deletes && { deletes }),
      ...(prepared && { prepared }),
    });
    if (deletes !== undefined) {
      this.#tailDeletes.push({ sequence, keys: idKeys(deletes.ids, deletes.count) });
    }
    return this.#numbered(this.#withDeletions(change, this.#stored.delete(deletions)));
  }

  /** Puts stored segments in, while the namespace is being opened and has no reader. */
  restore(stored: readonly StoredSegment[]): void {
    this.#stored.replace(stored);
  }

  /**
   * The last entry that brought stored segments: a manifest of entries before it has not the
   * documents that are here.
   */
  get importedUpTo(): SequenceNumber {
    return this.#importedUpTo;
  }

  /** Adds the stored segments of an import, committed as an entry; no id of theirs is live here. */
  addStored(added: readonly StoredSegment[], sequence: SequenceNumber): PublishedDelta {
    this.#importedUpTo = sequence;
    this.#stored.replace([...this.#stored.stored, ...added]);
    const change = { full: false, added: added.map(describeStored), deleted: [], dropped: [] };
    return this.#numbered(change);
  }

  /**
   * What entries after `indexedUpTo` have deleted in the segments of `next` that are not here yet.
   * Throws `BytesMissing`.
   */
  deletionsIn(next: readonly StoredSegment[], indexedUpTo: SequenceNumber): Steps<StoredDeletions> {
    const fresh = next.filter(({ segment }) => this.#stored.get(segment.view.id) === undefined);
    const sought: SoughtIds[] = this.memtable.writtenAfter(indexedUpTo);
    for (const { sequence, keys } of this.#tailDeletes) {
      if (sequence > indexedUpTo) sought.push({ keys, indexes: undefined });
    }
    return findIn(
      fresh.map(({ segment }) => segment),
      sought.filter(({ keys, indexes }) => (indexes?.length ?? keys.count) > 0),
    );
  }

  /**
   * Takes over the segments of a newer manifest, which hold all entries up to `indexedUpTo`; drops
   * what they replace. Segments that are here already stay as they are, but for the counts that
   * `counted` has of them. `deletions` is what `deletionsIn` says now. No document may come or go
   * by this: throws `corrupt`, and changes nothing, where the numbers of documents differ.
   */
  adopt(
    manifest: {
      readonly segments: readonly StoredSegment[];
      readonly indexedUpTo: SequenceNumber;
      readonly counted: readonly CountedSegment[];
    },
    deletions: StoredDeletions,
  ): PublishedDelta {
    const { indexedUpTo } = manifest;
    const before = this.documentCount;
    const next = manifest.segments.map((stored) => {
      return this.#stored.get(stored.segment.view.id) ?? stored;
    });
    this.#checkCount(next, deletions, indexedUpTo);
    const known = new Set(this.#stored.stored);
    const kept = new Set(next);
    const gone = [...known].filter((stored) => !kept.has(stored));
    const added = next.filter((stored) => !known.has(stored));
    this.#stored.replace(next);
    this.#stored.delete(deletions);
    for (const { segment, counted } of manifest.counted) {
      this.#stored.get(segment)?.segment.recount(counted);
    }
    const change = this.memtable.forget(indexedUpTo);
    this.#tailDeletes = this.#tailDeletes.filter(({ sequence }) => sequence > indexedUpTo);
    if (this.documentCount !== before) throw lostDocuments(before, this.documentCount);
    return this.#numbered({
      ...change,
      added: added.map(describeStored),
      counted: manifest.counted,
      dropped: [...change.dropped, ...gone.map(({ segment }) => segment.view.id)],
    });
  }

  /** Merges a few small segments, into at most `bytesMax`; undefined if there is nothing to do. */
  *compactStep(schema: Schema, bytesMax?: number): Steps<PublishedDelta | undefined> {
    const documentsMax = SEGMENT_MERGE_DOCUMENTS_MAX;
    return this.#number(yield* this.memtable.compactStep(documentsMax, schema, bytesMax));
  }

  /** Rebuilds one segment whose indexes are not the schema's; undefined if there is none. */
  *rebuildStep(schema: Schema): Steps<PublishedDelta | undefined> {
    return this.#number(yield* this.memtable.rebuildStep(schema));
  }

  /** The whole state, for a reader that has no segment yet. */
  full(): PublishedDelta {
    const { full, added, deleted, dropped } = this.memtable.full();
    const stored = this.#stored.stored.map(describeStored);
    return {
      version: ++this.#version,
      change: { full, added: [...stored, ...added], deleted, dropped },
    };
  }

  /** A delta that changes nothing, to publish new facts with. */
  unchanged(): PublishedDelta {
    const change = { full: false, added: [], deleted: [], dropped: [] };
    return { version: ++this.#version, change };
  }

  /** Drops everything. */
  clear(): PublishedDelta {
    const gone = this.#stored.stored.map(({ segment }) => segment.view.id);
    this.#stored.replace([]);
    this.#tailDeletes = [];
    const change = this.memtable.clear();
    return this.#numbered({ ...change, dropped: [...change.dropped, ...gone] });
  }

  /** Some reader retains segments. */
  get isRetained(): boolean {
    return this.#retained.size > 0;
  }

  /**
   * Keeps the segments of now in memory, also dropped ones, until the returned function is called.
   */
  retain(): () => void {
    const pinned = new Set(this.memtable.segments.map(({ view }) => view.id));
    this.#retained.add(pinned);
    return () => {
      this.#retained.delete(pinned);
      this.#free();
    };
  }

  /** No reader uses what was dropped up to `version`. */
  release(version: number): void {
    this.#releasedVersion = Math.max(this.#releasedVersion, version);
    this.#free();
  }

  /** Gives back the memory of everything dropped so far: no reader was ever sent it. */
  releaseAll(): void {
    this.release(this.#version);
  }

  #checkCount(
    next: readonly StoredSegment[],
    deletions: StoredDeletions,
    indexedUpTo: SequenceNumber,
  ): void {
    let after = this.memtable.documentCount - this.memtable.countUpTo(indexedUpTo);
    for (const { segment } of next) {
      after += segment.liveCount - distinctCount(segment, deletions.get(segment));
    }
    if (after !== this.documentCount) throw lostDocuments(this.documentCount, after);
  }

  #free(): void {
    const unread = [...this.#held];
    while (this.#drops.length > 0 && this.#drops[0].version <= this.#releasedVersion) {
      unread.push(...(this.#drops.shift()?.ids ?? []));
    }
    const isHeld = (id: SegmentId) => [...this.#retained].some((pinned) => pinned.has(id));
    this.#held = unread.filter(isHeld);
    this.memtable.release(unread.filter((id) => !isHeld(id)));
  }

  #withDeletions(change: MemtableDelta, deleted: Map<LiveSegment, number[]>): MemtableDelta {
    if (deleted.size === 0) return change;
    // A stored segment stays until a manifest without it, also when none of its documents is live.
    const deletions = [...deleted].map(([{ view }, ordinals]) => {
      return { segment: view.id, ordinals: Uint32Array.from(ordinals) };
    });
    return { ...change, deleted: [...change.deleted, ...deletions] };
  }

  #number(change: MemtableDelta | undefined): PublishedDelta | undefined {
    return change === undefined ? undefined : this.#numbered(change);
  }

  #numbered(change: MemtableDelta): PublishedDelta {
    const version = ++this.#version;
    if (change.dropped.length > 0) this.#drops.push({ version, ids: change.dropped });
    return { version, change };
  }
}

function documentsOf(batch: WriteBatch): DocumentColumns | undefined {
  return batch.find((record) => record.kind === "documents")?.documents;
}

function idsOf(record: WriteBatch[number]) {
  if (record.kind === "documents") return record.documents;
  return record.kind === "deletes" ? record.deletes : undefined;
}

/** An id may have been written several times since. */
function distinctCount({ view }: LiveSegment, ordinals: readonly number[] = []): number {
  const seen = new Uint8Array(ordinals.length === 0 ? 0 : view.documentCount);
  let count = 0;
  for (const ordinal of ordinals) {
    if (seen[ordinal] === 0) count++;
    seen[ordinal] = 1;
  }
  return count;
}

function lostDocuments(before: number, after: number): DatabaseError {
  return new DatabaseError(
    "corrupt",
    `cannot follow a manifest: ${before} documents became ${after} by indexing`,
  );
}
