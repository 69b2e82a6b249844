/**
 * What queries see of a segment, be it in memory or in the object store. A view is immutable: which
 * of its documents are still live is the snapshot's business (see `SegmentSnapshot`).
 * Ordinals run from 0 to `documentCount` − 1, deleted documents included.
 */

import type { Ordinal, SegmentId } from "../../base/ids.ts";
import type { ValuePlace } from "../../codec/columns-value.ts";
import type { Column, ColumnData } from "../../model/columns.ts";
import type { AttributeValue, DocumentId } from "../../model/value.ts";
import type { CountedDeletions } from "../deletions/counted-deletions.ts";
import type { AttributeIndex } from "./attribute-index.ts";
import type { HashedIds } from "./id-keys.ts";

/** A segment. */
export interface SegmentView {
  readonly id: SegmentId;
  readonly documentCount: number;
  /** Bytes that the segment occupies. */
  readonly bytes: number;
  /** Attributes of which some document has a value. */
  readonly attributes: readonly string[];
  /** All ids, by ordinal. */
  readonly ids: ColumnData;
  idOf(ordinal: Ordinal): DocumentId;
  /** The ordinal of a document, live or deleted; undefined if it is not in this segment. O(1). */
  ordinalOf(id: DocumentId): Ordinal | undefined;
  /** The same of the id at `index` of `ids`, which are of the namespace's id type. */
  ordinalAt(ids: HashedIds, index: number): Ordinal | undefined;
  /** Undefined if no document here has a value for the attribute. */
  column(attribute: string): ColumnView | undefined;
  /**
   * An index of the attribute, or of ids, whose attribute is "", opened once; undefined if the
   * segment has none. What it reads may throw `BytesMissing`.
   */
  index<View>(index: Pick<AttributeIndex<View>, "open">, attribute: string): View | undefined;
  /** Tells, without reading anything, whether there are sections of the index. */
  hasIndex(index: Pick<AttributeIndex, "sections">, attribute: string): boolean;
}

/** One attribute of a segment. */
export interface ColumnView {
  /** The raw arrays, for loops over all ordinals. */
  readonly column: Column;
  has(ordinal: Ordinal): boolean;
  /** The value, or null. Decodes: not for loops over many ordinals. */
  value(ordinal: Ordinal): AttributeValue;
  /** Finds the value, to decode it in steps; undefined if the document has none. */
  place(ordinal: Ordinal): ValuePlace | undefined;
  /**
   * The distinct values in ascending order, for scalars and arrays of string and uuid that are
   * filterable, glob, regex or fuzzy.
   */
  readonly dictionary: DictionaryView | undefined;
  /** Where dense vectors live for the kernels; undefined for other types. */
  readonly vectors: VectorPlace | undefined;
}

/** Distinct strings of an attribute, ascending by bytes, and which documents have them. */
export interface DictionaryView {
  readonly size: number;
  /** The code-th smallest value; UUIDs in lower case with dashes. */
  value(code: number): string;
  /** First code whose value is >= `value`; `size` if none. O(log size). */
  lowerBound(value: string): number;
  /** Code of exactly this value, or -1. */
  codeOf(value: string): number;
  /**
   * Scalars: the code of each ordinal (meaningless where absent). Arrays: the codes of the elements
   * end to end, in the order of the column's offsets.
   */
  readonly codes: Uint32Array;
}

/** Address of a segment's dense vectors, for `ArenaKernels`. */
export interface VectorPlace {
  /** Vectors that lie end to end; chunk c begins with vector c · chunkRows. */
  readonly chunkRows: number;
  /** Where the first vector of a chunk lies. Throws `BytesMissing`. */
  chunk(index: number): { readonly arena: number; readonly offset: number };
  /** Bytes from one vector to the next. */
  readonly strideBytes: number;
  /** 1 / ‖v‖ by ordinal (0 for zero vectors), computed in f64 and rounded; for cosine. */
  readonly inverseNorms: Float32Array;
}

/** One segment as a query sees it: the view and its live documents at the snapshot. */
export interface SegmentSnapshot {
  readonly view: SegmentView;
  /** Bit o (word o >> 5, bit o & 31) is set iff the document is live; bits past the end are 0. */
  readonly liveBitmap: Uint32Array;
  readonly liveCount: number;
  /** Rises whenever `liveBitmap` changes; with the view's id it keys caches. */
  readonly liveVersion: number;
  /** How many of the deleted documents have each term, where it was counted. */
  readonly counted?: CountedDeletions | undefined;
}
