/** One attribute of a segment. */

import type { Ordinal } from "../base/ids.ts";
import { openColumn } from "../codec/columns-codec.ts";
import { columnValue, hasValue } from "../codec/columns-value.ts";
import type { Column, ColumnData } from "../model/columns.ts";
import type { AttributeValue } from "../model/value.ts";
import { type Dictionary, dictionaryView, openDictionary } from "./columns/dictionary-section.ts";
import type { StoredDocuments } from "./documents/stored-documents.ts";
import type { ByteSource } from "./format/byte-source.ts";
import { attemptAll } from "./format/bytes-missing.ts";
import type { SectionEntry } from "./segment-format.ts";
import type { SegmentBlock } from "./segment-memory.ts";
import type { ColumnView, DictionaryView, VectorPlace } from "./segment-view.ts";
import {
  oneVector,
  openVectorColumn,
  type PlacedVectors,
  type VectorColumn,
  vectorData,
  vectorStride,
} from "./vectors/vector-section.ts";

/** Where an attribute's parts are. */
export interface ColumnParts {
  readonly attribute: string;
  /** Documents of the segment. */
  readonly count: number;
  readonly source: ByteSource;
  readonly entries: {
    readonly column: SectionEntry | undefined;
    readonly dictionary: SectionEntry | undefined;
    readonly vectorColumn: SectionEntry | undefined;
    readonly vectors: SectionEntry | undefined;
  };
  /** Set where the attribute's values are kept by document. */
  readonly stored: StoredDocuments | undefined;
}

/**
 * One attribute of a segment, and what merging needs beyond it. Parts are opened when they are
 * asked for; all getters may throw `NotResident`.
 */
export class SegmentColumn implements ColumnView {
  readonly #parts: ColumnParts;
  #column: Column | undefined;
  #dictionaryView: DictionaryView | undefined;
  #dictionary: Dictionary | undefined;
  #vectors: VectorPlace | undefined;

  constructor(parts: ColumnParts) {
    this.#parts = parts;
  }

  get column(): Column {
    this.#column ??= this.#openColumn();
    return this.#column;
  }

  has(ordinal: Ordinal): boolean {
    const stored = this.#byDocument();
    if (stored !== undefined) return stored.value(this.#parts.attribute, ordinal) !== null;
    return hasValue(this.column, ordinal);
  }

  value(ordinal: Ordinal): AttributeValue {
    const stored = this.#byDocument();
    if (stored !== undefined) return stored.value(this.#parts.attribute, ordinal);
    const { column } = this;
    if (!(column instanceof LazyVectorColumn)) return columnValue(column, ordinal);
    if (!hasValue(column, ordinal)) return null;
    const { type } = column;
    return columnValue({ type, count: 1, data: column.one(ordinal) }, 0);
  }

  get dictionary(): DictionaryView | undefined {
    const arrays = this.dictionaryArrays;
    if (arrays !== undefined) this.#dictionaryView ??= dictionaryView(arrays);
    return this.#dictionaryView;
  }

  get vectors(): VectorPlace | undefined {
    const { column } = this;
    if (!(column instanceof LazyVectorColumn)) return undefined;
    this.#vectors ??= {
      chunkRows: column.chunkRows,
      chunk: (index) => column.chunk(index),
      strideBytes: column.strideBytes,
      inverseNorms: column.description.inverseNorms,
    };
    return this.#vectors;
  }

  /** The dictionary as arrays. */
  get dictionaryArrays(): Dictionary | undefined {
    const { dictionary } = this.#parts.entries;
    if (dictionary !== undefined) this.#dictionary ??= openDictionary(this.#bytes(dictionary));
    return this.#dictionary;
  }

  /** Dense vectors as they lie in the segment. */
  get placed(): LazyVectorColumn | undefined {
    if (this.#parts.entries.vectorColumn === undefined) return undefined;
    return this.column instanceof LazyVectorColumn ? this.column : undefined;
  }

  /** By document where there is no column, or where that would have to be read for one value. */
  #byDocument(): StoredDocuments | undefined {
    const { stored, entries, source } = this.#parts;
    if (stored === undefined || this.#column !== undefined) return undefined;
    const { column } = entries;
    if (column === undefined) return stored;
    const isHere = source.peek(column.offset, column.offset + column.bytes) !== undefined;
    return isHere ? undefined : stored;
  }

  #openColumn(): Column {
    const { entries, stored, source, attribute, count } = this.#parts;
    const { column, vectorColumn, vectors } = entries;
    if (column !== undefined) return openColumn(this.#bytes(column));
    if (vectorColumn !== undefined && vectors !== undefined) {
      const description = openVectorColumn(this.#bytes(vectorColumn));
      return new LazyVectorColumn(description, source, vectors);
    }
    return stored?.column(attribute) ?? nothing(count);
  }

  #bytes({ offset, bytes }: SectionEntry): Uint8Array {
    return this.#parts.source.place(offset, offset + bytes).bytes;
  }
}

/**
 * A column of dense vectors. `data` needs all of them, and is a copy where they lie at a padded
 * stride; single vectors and chunks are read by themselves.
 */
export class LazyVectorColumn implements Column {
  readonly type: VectorColumn["type"];
  readonly count: number;
  declare readonly presence?: Uint8Array;
  readonly description: VectorColumn;
  readonly strideBytes: number;
  /** Vectors of a chunk; see `VectorPlace`. */
  readonly chunkRows: number;
  readonly #source: ByteSource;
  readonly #section: SectionEntry;
  #data: ColumnData | undefined;

  constructor(description: VectorColumn, source: ByteSource, section: SectionEntry) {
    this.type = description.type;
    this.count = description.count;
    if (description.presence !== undefined) this.presence = description.presence;
    this.description = description;
    this.strideBytes = vectorStride(description.type);
    const rows = Math.max(1, Math.floor(source.chunkBytes / this.strideBytes));
    this.chunkRows = Math.min(rows, Math.max(1, description.count));
    this.#source = source;
    this.#section = section;
  }

  /** All vectors as they lie there. */
  get vectors(): PlacedVectors {
    const { offset, bytes } = this.#section;
    const all = this.#source.place(offset, offset + bytes).bytes;
    return { bytes: all, strideBytes: this.strideBytes };
  }

  get data(): ColumnData {
    this.#data ??= vectorData(this.type, this.vectors, this.count);
    return this.#data;
  }

  /** Looks at all chunks. Throws one `NotResident` for all of them. */
  touchChunks(): void {
    const count = Math.ceil(this.count / this.chunkRows);
    attemptAll(Array.from({ length: count }, (_, index) => () => void this.chunk(index)));
  }

  /** Where a chunk lies. */
  chunk(index: number): SegmentBlock {
    return this.#source.place(...this.#chunkRange(index));
  }

  /** One vector as a column of its own: a view. Without its chunk only the vector is read. */
  one(ordinal: number): ColumnData {
    const index = Math.floor(ordinal / this.chunkRows);
    const chunk = this.#source.peek(...this.#chunkRange(index));
    if (chunk !== undefined) return this.#vectorIn(chunk, ordinal - index * this.chunkRows);
    return this.#vectorIn(this.#source.place(...this.#range(ordinal, ordinal + 1)), 0);
  }

  #vectorIn({ bytes }: SegmentBlock, index: number): ColumnData {
    return oneVector(this.type, { bytes, strideBytes: this.strideBytes }, index);
  }

  #chunkRange(index: number): [start: number, end: number] {
    const first = index * this.chunkRows;
    return this.#range(first, Math.min(first + this.chunkRows, this.count));
  }

  /** Where vectors are in the segment. */
  #range(first: number, end: number): [start: number, end: number] {
    const { offset } = this.#section;
    return [offset + first * this.strideBytes, offset + end * this.strideBytes];
  }
}

/** A column of an attribute that nobody has a value of. */
function nothing(count: number): Column {
  return {
    type: { kind: "scalar", of: "bool" },
    count,
    presence: new Uint8Array((count + 7) >> 3),
    data: { kind: "bool", values: new Uint8Array(count) },
  };
}
