/**
 * A write request as the user wrote it: shapes are checked, values are not yet bound to a schema.
 */

import type { Filter } from "./filter.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";

/** A value of a document as written. `Float32Array`: a number array read as a vector. */
export type LooseValue = JsonValue | Float32Array | Float32Array[];

/**
 * One attribute as written, for all documents of the request.
 *
 * Scalar numbers are kept compact: while `integersOnly` holds, every `number` in `values` stands
 * for a token in integer syntax; once it does not, integers are bigints and `number` means a token
 * with a fraction or exponent. A bigint is an integer in either case.
 */
export interface LooseColumn {
  /** By document; null where the attribute is null or not given. */
  readonly values: LooseValue[];
  readonly integersOnly: boolean;
  /** For patches: bit set iff the document names the attribute; then null clears it. Absent: all. */
  readonly given?: Uint8Array;
}

/** The documents of `upsert_rows`/`upsert_columns` or of `patch_rows`/`patch_columns`. */
export interface LooseDocuments {
  readonly count: number;
  /** How they were written, which decides how faults are located. */
  readonly layout: "rows" | "columns";
  readonly ids: LooseColumn;
  /** By attribute name, without `id`. */
  readonly attributes: ReadonlyMap<string, LooseColumn>;
}

/** `copy_from_namespace` or `branch_from_namespace`. */
export interface CopySource {
  readonly kind: "copy" | "branch";
  readonly namespace: string;
  readonly apiKey?: string;
  readonly region?: string;
}

/** `encryption`. */
export type EncryptionRequest =
  | { readonly kind: "default" }
  | { readonly kind: "customer_managed"; readonly keyName: string };

/** One write request. */
export interface WriteRequest {
  readonly upserts?: LooseDocuments;
  readonly patches?: LooseDocuments;
  readonly deletes?: LooseColumn;
  readonly upsertCondition?: Filter;
  readonly patchCondition?: Filter;
  readonly deleteCondition?: Filter;
  readonly deleteByFilter?: Filter;
  readonly deleteByFilterAllowPartial: boolean;
  readonly patchByFilter?: { readonly filter: Filter; readonly patch: JsonObject };
  readonly patchByFilterAllowPartial: boolean;
  readonly returnAffectedIds: boolean;
  readonly distanceMetric?: "cosine_distance" | "euclidean_squared";
  /** Attribute name to its declaration as written; checked when merged into the schema. */
  readonly schema?: JsonObject;
  readonly copyFrom?: CopySource;
  readonly encryption?: EncryptionRequest;
  readonly shardCount?: number;
  readonly disableBackpressure: boolean;
  /** Bytes of the decompressed body. */
  readonly bodyBytes: number;
}
