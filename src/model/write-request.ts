/**
 * A write request as the user wrote it: shapes are checked, values are not yet bound to a schema.
 */

import type { EncryptionContext } from "./encryption-context.ts";
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
  /**
   * By document; null where the attribute is null or not given. Made on demand, for O(count), where
   * there are `integers`, `numbers` or `vectors`.
   */
  readonly values: readonly LooseValue[];
  readonly integersOnly: boolean;
  /** The same values, where each is a safe integer in integer syntax. */
  readonly integers?: BigInt64Array<ArrayBuffer>;
  /** The same values, where each is a number with a fraction or exponent. */
  readonly numbers?: Float64Array;
  /** The same values end to end, where each is a vector of `dimensions` > 0 read as float32. */
  readonly vectors?: { readonly dimensions: number; readonly elements: Float32Array };
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
  readonly region?: string;
}

/** `encryption`. */
export type EncryptionRequest = { readonly kind: "default" } | CustomerKey;

/** A customer-managed key, and what each use of it is bound to. */
export interface CustomerKey {
  readonly kind: "customer_managed";
  readonly keyName: string;
  /** Absent rather than empty. */
  readonly context?: EncryptionContext;
}

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
  /**
   * True: the namespace exists afterwards, also without documents. False: it is not created.
   * Undefined: it is created by documents.
   */
  readonly createNamespace?: boolean;
  /** Bytes of the decompressed body. */
  readonly bodyBytes: number;
}

/** How many documents a column has values of. O(1). */
export function looseCount(column: LooseColumn): number {
  const { integers, numbers, vectors } = column;
  if (integers !== undefined) return integers.length;
  if (numbers !== undefined) return numbers.length;
  if (vectors !== undefined) return vectors.elements.length / vectors.dimensions;
  return column.values.length;
}

/** A change of a namespace's settings, as `PATCH …/metadata` asks for it; absent members stay. */
export interface MetadataPatch {
  /** Null: no longer pinned. */
  readonly pinning?: { readonly replicas: number } | null;
  readonly readOnly?: boolean;
}
