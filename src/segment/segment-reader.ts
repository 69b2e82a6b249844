/**
 * A view on a segment, in memory or in a store. Opening reads nothing but the head's header; the
 * directory and each section are opened when they are first asked for, so that thousands of small
 * segments may be open and a remote one is read only where it is looked at. What reads bytes may
 * throw `BytesMissing`, and may be called again.
 */

import { assert } from "../base/assert.ts";
import type { Ordinal, SegmentId } from "../base/ids.ts";
import { dataLogicalBytes, valueLogicalBytes } from "../codec/columns-size.ts";
import { idAt } from "../codec/columns-value.ts";
import type { AttributeType, IdType } from "../model/attribute-type.ts";
import type { Column, ColumnData } from "../model/columns.ts";
import type { DocumentId } from "../model/value.ts";
import type { StoredDocuments } from "./documents/stored-documents.ts";
import { AttributeSections } from "./format/attribute-sections.ts";
import { BlockSource, type ByteSource } from "./format/byte-source.ts";
import { layoutOf } from "./format/segment-format.ts";
import type { SectionEntry, SegmentLayout } from "./format/segment-layout.ts";
import { ID_FILTER_SECTION } from "./ids/id-filter-section.ts";
import { ID_SECTIONS, type IdTable } from "./ids/id-section.ts";
import { SegmentIds } from "./ids/segment-ids.ts";
import { openSegmentColumn, type SegmentColumn } from "./segment-column.ts";
import type { AttributeIndex, IndexedSegment } from "./view/attribute-index.ts";
import { type HashedIds, hashIds } from "./view/id-keys.ts";
import type { SegmentView } from "./view/segment-view.ts";

/** Opens a segment in memory that this program wrote, or whose bytes passed `verifySegment`. */
export function openSegment(
  id: SegmentId,
  block: Uint8Array,
  place: { readonly arena: number; readonly offset: number },
): OpenSegment {
  const { arena, offset } = place;
  return new OpenSegment(id, block, new BlockSource({ arena, offset, bytes: block }));
}

/** What a segment is opened with beside its bytes. */
export interface OpenSegmentOptions {
  /** What is in no column, in the stored form. */
  readonly documents?: StoredDocuments | undefined;
  /** That of the head's version, unless it is given. */
  readonly layout?: SegmentLayout;
}

/** A segment's view, and what merging needs beyond it. */
export class OpenSegment implements SegmentView, IndexedSegment {
  readonly id: SegmentId;
  readonly documentCount: number;
  readonly idType: IdType;
  readonly logicalBytes: number;
  readonly bytes: number;
  readonly head: Uint8Array;
  readonly #layout: SegmentLayout;
  readonly #source: ByteSource;
  readonly #documents: StoredDocuments | undefined;
  #epoch = 0;
  /** By attribute; keeps no bytes. */
  #directory: Map<string, AttributeSections> | undefined;
  #attributes: readonly string[] | undefined;
  #segmentIds: SegmentIds | undefined;
  #sized: Column[] | undefined;
  readonly #columns = new Map<string, SegmentColumn | undefined>();
  /** What was opened of each index, by attribute. */
  readonly #views = new Map<Pick<AttributeIndex, "open">, Map<string, unknown>>();

  /** `head` begins with the segment's head. */
  constructor(
    id: SegmentId,
    head: Uint8Array,
    source: ByteSource,
    options: OpenSegmentOptions = {},
  ) {
    this.#layout = options.layout ?? layoutOf(head);
    const facts = this.#layout.facts(head);
    this.id = id;
    this.documentCount = facts.documentCount;
    this.idType = facts.idType;
    this.logicalBytes = facts.logicalBytes;
    this.bytes = facts.bytes;
    this.head = head;
    this.#source = source;
    this.#documents = options.documents;
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
    return this.#ids().data;
  }

  /** The hash table of ids. */
  get table(): IdTable {
    return this.#ids().table;
  }

  /** The section of the hash table of ids; undefined if there are too few to hash. */
  get idSlots(): Uint8Array | undefined {
    return this.#ids().slots;
  }

  /** Logical bytes of one document with its id; see `columns-size.ts`. */
  logicalBytesOf(ordinal: Ordinal): number {
    this.#checkEpoch();
    this.#sized ??= this.attributes.flatMap((name) => this.column(name)?.column ?? []);
    let bytes = dataLogicalBytes(this.ids, ordinal, ordinal + 1);
    for (const column of this.#sized) bytes += valueLogicalBytes(column, ordinal);
    return bytes;
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

  ordinalAt(ids: HashedIds, index: number): Ordinal | undefined {
    return this.#ids().ordinalAt(ids, index);
  }

  column(attribute: string): SegmentColumn | undefined {
    this.#checkEpoch();
    const known = this.#columns.get(attribute);
    if (known !== undefined || this.#columns.has(attribute)) return known;
    const opened = openSegmentColumn({ attribute, segment: this, stored: this.#documents });
    this.#columns.set(attribute, opened);
    return opened;
  }

  index<View>(index: Pick<AttributeIndex<View>, "open">, attribute: string): View | undefined {
    this.#checkEpoch();
    const views = this.#views.get(index) as Map<string, View | undefined> | undefined;
    const known = views?.get(attribute);
    if (known !== undefined || views?.has(attribute) === true) return known;
    const opened = index.open(this.sections(attribute));
    if (views === undefined) this.#views.set(index, new Map([[attribute, opened]]));
    else views.set(attribute, opened);
    return opened;
  }

  hasIndex({ sections }: Pick<AttributeIndex, "sections">, attribute: string): boolean {
    const { entries } = this.sections(attribute);
    return entries.some(({ kind }) => sections.includes(kind));
  }

  /** The type of an attribute of which some document has a value. */
  typeOf(attribute: string): AttributeType | undefined {
    // All but dense vectors are among the documents, where there are any.
    return this.#documents?.attributes.get(attribute) ?? this.column(attribute)?.column.type;
  }

  /** The sections of an attribute; those that are about none are of the attribute "". */
  sections(attribute: string): AttributeSections {
    this.#directory ??= this.#readDirectory();
    return this.#directory.get(attribute) ?? this.#sectionsOf(attribute, []);
  }

  /** Attributes that have sections of their own. */
  get indexedAttributes(): readonly string[] {
    this.#directory ??= this.#readDirectory();
    return [...this.#directory.keys()].filter((name) => name !== "");
  }

  /** The sections, in their order. */
  get entries(): readonly SectionEntry[] {
    return this.#layout.directory(this.head);
  }

  #listAttributes(): readonly string[] {
    const stored = this.#documents?.attributes.keys() ?? [];
    return [...new Set([...this.indexedAttributes, ...stored])];
  }

  #readDirectory(): Map<string, AttributeSections> {
    const entries = new Map<string, SectionEntry[]>();
    for (const entry of this.entries) {
      const known = entries.get(entry.attribute);
      if (known === undefined) entries.set(entry.attribute, [entry]);
      else known.push(entry);
    }
    const directory = new Map<string, AttributeSections>();
    for (const [name, own] of entries) directory.set(name, this.#sectionsOf(name, own));
    return directory;
  }

  #sectionsOf(attribute: string, entries: readonly SectionEntry[]): AttributeSections {
    const { documentCount, head } = this;
    return new AttributeSections(attribute, entries, { documentCount, source: this.#source, head });
  }

  #ids(): SegmentIds {
    this.#checkEpoch();
    this.#segmentIds ??= this.#openIds();
    return this.#segmentIds;
  }

  /** Found without reading the directory: commits open them in each new segment. */
  #openIds(): SegmentIds {
    const source = this.#source;
    // Segments in memory that were never stored have no filter.
    const isStored =
      this.#documents !== undefined || source.chunkBytes !== Number.POSITIVE_INFINITY;
    const ids = this.#layout.sectionAt(this.head, 0);
    const second = this.#layout.sectionAt(this.head, 1);
    assert(ids?.kind === ID_SECTIONS.ids, "a segment does not begin with ids");
    return new SegmentIds(
      { idType: this.idType, count: this.documentCount, source },
      {
        ids,
        slots: second?.kind === ID_SECTIONS.slots ? second : undefined,
        filter: () => (isStored ? this.sections("").entry(ID_FILTER_SECTION) : undefined),
      },
    );
  }

  /** Views of bytes that were dropped must not be used again. */
  #checkEpoch(): void {
    const { epoch } = this.#source;
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#segmentIds?.forget();
    this.#sized = undefined;
    this.#columns.clear();
    this.#views.clear();
  }
}
