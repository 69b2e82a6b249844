/** Parameters of calls that change a namespace, as the HTTP API's bodies have them. */

/** A document's id: an unsigned integer, a UUID, or another text of at most 64 bytes. */
export type DocumentId = string | number;

/** A document: its id, and its attributes by name. A vector is an array of numbers or base64. */
export interface Row {
  readonly id: DocumentId;
  readonly [attribute: string]: unknown;
}

/** Documents by columns: for each attribute the values of all documents, in the order of `id`. */
export interface Columns {
  readonly id: readonly DocumentId[];
  readonly [attribute: string]: readonly unknown[];
}

/** A filter such as `["year", "Lt", 2000]` or `["And", [["year", "Lt", 2000], …]]`. */
export type Filter = readonly unknown[];

/** How nearness of vectors is measured. */
export type DistanceMetric = "cosine_distance" | "euclidean_squared";

/** Attributes by name: a type such as `string` or `[768]f32`, or a type with its indexes. */
export type Schema = Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;

/** Whom a namespace is copied from. */
export interface CopySource {
  readonly source_namespace: string;
  readonly dest_encryption?: unknown;
}

/** One write, which takes effect as a whole. */
export interface WriteParameters {
  readonly upsert_rows?: readonly Row[];
  readonly upsert_columns?: Columns;
  readonly patch_rows?: readonly Row[];
  readonly patch_columns?: Columns;
  readonly deletes?: readonly DocumentId[];
  readonly delete_by_filter?: Filter;
  readonly delete_by_filter_allow_partial?: boolean;
  readonly patch_by_filter?: {
    readonly filters: Filter;
    readonly patch: Readonly<Record<string, unknown>>;
  };
  readonly patch_by_filter_allow_partial?: boolean;
  readonly upsert_condition?: Filter;
  readonly patch_condition?: Filter;
  readonly delete_condition?: Filter;
  readonly return_affected_ids?: boolean;
  readonly distance_metric?: DistanceMetric;
  readonly schema?: Schema;
  readonly create_namespace?: boolean;
  readonly copy_from_namespace?: string | CopySource;
  readonly branch_from_namespace?: string | { readonly source_namespace: string };
  readonly encryption?: unknown;
  readonly sharding?: unknown;
  readonly disable_backpressure?: boolean;
}

/** What of a namespace's metadata can be set. */
export interface MetadataParameters {
  readonly pinning?: unknown;
  readonly read_only?: boolean;
}
