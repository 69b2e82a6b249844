/** Parameters of calls that change a namespace, as the HTTP API's bodies have them. */

import type {
  ColumnsOf,
  IdOf,
  PatchColumnsOf,
  PatchOf,
  RowOf,
  ValuesOf,
} from "./document-types.ts";
import type { ConditionOf, FilterOf } from "./filter-types.ts";

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
export interface WriteParameters<Document = unknown> {
  readonly upsert_rows?: readonly RowOf<Document>[];
  readonly upsert_columns?: ColumnsOf<Document>;
  readonly patch_rows?: readonly PatchOf<Document>[];
  readonly patch_columns?: PatchColumnsOf<Document>;
  readonly deletes?: readonly IdOf<Document>[];
  readonly delete_by_filter?: FilterOf<Document>;
  readonly delete_by_filter_allow_partial?: boolean;
  readonly patch_by_filter?: {
    readonly filters: FilterOf<Document>;
    readonly patch: ValuesOf<Document>;
  };
  readonly patch_by_filter_allow_partial?: boolean;
  readonly upsert_condition?: ConditionOf<Document>;
  readonly patch_condition?: ConditionOf<Document>;
  readonly delete_condition?: ConditionOf<Document>;
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
