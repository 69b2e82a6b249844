/**
 * What a segment keeps of one attribute: its values, in a column or as dense vectors, and indexes
 * of them. Each is written, read, merged and checked behind this interface by a file of its folder,
 * and has a line in `attribute-indexes.ts`.
 */

import type { Steps } from "../../base/steps.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";
import type { IndexOption } from "../../model/index-build.ts";
import type { AttributeSchema, DistanceMetric } from "../../model/schema.ts";
import type { ClusterCodes } from "../../vector/cluster-codes.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionKind, SectionPlan } from "../format/segment-layout.ts";

/**
 * One kind of index. Stateless: it is asked once for each attribute of a segment that is written,
 * merged, stored or opened, never for single documents. `View` is what queries see; it may read
 * bytes when it is asked, and throw `BytesMissing` then.
 */
export interface AttributeIndex<View = unknown> {
  /** How messages and tests call it. */
  readonly name: string;
  /** Kinds of all sections that it has in any format version; no other index has them. */
  readonly sections: readonly SectionKind[];
  /** The option of the schema that asks for it; undefined where the type alone does. */
  readonly option: IndexOption | undefined;
  /**
   * Its sections lie behind those of all attributes, not with those of their own: so clusters do.
   */
  readonly isLast?: boolean;

  /** Tells whether values of a type are to have it. */
  isWanted(type: AttributeType, schema: AttributeSchema | undefined): boolean;
  /**
   * Tells whether a segment with values of a type has what the schema asks for, no less and no
   * more. Throws `BytesMissing` for at most one range.
   */
  isCurrent(
    sections: AttributeSections,
    type: AttributeType,
    schema: AttributeSchema | undefined,
  ): boolean;
  /**
   * What of the schema it is made by, as JSON: part of `indexFingerprint`, so what an older
   * server says of a schema never changes. Undefined: the type alone.
   */
  madeBy?(schema: AttributeSchema): unknown[];

  /** Plans its sections where it is wanted; of at least one value. */
  build(values: AttributeValues): Steps<SectionPlan[]>;
  /**
   * Plans the same sections out of those of several segments, where it is wanted and there is at
   * least one value: joined where all inputs have them as they should be, else built again.
   */
  merge(values: MergedValues): Steps<SectionPlan[]>;
  /** Opens its sections; undefined where there are none. Throws `BytesMissing`. */
  open(sections: AttributeSections): View | undefined;
  /**
   * Checks sections of a store, whose checksums are right and all of which is in memory, so that no
   * query reads past them. Throws `corrupt`, or anything that an array's bounds throw.
   */
  check(sections: AttributeSections): void;
  /** Looks at the bytes that most queries need. Throws one `BytesMissing` for all of them. */
  touch(sections: AttributeSections): void;
  /**
   * Looks at all of which queries read parts, by the ranges that they read; absent: there is no
   * more than `touch` looks at. Throws one `BytesMissing`.
   */
  touchParts?(sections: AttributeSections): void;
  /** Tells whether its sections are part of stored segments; undefined: they are. */
  isStored?(type: AttributeType, schema: AttributeSchema | undefined): boolean;
}

/** All values of an attribute in a new segment. */
export interface AttributeValues {
  readonly attribute: string;
  readonly schema: AttributeSchema | undefined;
  readonly column: Column;
}

/** All values of an attribute in a segment that is made of several. */
export interface MergedValues {
  readonly attribute: string;
  readonly schema: AttributeSchema | undefined;
  readonly type: AttributeType;
  /** Documents of the new segment. */
  readonly documentCount: number;
  /** The documents of the inputs follow each other in the new segment. */
  readonly inputs: readonly OrderedInput[];
  /** Bitmap of the documents with a value, as columns have it; undefined if all have one. */
  readonly presence: Uint8Array | undefined;
  /** Not of dense vectors, which are copied when they are written. */
  readonly column: Column;
  /** Those that its vectors are to have, if any. */
  readonly clusters: PlannedClusters | undefined;
}

/** Clusters as arrays. */
export interface Clusters {
  /** What they were made for. */
  readonly metric: DistanceMetric;
  readonly dimensions: number;
  /** Cluster c has positions `starts[c]` to before `starts[c + 1]`; all with a vector have one. */
  readonly starts: Uint32Array;
  /** By position; undefined where positions are ordinals. */
  readonly ordinals?: Uint32Array | undefined;
  /** Set for inner vectors: a document has a position for each of its vectors. Absent: dense ones. */
  readonly isInner?: boolean | undefined;
  /** Centroids end to end. */
  readonly centroids: Float32Array;
}

/** Clusters of an attribute's vectors, and the codes of those. */
export interface PlannedClusters extends Clusters {
  /** Absent: the segment has none. */
  readonly codes?: ClusterCodes;
  /** What byte codes of the vectors are made with; absent: the segment has none. */
  readonly byteOrigin?: Float32Array | undefined;
}

/** Documents of one segment, of which all is in memory, in their new order. */
export interface OrderedInput<Segment extends IndexedSegment = IndexedSegment> {
  readonly view: Segment;
  /** Old ordinals in the order of the new ones. */
  readonly ordinals: Uint32Array;
  /** New ordinal by old one, or `DELETED`. */
  readonly newOrdinals: Uint32Array;
}

/** What indexes see of a segment. */
export interface IndexedSegment {
  readonly documentCount: number;
  /** Its values; undefined if no document has one. */
  column(attribute: string): { readonly column: Column } | undefined;
  /** An index of the attribute; undefined if it has none. */
  index<View>(index: AttributeIndex<View>, attribute: string): View | undefined;
  sections(attribute: string): AttributeSections;
}
