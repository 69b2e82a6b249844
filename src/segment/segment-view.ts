/**
 * What queries see of a segment, be it in memory or in the object store. A view is immutable: which
 * of its documents are still alive is the snapshot's business (see `SegmentSnapshot`).
 * Ordinals run from 0 to `documentCount` − 1, dead documents included.
 */

import type { Ordinal, SegmentId } from "../base/ids.ts";
import type { Column, ColumnData } from "../model/columns.ts";
import type { DistanceMetric } from "../model/schema.ts";
import type { AttributeValue, DocumentId } from "../model/value.ts";
import type { HashedIds } from "./ids/id-section.ts";

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
  /** The ordinal of a document, dead or alive; undefined if it is not in this segment. O(1). */
  ordinalOf(id: DocumentId): Ordinal | undefined;
  /** The same of the id at `index` of `ids`, which are of the namespace's id type. */
  ordinalAt(ids: HashedIds, index: number): Ordinal | undefined;
  /** Undefined if no document here has a value for the attribute. */
  column(attribute: string): ColumnView | undefined;
  /** Undefined if no document here has text for the attribute, or it has no text index here. */
  text(attribute: string): TextView | undefined;
  /** Undefined if no document here has a sparse vector for the attribute. */
  sparse(attribute: string): SparseView | undefined;
  /** Tells, without reading anything, whether `clusters` has any. */
  isClustered(attribute: string): boolean;
  /** Undefined unless the rows are in the order of clusters of the attribute. */
  clusters(attribute: string): ClusterView | undefined;
}

/** Clusters of one attribute's dense vectors. */
export interface ClusterView {
  /** What they were made for. */
  readonly metric: DistanceMetric;
  readonly dimensions: number;
  readonly count: number;
  /**
   * Cluster c has ordinals `starts[c]` to before `starts[c + 1]`. None from `starts[count]` on has
   * a vector.
   */
  readonly starts: Uint32Array;
  /** Centroids end to end. */
  readonly centroids: Float32Array;
  /** Where the centroids lie, for `ArenaKernels`. */
  readonly place: { readonly arena: number; readonly offset: number };
}

/** One attribute of a segment. */
export interface ColumnView {
  /** The raw arrays, for loops over all ordinals. */
  readonly column: Column;
  has(ordinal: Ordinal): boolean;
  /** The value, or null. Decodes: not for loops over many ordinals. */
  value(ordinal: Ordinal): AttributeValue;
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
  /** Where the first vector of a chunk lies. Throws `NotResident`. */
  chunk(index: number): { readonly arena: number; readonly offset: number };
  /** Bytes from one vector to the next. */
  readonly strideBytes: number;
  /** 1 / ‖v‖ by ordinal (0 for zero vectors), computed in f64 and rounded; for cosine. */
  readonly inverseNorms: Float32Array;
}

/** Ordinals, ascending, and how often each has the term. */
export interface Postings {
  readonly ordinals: Uint32Array;
  readonly frequencies: Uint32Array;
}

/** Text index of one attribute. Frequencies and lengths count dead documents too. */
export interface TextView {
  /** Terms of each document's text (repeats counted, dropped tokens not), 0 where absent. */
  readonly lengths: Uint32Array;
  /** Bitmap of the documents with a value, as columns have it; undefined if all have one. */
  readonly presence: Uint8Array | undefined;
  readonly termCount: number;
  /** The code-th smallest term by bytes. */
  term(code: number): string;
  /** First code whose term is >= `term`; `termCount` if none. */
  lowerBound(term: string): number;
  /** Undefined if no document here has the term. */
  postings(term: string): Postings | undefined;
  postingsAt(code: number): Postings;
}

/** Sparse vectors of one attribute by dimension. */
export interface SparseView {
  /** Ordinals with a weight for the dimension, ascending, and the weights; undefined if none. */
  postings(
    name: string,
  ): { readonly ordinals: Uint32Array; readonly weights: Float32Array } | undefined;
}

/** One segment as a query sees it: the view and its live documents at the snapshot. */
export interface SegmentSnapshot {
  readonly view: SegmentView;
  /** Bit o (word o >> 5, bit o & 31) is set iff the document is alive; bits past the end are 0. */
  readonly live: Uint32Array;
  readonly liveCount: number;
  /** Rises whenever `live` changes; with the view's id it keys caches. */
  readonly liveVersion: number;
}
