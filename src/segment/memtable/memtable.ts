/**
 * The documents of WAL entries that no stored segment has yet, as the namespace's one writer keeps
 * them: a list of immutable segments in memory and which of their documents are live. A commit
 * adds a segment and deletes what it replaces; small segments are merged in steps of bounded
 * length; `forget` drops what stored segments have taken over. Each change gives a delta from which
 * readers in other threads follow (`snapshot-replica.ts`).
 *
 * A document id is live at most once. Memory of dropped segments stays until `release`.
 */

import { assert, must } from "../../base/assert.ts";
import { MIB } from "../../base/byte-sizes.ts";
import type { Ordinal, SegmentId, SequenceNumber } from "../../base/ids.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import { buildIds } from "../../codec/columns-builder.ts";
import { documentsBytes } from "../../codec/columns-size.ts";
import { sliceDocuments } from "../../codec/columns-slice.ts";
import type { ArenaBytes, ArenaRange } from "../../kernel/arena.ts";
import type { ColumnData, DocumentColumns } from "../../model/columns.ts";
import type { Schema } from "../../model/schema.ts";
import type { DocumentId } from "../../model/value.ts";
import type { SegmentPlan } from "../format/segment-layout.ts";
import type { SegmentMemory } from "../format/segment-memory.ts";
import { matchesSchema } from "../missing-indexes.ts";
import { planMerge } from "../segment-merger.ts";
import { openSegment } from "../segment-reader.ts";
import { planSegment } from "../segment-writer.ts";
import type { AttributeIndex } from "../view/attribute-index.ts";
import { hashKeys, type IdKeys, idKeys } from "../view/id-keys.ts";
import { DocumentSequences } from "./document-sequences.ts";
import { LiveSegment } from "./live-segment.ts";
import { type AddedSegment, describeDeleted, type MemtableDelta } from "./memtable-delta.ts";
import { hasByteCodes } from "./memtable-indexes.ts";
import { pickMerge } from "./pick-merge.ts";

/** Bytes of documents that one segment in memory is built from; bounds what grows in one go. */
const SEGMENT_BUILD_BYTES_MAX = 64 * MIB;
/** Documents that one segment in memory is built from; bounds what grows in one go, as maps do. */
const SEGMENT_BUILD_DOCUMENTS_MAX = 262_144;
/** From so many ids on, those that are replaced are looked for before the commit, and in steps. */
const MANY_IDS = 4096;
/** Bytes that one merge of segments in memory writes; bounds its pause. */
const SEGMENT_MERGE_BYTES_MAX = 64 * MIB;
/**
 * Documents that one merge of segments in memory writes; bounds its pause. Measured at full size:
 * 115 ms of CPU for three scalars (128,000 documents), 160 ms for texts of 60 words (72,000, which
 * fill the bytes), 70 ms for vectors of 768 dimensions (21,600, likewise).
 */
export const SEGMENT_MERGE_DOCUMENTS_MAX = 131_072;

/** What a memtable needs from outside. */
export interface MemtableOptions {
  readonly memory: SegmentMemory;
  /** Makes ids that are unique in the namespace, for ever. */
  newSegmentId(): SegmentId;
  /** What segments have for each attribute; absent: what stored segments have. */
  readonly indexes?: readonly AttributeIndex[];
  /** What merges make for each attribute; absent: the same. */
  mergedIndexes?(schema: Schema): readonly AttributeIndex[];
}

/** One commit: deletes come first, then the documents replace those with their ids. */
export interface MemtableCommit {
  readonly deletes?: { readonly ids: ColumnData; readonly count: number };
  /** Whole documents with unique ids. */
  readonly documents?: DocumentColumns;
  /** What `prepare` made of `documents`; without it they are built now. */
  readonly prepared?: PreparedSegments;
  /** After the commit. */
  readonly schema: Schema;
  /** Of the WAL entry; never falls from commit to commit. */
  readonly sequence: SequenceNumber;
}

/** Documents of a memtable that were written after some sequence number, deleted ones included. */
export interface WrittenIds {
  readonly keys: IdKeys;
  /** Which of the keys. */
  readonly indexes: Uint32Array;
}

/** Segments that are in memory already and in no memtable yet: to be added, or discarded. */
export interface PreparedSegments {
  readonly segments: readonly LiveSegment[];
  /** What the commit replaces or deletes, if that was looked for. */
  readonly replaced?: ReplacedDocuments | undefined;
}

/** Live documents by segment, as long as the memtable is at the same revision. */
interface ReplacedDocuments {
  readonly revision: number;
  readonly ordinals: ReadonlyMap<LiveSegment, readonly number[]>;
  readonly logicalBytes: number;
}

/** How far a rebuild is. */
export interface RebuildProgress {
  readonly documentsDone: number;
  readonly documentsTotal: number;
}

/** The writer's side of a namespace's documents. */
export class Memtable {
  readonly #options: MemtableOptions;
  #segments: LiveSegment[] = [];
  readonly #dropped = new Map<SegmentId, ArenaRange>();
  readonly #sequences = new Map<SegmentId, DocumentSequences>();
  /** Rises with every change of what is live. */
  #revision = 0;
  #documentCount = 0;
  #logicalBytes = 0;
  #memoryBytes = 0;

  constructor(options: MemtableOptions) {
    this.#options = options;
  }

  /** Segments with their live documents as of now, which change with the memtable; unordered. */
  get segments(): readonly LiveSegment[] {
    return this.#segments;
  }

  /** Live documents. */
  get documentCount(): number {
    return this.#documentCount;
  }

  /** Logical bytes of live documents, for billing. */
  get logicalBytes(): number {
    return this.#logicalBytes;
  }

  /** Bytes that segments occupy, dropped ones too until they are released. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Where the live document with an id is. A few dozen hash lookups. */
  locate(id: DocumentId): { segment: LiveSegment; ordinal: Ordinal } | undefined {
    const idType = this.#segments.at(0)?.view.idType;
    if (idType === undefined || (typeof id === "bigint") !== (idType === "uint")) return undefined;
    const keys = idKeys(buildIds(idType, [id]), 1);
    const hash = keys.hash(0);
    for (let s = this.#segments.length - 1; s >= 0; s--) {
      const segment = this.#segments[s];
      const ordinal = segment.view.table.find(keys, 0, hash);
      if (ordinal >= 0 && segment.isLive(ordinal as Ordinal)) {
        return { segment, ordinal: ordinal as Ordinal };
      }
    }
    return undefined;
  }

  /**
   * Builds the segments of documents that are yet to be committed, and looks for those that they
   * replace if they are many. Whoever commits them elsewhere first knows then that there is room
   * for them. Throws, and takes nothing, if there is none.
   */
  *prepare(commit: Omit<MemtableCommit, "sequence">): Steps<PreparedSegments> {
    const { documents, schema } = commit;
    const parts = documents === undefined || documents.count === 0 ? [] : splitDocuments(documents);
    const replaced = yield* this.#findReplaced(commit);
    const { indexes } = this.#options;
    const plans = parts.map((part) => () => planSegment(part, schema, indexes));
    return { segments: yield* this.#addAll(plans), replaced };
  }

  /** Gives back the memory of segments that nobody was told of. */
  discard({ segments }: PreparedSegments): void {
    for (const { view } of segments) {
      this.#memoryBytes -= view.bytes;
      this.#options.memory.free(placeOf(view));
    }
  }

  /** Applies a commit. Throws before anything changed if there is no memory. */
  apply(commit: MemtableCommit): MemtableDelta {
    const { sequence } = commit;
    const prepared = commit.prepared ?? runSteps(this.prepare(commit));
    const added = prepared.segments;
    const deleted = this.#deleteReplaced(commit, prepared.replaced);
    const dropped = [...deleted.keys()].filter(isEmpty);
    for (const { view } of added) {
      this.#sequences.set(view.id, DocumentSequences.all(sequence, view.documentCount));
    }
    this.#replace(dropped, added);
    this.#count(added, 1);
    return {
      full: false,
      added: added.map((segment) => describe(segment)),
      deleted: describeDeleted(deleted),
      dropped: dropped.map(({ view }) => view.id),
    };
  }

  /** Drops the documents of all entries up to `sequence`: stored segments have them. */
  forget(sequence: SequenceNumber): MemtableDelta {
    const deleted = new Map<LiveSegment, number[]>();
    const whole: LiveSegment[] = [];
    for (const segment of this.#segments) {
      if (this.#sequencesOf(segment).areUpTo(sequence)) {
        whole.push(segment);
        continue;
      }
      const ordinals: number[] = [];
      this.#sequencesOf(segment).forEachUpTo(sequence, (ordinal) => {
        if (segment.isLive(ordinal as Ordinal)) ordinals.push(ordinal);
      });
      for (const ordinal of ordinals) this.#deleteOne(segment, ordinal as Ordinal);
      if (ordinals.length > 0 || segment.liveCount === 0) deleted.set(segment, ordinals);
    }
    this.#count(whole, -1);
    const dropped = [...whole, ...[...deleted.keys()].filter(isEmpty)];
    this.#replace(dropped, []);
    const ids = dropped.map(({ view }) => view.id);
    return { full: false, added: [], deleted: describeDeleted(deleted), dropped: ids };
  }

  /** Live documents of entries up to `sequence`. */
  countUpTo(sequence: SequenceNumber): number {
    let count = 0;
    for (const segment of this.#segments) {
      if (this.#sequencesOf(segment).areUpTo(sequence)) {
        count += segment.liveCount;
        continue;
      }
      this.#sequencesOf(segment).forEachUpTo(sequence, (ordinal) => {
        if (segment.isLive(ordinal as Ordinal)) count++;
      });
    }
    return count;
  }

  /** The ids that entries after `sequence` wrote here, some of them several times. */
  writtenAfter(sequence: SequenceNumber): WrittenIds[] {
    return this.#segments.map((segment) => {
      const indexes = this.#sequencesOf(segment).indexesAfter(sequence);
      return { keys: segment.view.table.keys, indexes };
    });
  }

  /**
   * Merges some segments if there are too many small ones, at most `budgetDocuments` live
   * documents; undefined if there is nothing to do. To be called after commits and when idle.
   * `bytesMax` is for documents that stored segments are about to take over: it bounds what is
   * copied until then.
   */
  *compactStep(
    budgetDocuments: number,
    schema: Schema,
    bytesMax?: number,
  ): Steps<MemtableDelta | undefined> {
    const picked = pickMerge(
      this.#segments.map(({ view, liveCount }) => {
        return { bytes: view.bytes, documentCount: view.documentCount, liveCount };
      }),
      {
        documentsMax: Math.min(budgetDocuments, SEGMENT_MERGE_DOCUMENTS_MAX),
        bytesMax: Math.min(bytesMax ?? SEGMENT_MERGE_BYTES_MAX, SEGMENT_MERGE_BYTES_MAX),
      },
    );
    if (picked === undefined) return undefined;
    const inputs = picked.map((index) => this.#segments[index]);
    // Codes that are there are kept; to make them takes longer than they would save.
    const haveCodes = bytesMax === undefined || inputs.some(({ view }) => hasByteCodes(view));
    const indexes = haveCodes ? this.#options.mergedIndexes?.(schema) : undefined;
    return yield* this.#merge(inputs, schema, indexes);
  }

  /**
   * Rebuilds one segment whose indexes are not those that the schema asks for; undefined if there
   * is none left.
   */
  *rebuildStep(schema: Schema): Steps<MemtableDelta | undefined> {
    const stale = this.#segments.find(({ view }) => !matchesSchema(view, schema));
    const indexes = this.#options.mergedIndexes?.(schema);
    return stale && (yield* this.#merge([stale], schema, indexes));
  }

  /** How many documents are in segments that have the indexes of a schema. */
  rebuildProgress(schema: Schema): RebuildProgress {
    let documentsDone = 0;
    for (const { view, liveCount } of this.#segments) {
      if (matchesSchema(view, schema)) documentsDone += liveCount;
    }
    return { documentsDone, documentsTotal: this.#documentCount };
  }

  /** The whole state as one delta, for a reader that knows nothing. */
  full(): MemtableDelta {
    const added = this.#segments.map((segment) => describe(segment));
    return { full: true, added, deleted: [], dropped: [] };
  }

  /** Gives back the memory of dropped segments that no thread reads any more. */
  release(ids: Iterable<SegmentId>): void {
    for (const id of ids) {
      const place = this.#dropped.get(id);
      if (place === undefined) continue;
      this.#dropped.delete(id);
      this.#memoryBytes -= place.bytes;
      this.#options.memory.free(place);
    }
  }

  /** Drops all segments; their memory waits for `release` as after any other delta. */
  clear(): MemtableDelta {
    const dropped = this.#segments;
    this.#replace(dropped, []);
    this.#documentCount = 0;
    this.#logicalBytes = 0;
    return { full: false, added: [], deleted: [], dropped: dropped.map(({ view }) => view.id) };
  }

  /** Until it has ended nothing else may change what is live. */
  *#merge(
    inputs: readonly LiveSegment[],
    schema: Schema,
    indexes: readonly AttributeIndex[] | undefined,
  ): Steps<MemtableDelta> {
    const revision = this.#revision;
    const added = yield* this.#addAll([
      () => planMerge(inputs, schema, indexes ?? this.#options.indexes),
    ]);
    assert(revision === this.#revision, "documents have changed during a merge");
    if (schema.dropCount !== undefined) {
      // Dropped attributes stay behind.
      this.#count(inputs, -1);
      this.#count(added, 1);
    }
    const sequences = inputs.map((input) => this.#sequencesOf(input).ofLive(input.liveBitmap));
    for (const { view } of added) this.#sequences.set(view.id, DocumentSequences.join(sequences));
    this.#replace(inputs, added);
    return {
      full: false,
      added: added.map((segment) => describe(segment)),
      deleted: [],
      dropped: inputs.map(({ view }) => view.id),
    };
  }

  /** Writes segments to memory; all of them or, if it ends early, none. */
  *#addAll(plans: readonly (() => Steps<SegmentPlan>)[]): Steps<LiveSegment[]> {
    const { memory } = this.#options;
    const added: LiveSegment[] = [];
    const blocks: ArenaBytes[] = [];
    let areAll = false;
    try {
      for (const makePlan of plans) {
        const plan = yield* makePlan();
        const block = memory.allocate(plan.bytes);
        blocks.push(block);
        yield* plan.writeTo(block.bytes);
        const id = this.#options.newSegmentId();
        added.push(new LiveSegment(openSegment(id, block.bytes, block)));
      }
      areAll = true;
    } finally {
      if (!areAll) for (const block of blocks) memory.free({ ...block, bytes: block.bytes.length });
    }
    for (const { bytes } of blocks) this.#memoryBytes += bytes.length;
    return added;
  }

  /** Leaves the counts alone. */
  #replace(dropped: readonly LiveSegment[], added: readonly LiveSegment[]): void {
    this.#revision++;
    for (const { view } of dropped) {
      this.#dropped.set(view.id, placeOf(view));
      this.#sequences.delete(view.id);
    }
    this.#segments = [...this.#segments.filter((segment) => !dropped.includes(segment)), ...added];
  }

  /** Adds the live documents of segments to the counts, or takes them away. */
  #count(segments: readonly LiveSegment[], sign: 1 | -1): void {
    for (const segment of segments) {
      this.#documentCount += sign * segment.liveCount;
      this.#logicalBytes += sign * liveLogicalBytes(segment);
    }
  }

  *#findReplaced(commit: Omit<MemtableCommit, "sequence">): Steps<ReplacedDocuments | undefined> {
    const lists = idLists(commit);
    const count = lists.reduce((sum, list) => sum + list.count, 0);
    if (count < MANY_IDS) return undefined;
    const revision = this.#revision;
    const ordinals = new Map<LiveSegment, number[]>();
    let logicalBytes = 0;
    for (const keys of lists) {
      const hashes = yield* hashKeys(keys);
      for (const segment of this.#segments) {
        const found = ordinals.get(segment) ?? [];
        for (let i = 0; i < keys.count && segment.liveCount > 0; i++) {
          if (i % MANY_IDS === 0) yield;
          // The memtable has changed: what was found is stale, and the memory may be reused.
          if (this.#revision !== revision) return undefined;
          const ordinal = segment.view.table.find(keys, i, hashes[i]) as Ordinal;
          if (ordinal < 0 || !segment.isLive(ordinal)) continue;
          found.push(ordinal);
          logicalBytes += segment.view.logicalBytesOf(ordinal);
        }
        if (found.length > 0) ordinals.set(segment, found);
      }
    }
    return { revision, ordinals, logicalBytes };
  }

  #deleteReplaced(
    commit: MemtableCommit,
    replaced: ReplacedDocuments | undefined,
  ): Map<LiveSegment, readonly number[]> {
    if (replaced?.revision !== this.#revision) {
      const found = new Map<LiveSegment, number[]>();
      for (const keys of idLists(commit)) this.#deleteAll(keys, found);
      return found;
    }
    const deleted = new Map<LiveSegment, readonly number[]>();
    for (const [segment, ordinals] of replaced.ordinals) {
      for (const ordinal of ordinals) segment.delete(ordinal as Ordinal);
      this.#documentCount -= ordinals.length;
      deleted.set(segment, ordinals);
    }
    this.#logicalBytes -= replaced.logicalBytes;
    this.#revision++;
    return deleted;
  }

  #deleteAll(keys: IdKeys, deleted: Map<LiveSegment, number[]>): void {
    if (this.#segments.length === 0) return;
    const hashes = runSteps(hashKeys(keys));
    for (const segment of this.#segments) {
      const { table } = segment.view;
      for (let i = 0; i < keys.count && segment.liveCount > 0; i++) {
        const ordinal = table.find(keys, i, hashes[i]) as Ordinal;
        if (ordinal < 0 || !segment.isLive(ordinal)) continue;
        this.#deleteOne(segment, ordinal);
        const ordinals = deleted.get(segment);
        if (ordinals === undefined) deleted.set(segment, [ordinal]);
        else ordinals.push(ordinal);
      }
    }
  }

  #deleteOne(segment: LiveSegment, ordinal: Ordinal): void {
    this.#revision++;
    this.#logicalBytes -= segment.view.logicalBytesOf(ordinal);
    this.#documentCount--;
    segment.delete(ordinal);
  }

  #sequencesOf({ view }: LiveSegment): DocumentSequences {
    return must(this.#sequences.get(view.id), `segment ${view.id} has no sequence numbers`);
  }
}

function isEmpty({ liveCount }: LiveSegment): boolean {
  return liveCount === 0;
}

function describe(segment: LiveSegment): AddedSegment {
  const { view, liveBitmap, liveCount } = segment;
  const { id, documentCount } = view;
  const added: AddedSegment = { id, at: { kind: "memory", place: placeOf(view) }, documentCount };
  return liveCount === documentCount
    ? added
    : { ...added, tombstones: { liveBitmap: liveBitmap.slice() } };
}

function placeOf(view: LiveSegment["view"]): ArenaRange {
  return { ...view.place, bytes: view.bytes };
}

function liveLogicalBytes({ view, liveBitmap, liveCount }: LiveSegment): number {
  let bytes = view.logicalBytes;
  for (let o = 0; liveCount < view.documentCount && o < view.documentCount; o++) {
    if (((liveBitmap[o >> 5] >>> (o & 31)) & 1) === 0) bytes -= view.logicalBytesOf(o as Ordinal);
  }
  return bytes;
}

/** The ids that a commit replaces or deletes; none is in two lists. */
function idLists({ deletes, documents }: Omit<MemtableCommit, "sequence">): IdKeys[] {
  return [deletes, documents].flatMap((list) =>
    list === undefined || list.count === 0 ? [] : [idKeys(list.ids, list.count)],
  );
}

/** Cuts documents so that no part has more bytes than one segment is built from. */
function splitDocuments(documents: DocumentColumns): DocumentColumns[] {
  const { count } = documents;
  const isSmall =
    count <= SEGMENT_BUILD_DOCUMENTS_MAX && documentsBytes(documents) <= SEGMENT_BUILD_BYTES_MAX;
  if (count <= 8 || isSmall) return [documents];
  const middle = 8 * Math.ceil(count / 16);
  return [
    ...splitDocuments(sliceDocuments(documents, 0, middle)),
    ...splitDocuments(sliceDocuments(documents, middle, count)),
  ];
}
