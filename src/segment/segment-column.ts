/** The values of one attribute of a segment, wherever they are. */

import type { Ordinal } from "../base/ids.ts";
import { columnValue, hasValue, type ValuePlace } from "../codec/columns-value.ts";
import type { Column } from "../model/columns.ts";
import type { AttributeValue } from "../model/value.ts";
import { COLUMN_INDEX, COLUMN_SECTION } from "./columns/column-index.ts";
import { DICTIONARY_INDEX } from "./columns/dictionary-index.ts";
import type { StoredDocuments } from "./documents/stored-documents.ts";
import type { DenseVectors } from "./vectors/dense-vectors.ts";
import { VECTOR_INDEX } from "./vectors/vector-index.ts";
import type { IndexedSegment } from "./view/attribute-index.ts";
import type { ColumnView, DictionaryView, SegmentView, VectorPlace } from "./view/segment-view.ts";

/** Where an attribute's values are. */
export interface ColumnOptions {
  readonly attribute: string;
  readonly segment: Omit<IndexedSegment, "column"> & Pick<SegmentView, "hasIndex">;
  /** The segment's whole documents; undefined where it has none. */
  readonly stored: StoredDocuments | undefined;
}

/** Undefined if no document of the segment has a value. Reads nothing but the directory. */
export function openSegmentColumn(options: ColumnOptions): SegmentColumn | undefined {
  const { attribute, segment, stored } = options;
  // Dense vectors are never among the documents.
  if (segment.hasIndex(VECTOR_INDEX, attribute)) {
    return new SegmentColumn({ ...options, stored: undefined });
  }
  const isStored = stored?.attributes.has(attribute) === true;
  if (!isStored && !segment.hasIndex(COLUMN_INDEX, attribute)) return undefined;
  return new SegmentColumn(options);
}

/**
 * One attribute of a segment. Values and indexes are opened when they are asked for; all getters
 * may throw `BytesMissing`.
 */
export class SegmentColumn implements ColumnView {
  readonly #options: ColumnOptions;
  #column: Column | undefined;
  #dense: DenseVectors | undefined;
  #vectors: VectorPlace | undefined;

  constructor(options: ColumnOptions) {
    this.#options = options;
  }

  get column(): Column {
    this.#column ??= this.#openColumn();
    return this.#column;
  }

  has(ordinal: Ordinal): boolean {
    const stored = this.#byDocument();
    if (stored !== undefined) return stored.place(this.#options.attribute, ordinal) !== undefined;
    return hasValue(this.column, ordinal);
  }

  value(ordinal: Ordinal): AttributeValue {
    const place = this.place(ordinal);
    return place === undefined ? null : columnValue(place.column, place.ordinal);
  }

  place(ordinal: Ordinal): ValuePlace | undefined {
    const stored = this.#byDocument();
    if (stored !== undefined) return stored.place(this.#options.attribute, ordinal);
    const { column } = this;
    if (!hasValue(column, ordinal)) return undefined;
    const dense = this.#dense;
    if (dense === undefined) return { column, ordinal };
    return { column: { type: column.type, count: 1, data: dense.one(ordinal) }, ordinal: 0 };
  }

  get dictionary(): DictionaryView | undefined {
    const { segment, attribute } = this.#options;
    return segment.index(DICTIONARY_INDEX, attribute);
  }

  get vectors(): VectorPlace | undefined {
    if (this.column !== this.#dense) return undefined;
    const dense = this.#dense;
    this.#vectors ??= {
      chunkRows: dense.chunkRows,
      chunk: (index) => dense.chunk(index),
      strideBytes: dense.strideBytes,
      inverseNorms: dense.description.inverseNorms,
    };
    return this.#vectors;
  }

  /** By document where there is no column, or where that would have to be read for one value. */
  #byDocument(): StoredDocuments | undefined {
    const { stored, segment, attribute } = this.#options;
    if (stored === undefined || this.#column !== undefined) return undefined;
    return segment.sections(attribute).isInMemory(COLUMN_SECTION) ? undefined : stored;
  }

  #openColumn(): Column {
    const { segment, stored, attribute } = this.#options;
    const column = segment.index(COLUMN_INDEX, attribute);
    if (column !== undefined) return column;
    this.#dense = segment.index(VECTOR_INDEX, attribute);
    return this.#dense ?? stored?.column(attribute) ?? nothing(segment.documentCount);
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
