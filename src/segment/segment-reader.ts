/**
 * A view on a segment, in memory or in a store. Opening reads nothing but the head's header; the
 * directory and each section are opened when they are first asked for, so that thousands of small
 * segments may be open and a far one is read only where it is looked at. What reads bytes may throw
 * `NotResident`, and may be called again.
 */

import type { Ordinal, SegmentId } from "../base/ids.ts";
import { corrupt } from "../codec/columns-packing.ts";
import { dataLogicalBytes, valueLogicalBytes } from "../codec/columns-size.ts";
import { idAt } from "../codec/columns-value.ts";
import type { AttributeType, IdType } from "../model/attribute-type.ts";
import type { Column, ColumnData } from "../model/columns.ts";
import type { DocumentId } from "../model/value.ts";
import type { StoredDocuments } from "./documents/stored-documents.ts";
import { BlockSource, type ByteSource } from "./format/byte-source.ts";
import { attemptAll } from "./format/bytes-missing.ts";
import { mayHaveId, openIdFilter } from "./ids/id-filter-section.ts";
import { type HashedIds, hashIds, IdTable, idKeys, openIds } from "./ids/id-section.ts";
import { PostingRanges } from "./postings/posting-ranges.ts";
import type { PostingKinds, PostingLists } from "./postings/posting-section.ts";
import { SegmentColumn } from "./segment-column.ts";
import {
  idSections,
  readDirectory,
  readFacts,
  SECTION,
  type SectionEntry,
  type SectionKind,
  type SectionSpan,
} from "./segment-format.ts";
import type { ClusterView, SegmentView, SparseView, TextView } from "./segment-view.ts";
import { openSparse, SPARSE_POSTINGS, sparseView } from "./sparse/sparse-section.ts";
import {
  openFingerprint,
  openText,
  TEXT_POSTINGS,
  type TextHead,
  type TextIndex,
  textView,
} from "./text/text-section.ts";
import { openClusters } from "./vectors/cluster-section.ts";

/** Opens a segment in memory that this program wrote, or whose bytes passed `verifySegment`. */
export function openSegment(
  id: SegmentId,
  block: Uint8Array,
  place: { readonly arena: number; readonly offset: number },
): OpenSegment {
  const { arena, offset } = place;
  return new OpenSegment(id, block, new BlockSource({ arena, offset, bytes: block }));
}

/** A segment's view, and what merging needs beyond it. */
export class OpenSegment implements SegmentView {
  readonly id: SegmentId;
  readonly documentCount: number;
  readonly idType: IdType;
  readonly logicalBytes: number;
  readonly bytes: number;
  readonly head: Uint8Array;
  readonly #source: ByteSource;
  readonly #documents: StoredDocuments | undefined;
  #epoch = 0;
  #directory: Map<string, SectionEntry[]> | undefined;
  #attributes: readonly string[] | undefined;
  #ids: ColumnData | undefined;
  #table: IdTable | undefined;
  #filter: Uint32Array | undefined;
  /** Until it is known: segments in memory have none. */
  #hasFilter: boolean;
  #sized: Column[] | undefined;
  readonly #columns = new Map<string, SegmentColumn | undefined>();
  readonly #texts = new Map<string, TextView | undefined>();
  readonly #sparse = new Map<string, SparseView | undefined>();
  readonly #clusters = new Map<string, ClusterView | undefined>();

  /** `head` begins with the segment's head; `documents` has what is in no column. */
  constructor(id: SegmentId, head: Uint8Array, source: ByteSource, documents?: StoredDocuments) {
    const facts = readFacts(head);
    this.id = id;
    this.documentCount = facts.documentCount;
    this.idType = facts.idType;
    this.logicalBytes = facts.logicalBytes;
    this.bytes = facts.bytes;
    this.head = head;
    this.#source = source;
    this.#documents = documents;
    this.#hasFilter = documents !== undefined || source.chunkBytes !== Number.POSITIVE_INFINITY;
  }

  /** All bytes of the segment, as `sealSegment` needs them. */
  get block(): Uint8Array {
    return this.#source.place(0, this.bytes).bytes;
  }

  /** Where all bytes of the segment are. */
  get place(): { readonly arena: number; readonly offset: number } {
    const { arena, offset } = this.#source.place(0, this.bytes);
    return { arena, offset };
  }

  get ids(): ColumnData {
    this.#checkEpoch();
    if (this.#ids === undefined) {
      const { ids } = idSections(this.head);
      this.#ids = openIds(this.#bytes(ids), this.idType);
    }
    return this.#ids;
  }

  /** Logical bytes of one document with its id; see `columns-size.ts`. */
  logicalBytesOf(ordinal: Ordinal): number {
    this.#checkEpoch();
    this.#sized ??= this.attributes.flatMap((name) => this.column(name)?.column ?? []);
    let bytes = dataLogicalBytes(this.ids, ordinal, ordinal + 1);
    for (const column of this.#sized) bytes += valueLogicalBytes(column, ordinal);
    return bytes;
  }

  /** The hash table of ids. */
  get table(): IdTable {
    this.#checkEpoch();
    this.#table ??= this.#openTable();
    return this.#table;
  }

  /** The section of the hash table of ids; undefined if there are too few to hash. */
  get idSlots(): Uint8Array | undefined {
    const { slots } = idSections(this.head);
    return slots === undefined ? undefined : this.#bytes(slots);
  }

  /** Attributes of which some document has a value. Of a stored segment it may need bytes. */
  get attributes(): readonly string[] {
    this.#attributes ??= this.#listAttributes();
    return this.#attributes;
  }

  idOf(ordinal: Ordinal): DocumentId {
    return idAt(this.ids, ordinal);
  }

  ordinalOf(id: DocumentId): Ordinal | undefined {
    if ((typeof id === "bigint") !== (this.idType === "uint")) return undefined;
    return this.ordinalAt(hashIds(this.idType, [id]), 0);
  }

  ordinalAt({ keys, hashes }: HashedIds, index: number): Ordinal | undefined {
    const filter = this.#idFilter();
    if (filter !== undefined && !mayHaveId(filter, hashes[index])) return undefined;
    const ordinal = this.table.find(keys, index, hashes[index]);
    return ordinal < 0 ? undefined : (ordinal as Ordinal);
  }

  #idFilter(): Uint32Array | undefined {
    this.#checkEpoch();
    if (this.#filter === undefined && this.#hasFilter) {
      const section = this.#section(SECTION.idFilter, "");
      this.#hasFilter = section !== undefined;
      this.#filter = section && openIdFilter(section);
    }
    return this.#filter;
  }

  column(attribute: string): SegmentColumn | undefined {
    this.#checkEpoch();
    return cached(this.#columns, attribute, () => this.#openColumn(attribute));
  }

  text(attribute: string): TextView | undefined {
    this.#checkEpoch();
    return cached(this.#texts, attribute, () => {
      const head = this.textHead(attribute);
      if (head === undefined) return undefined;
      return textView(head, this.#postings(attribute, TEXT_POSTINGS));
    });
  }

  sparse(attribute: string): SparseView | undefined {
    this.#checkEpoch();
    return cached(this.#sparse, attribute, () => {
      const block = this.#section(SECTION.sparse, attribute);
      if (block === undefined) return undefined;
      return sparseView(openSparse(block), this.#postings(attribute, SPARSE_POSTINGS));
    });
  }

  isClustered(attribute: string): boolean {
    return this.entry(SECTION.clusters, attribute) !== undefined;
  }

  clusters(attribute: string): ClusterView | undefined {
    this.#checkEpoch();
    return cached(this.#clusters, attribute, () => {
      const entry = this.entry(SECTION.clusters, attribute);
      if (entry === undefined) return undefined;
      const block = this.#source.place(entry.offset, entry.offset + entry.bytes);
      return openClusters(block, this.documentCount);
    });
  }

  /** The type of an attribute of which some document has a value. */
  typeOf(attribute: string): AttributeType | undefined {
    // All but dense vectors are among the documents, where there are any.
    return this.#documents?.attributes.get(attribute) ?? this.column(attribute)?.column.type;
  }

  /** Which options the terms of a text index come from; undefined if there is none. */
  textFingerprint(attribute: string): string | undefined {
    const entry = this.entry(SECTION.text, attribute);
    if (entry === undefined) return undefined;
    const { offset, bytes } = entry;
    const start = this.#source.place(offset, offset + Math.min(bytes, FINGERPRINT_BYTES_MAX));
    return openFingerprint(start.bytes);
  }

  /** A text index without its postings. */
  textHead(attribute: string): TextHead | undefined {
    const block = this.#section(SECTION.text, attribute);
    return block === undefined ? undefined : openText(block);
  }

  /** A text index as arrays. */
  textIndex(attribute: string): TextIndex | undefined {
    const head = this.textHead(attribute);
    if (head === undefined) return undefined;
    const { directory, ...rest } = head;
    const { starts } = directory;
    const ranges = this.#postings(attribute, TEXT_POSTINGS);
    return { ...rest, lists: { ...directory, ...ranges.read(0, starts[starts.length - 1]) } };
  }

  /** Inverted sparse vectors as arrays. */
  sparseLists(attribute: string): PostingLists | undefined {
    const block = this.#section(SECTION.sparse, attribute);
    if (block === undefined) return undefined;
    const directory = openSparse(block);
    const { starts } = directory;
    const ranges = this.#postings(attribute, SPARSE_POSTINGS);
    return { ...directory, ...ranges.read(0, starts[starts.length - 1]) };
  }

  /** The sections, in their order. */
  get entries(): readonly SectionEntry[] {
    return readDirectory(this.head);
  }

  /** Looks at all bytes of a section. */
  touch({ offset, bytes }: SectionEntry): void {
    this.#source.place(offset, offset + bytes);
  }

  /** The directory's entry of a section. */
  entry(kind: SectionKind, attribute: string): SectionEntry | undefined {
    return this.#entries()
      .get(attribute)
      ?.find((candidate) => candidate.kind === kind);
  }

  #openTable(): IdTable {
    // Both sections are wanted at once.
    attemptAll<unknown>([() => this.ids, () => this.idSlots]);
    return new IdTable(idKeys(this.ids, this.documentCount), this.idSlots);
  }

  #openColumn(attribute: string): SegmentColumn | undefined {
    const entries = {
      column: this.entry(SECTION.column, attribute),
      dictionary: this.entry(SECTION.dictionary, attribute),
      vectorColumn: this.entry(SECTION.vectorColumn, attribute),
      vectors: this.entry(SECTION.vectors, attribute),
    };
    const { documentCount: count } = this;
    const stored = entries.vectorColumn === undefined ? this.#documents : undefined;
    const hasColumn = entries.column !== undefined || entries.vectorColumn !== undefined;
    if (!hasColumn && !stored?.attributes.has(attribute)) return undefined;
    return new SegmentColumn({ attribute, count, source: this.#source, entries, stored });
  }

  #listAttributes(): readonly string[] {
    const names = new Set(this.#entries().keys());
    names.delete("");
    for (const name of this.#documents?.attributes.keys() ?? []) names.add(name);
    return [...names];
  }

  #postings(attribute: string, kinds: PostingKinds): PostingRanges {
    const ordinals = this.entry(kinds.ordinals, attribute);
    const numbers = this.entry(kinds.numbers, attribute);
    if (ordinals === undefined || numbers === undefined) {
      throw corrupt("posting lists", `those of \`${attribute}\` are missing`);
    }
    return new PostingRanges(this.#source, ordinals, numbers);
  }

  #section(kind: SectionKind, attribute: string): Uint8Array | undefined {
    const entry = this.entry(kind, attribute);
    return entry === undefined ? undefined : this.#bytes(entry);
  }

  #bytes({ offset, bytes }: SectionSpan): Uint8Array {
    return this.#source.place(offset, offset + bytes).bytes;
  }

  #entries(): Map<string, SectionEntry[]> {
    if (this.#directory !== undefined) return this.#directory;
    const directory = new Map<string, SectionEntry[]>();
    for (const entry of readDirectory(this.head)) {
      const known = directory.get(entry.attribute);
      if (known === undefined) directory.set(entry.attribute, [entry]);
      else known.push(entry);
    }
    this.#directory = directory;
    return directory;
  }

  /** Views of bytes that were dropped must not be used again. */
  #checkEpoch(): void {
    const { epoch } = this.#source;
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#ids = undefined;
    this.#table = undefined;
    this.#filter = undefined;
    this.#sized = undefined;
    this.#columns.clear();
    this.#texts.clear();
    this.#sparse.clear();
    this.#clusters.clear();
  }
}

/** The fingerprint of a text index lies within so many bytes from its start. */
const FINGERPRINT_BYTES_MAX = 512;

function cached<T>(
  cache: Map<string, T | undefined>,
  key: string,
  open: () => T | undefined,
): T | undefined {
  if (cache.has(key)) return cache.get(key);
  const opened = open();
  cache.set(key, opened);
  return opened;
}
