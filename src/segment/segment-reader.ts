/**
 * A view on a segment's bytes. Opening reads nothing but the header; the directory and each section
 * are opened when they are first asked for, so that thousands of small segments may be open.
 */

import type { Ordinal, SegmentId } from "../base/ids.ts";
import { openColumn } from "../codec/columns-codec.ts";
import { dataLogicalBytes, valueLogicalBytes } from "../codec/columns-size.ts";
import { columnValue, hasValue, idAt } from "../codec/columns-value.ts";
import type { IdType } from "../model/attribute-type.ts";
import type { Column, ColumnData } from "../model/columns.ts";
import type { AttributeValue, DocumentId } from "../model/value.ts";
import { type Dictionary, dictionaryView, openDictionary } from "./dictionary-section.ts";
import { type HashedIds, hashIds, IdTable } from "./id-section.ts";
import type { PostingLists } from "./posting-section.ts";
import {
  idSection,
  readDirectory,
  readFacts,
  SECTION,
  type SectionEntry,
  type SectionKind,
} from "./segment-format.ts";
import type {
  ColumnView,
  DictionaryView,
  SegmentView,
  SparseView,
  TextView,
  VectorPlace,
} from "./segment-view.ts";
import { openSparse, sparseView } from "./sparse-section.ts";
import { openText, type TextIndex, textView } from "./text-section.ts";
import {
  oneVector,
  openVectorColumn,
  type PlacedVectors,
  type VectorColumn,
  vectorData,
  vectorStride,
} from "./vector-section.ts";

/** Opens a segment that this program wrote, or whose bytes passed `verifySegment`. */
export function openSegment(
  id: SegmentId,
  block: Uint8Array,
  place: { readonly arena: number; readonly offset: number },
): OpenSegment {
  return new OpenSegment(id, block, place);
}

/** A segment's view, and what merging needs beyond it. */
export class OpenSegment implements SegmentView {
  readonly id: SegmentId;
  readonly documentCount: number;
  readonly idType: IdType;
  readonly logicalBytes: number;
  readonly arena: number;
  readonly offset: number;
  readonly #block: Uint8Array;
  #directory: Map<string, SectionEntry[]> | undefined;
  #table: IdTable | undefined;
  #sized: Column[] | undefined;
  readonly #columns = new Map<string, SegmentColumn | undefined>();
  readonly #texts = new Map<string, TextView | undefined>();
  readonly #sparse = new Map<string, SparseView | undefined>();

  constructor(
    id: SegmentId,
    block: Uint8Array,
    place: { readonly arena: number; readonly offset: number },
  ) {
    const facts = readFacts(block);
    this.id = id;
    this.documentCount = facts.documentCount;
    this.idType = facts.idType;
    this.logicalBytes = facts.logicalBytes;
    this.arena = place.arena;
    this.offset = place.offset;
    this.#block = block;
  }

  get bytes(): number {
    return this.#block.length;
  }

  /** The bytes themselves, as `sealSegment` and copies need them. */
  get block(): Uint8Array {
    return this.#block;
  }

  get ids(): ColumnData {
    return this.table.ids;
  }

  /** Logical bytes of one document with its id; see `columns-size.ts`. */
  logicalBytesOf(ordinal: Ordinal): number {
    this.#sized ??= this.attributes.flatMap((name) => this.column(name)?.column ?? []);
    let bytes = dataLogicalBytes(this.ids, ordinal, ordinal + 1);
    for (const column of this.#sized) bytes += valueLogicalBytes(column, ordinal);
    return bytes;
  }

  /** The hash table of ids. */
  get table(): IdTable {
    this.#table ??= new IdTable(idSection(this.#block), this.idType, this.documentCount);
    return this.#table;
  }

  /** Attributes of which some document has a value. */
  get attributes(): readonly string[] {
    return [...this.#entries().keys()].filter((name) => name !== "");
  }

  idOf(ordinal: Ordinal): DocumentId {
    return idAt(this.ids, ordinal);
  }

  ordinalOf(id: DocumentId): Ordinal | undefined {
    if ((typeof id === "bigint") !== (this.idType === "uint")) return undefined;
    return this.ordinalAt(hashIds(this.idType, [id]), 0);
  }

  ordinalAt({ keys, hashes }: HashedIds, index: number): Ordinal | undefined {
    const ordinal = this.table.find(keys, index, hashes[index]);
    return ordinal < 0 ? undefined : (ordinal as Ordinal);
  }

  column(attribute: string): SegmentColumn | undefined {
    return cached(this.#columns, attribute, () => this.#openColumn(attribute));
  }

  text(attribute: string): TextView | undefined {
    return cached(this.#texts, attribute, () => {
      const index = this.textIndex(attribute);
      return index === undefined ? undefined : textView(index);
    });
  }

  sparse(attribute: string): SparseView | undefined {
    return cached(this.#sparse, attribute, () => {
      const lists = this.sparseLists(attribute);
      return lists === undefined ? undefined : sparseView(lists);
    });
  }

  /** A text index as arrays. */
  textIndex(attribute: string): TextIndex | undefined {
    const block = this.#section(SECTION.text, attribute);
    return block === undefined ? undefined : openText(block);
  }

  /** Inverted sparse vectors as arrays. */
  sparseLists(attribute: string): PostingLists | undefined {
    const block = this.#section(SECTION.sparse, attribute);
    return block === undefined ? undefined : openSparse(block);
  }

  #openColumn(attribute: string): SegmentColumn | undefined {
    const stored = this.#section(SECTION.column, attribute);
    if (stored !== undefined) {
      return new SegmentColumn(openColumn(stored), this.#section(SECTION.dictionary, attribute));
    }
    const described = this.#section(SECTION.vectorColumn, attribute);
    const vectors = this.#section(SECTION.vectors, attribute);
    if (described === undefined || vectors === undefined) return undefined;
    const column = openVectorColumn(described);
    const offset = this.offset + (vectors.byteOffset - this.#block.byteOffset);
    return new SegmentColumn(
      new LazyVectorColumn(column, {
        bytes: vectors,
        strideBytes: vectorStride(column.type),
      }),
      undefined,
      { arena: this.arena, offset },
    );
  }

  #section(kind: SectionKind, attribute: string): Uint8Array | undefined {
    const entry = this.#entries()
      .get(attribute)
      ?.find((candidate) => candidate.kind === kind);
    if (entry === undefined) return undefined;
    return this.#block.subarray(entry.offset, entry.offset + entry.bytes);
  }

  #entries(): Map<string, SectionEntry[]> {
    if (this.#directory !== undefined) return this.#directory;
    const directory = new Map<string, SectionEntry[]>();
    for (const entry of readDirectory(this.#block)) {
      const known = directory.get(entry.attribute);
      if (known === undefined) directory.set(entry.attribute, [entry]);
      else known.push(entry);
    }
    this.#directory = directory;
    return directory;
  }
}

/** One attribute of a segment, and what merging needs beyond it. */
export class SegmentColumn implements ColumnView {
  readonly column: Column;
  readonly #dictionaryBlock: Uint8Array | undefined;
  readonly #place: { readonly arena: number; readonly offset: number } | undefined;
  #dictionaryView: DictionaryView | undefined;
  #dictionary: Dictionary | undefined;
  #vectors: VectorPlace | undefined;

  constructor(
    column: Column,
    dictionaryBlock: Uint8Array | undefined,
    place?: { readonly arena: number; readonly offset: number },
  ) {
    this.column = column;
    this.#dictionaryBlock = dictionaryBlock;
    this.#place = place;
  }

  has(ordinal: Ordinal): boolean {
    return hasValue(this.column, ordinal);
  }

  value(ordinal: Ordinal): AttributeValue {
    const { placed } = this;
    if (placed === undefined || !this.has(ordinal)) return columnValue(this.column, ordinal);
    // Only this vector is read, however the others lie.
    const { type, vectors } = placed;
    return columnValue({ type, count: 1, data: oneVector(type, vectors, ordinal) }, 0);
  }

  get dictionary(): DictionaryView | undefined {
    const arrays = this.dictionaryArrays;
    if (arrays !== undefined) this.#dictionaryView ??= dictionaryView(arrays);
    return this.#dictionaryView;
  }

  get vectors(): VectorPlace | undefined {
    const lazy = this.placed;
    if (lazy === undefined || this.#place === undefined) return undefined;
    this.#vectors ??= {
      ...this.#place,
      strideBytes: lazy.vectors.strideBytes,
      inverseNorms: lazy.description.inverseNorms,
    };
    return this.#vectors;
  }

  /** The dictionary as arrays. */
  get dictionaryArrays(): Dictionary | undefined {
    if (this.#dictionaryBlock !== undefined) {
      this.#dictionary ??= openDictionary(this.#dictionaryBlock);
    }
    return this.#dictionary;
  }

  /** Dense vectors as they lie in the segment. */
  get placed(): LazyVectorColumn | undefined {
    return this.column instanceof LazyVectorColumn ? this.column : undefined;
  }
}

/**
 * A column of dense vectors; where they lie at a padded stride, `data` is a copy made on demand.
 */
export class LazyVectorColumn implements Column {
  readonly type: VectorColumn["type"];
  readonly count: number;
  declare readonly presence?: Uint8Array;
  readonly description: VectorColumn;
  readonly vectors: PlacedVectors;
  #data: ColumnData | undefined;

  constructor(description: VectorColumn, vectors: PlacedVectors) {
    this.type = description.type;
    this.count = description.count;
    if (description.presence !== undefined) this.presence = description.presence;
    this.description = description;
    this.vectors = vectors;
  }

  get data(): ColumnData {
    this.#data ??= vectorData(this.type, this.vectors, this.count);
    return this.#data;
  }
}

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
