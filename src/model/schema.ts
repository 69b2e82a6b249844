/** What a namespace knows about its attributes. Plain immutable data; changes make a new schema. */

import type { AttributeType, IdType } from "./attribute-type.ts";
import type { FullTextOptions } from "./full-text-options.ts";

/** How two vectors are compared; lower is nearer for both. */
export type DistanceMetric = "cosine_distance" | "euclidean_squared";

/** Index for approximate search over a dense or multi vector attribute. */
export interface AnnOptions {
  readonly distanceMetric: DistanceMetric;
  readonly lateInteraction: boolean;
}

/** Native embedding of a string attribute into a vector attribute. */
export interface EmbedOptions {
  readonly model: string;
  /** The vector attribute that receives the embedding, `embed_<source>` unless named. */
  readonly attribute: string;
}

/** One attribute: its type and indexes. An absent option is off. */
export interface AttributeSchema {
  readonly type: AttributeType;
  readonly filterable: boolean;
  readonly fullTextSearch?: FullTextOptions;
  readonly regex?: true;
  readonly glob?: true;
  readonly fuzzy?: true;
  readonly ann?: AnnOptions;
  /** Set on `{}f16` attributes; the only metric is the dot product. */
  readonly sparseKnn?: true;
  readonly embed?: EmbedOptions;
  /**
   * The stored column that holds its values, where that is not called as the attribute is: an
   * attribute that was declared after one was dropped (stored-columns.ts).
   */
  readonly column?: string;
}

/** All attributes of a namespace, without `id`. */
export interface Schema {
  /** Undefined until the first document or declaration. */
  readonly idType: IdType | undefined;
  /** Of all dense vectors; undefined in a namespace without vectors. */
  readonly distanceMetric: DistanceMetric | undefined;
  /** By name, in the order of their first appearance. */
  readonly attributes: ReadonlyMap<string, AttributeSchema>;
  /** How many attributes were dropped so far; absent: none. It never falls. */
  readonly dropCount?: number;
}

/**
 * The dense vector attributes that have an ANN index, the one that is searched most first, as far
 * as a schema tells: `vector`, then all others by name.
 */
export function searchedVectorAttributes({ attributes }: Schema): string[] {
  const names = [...attributes]
    .filter(([, { type, ann }]) => type.kind === "vector" && ann !== undefined)
    .map(([name]) => name)
    .sort();
  return names.includes("vector") ? ["vector", ...names.filter((n) => n !== "vector")] : names;
}

/** The attributes of several vectors that have an ANN index, by name. */
export function lateInteractionAttributes({ attributes }: Schema): string[] {
  return [...attributes]
    .filter(([, { type, ann }]) => type.kind === "multi_vector" && ann?.lateInteraction === true)
    .map(([name]) => name)
    .sort();
}

/** The schema of a namespace that knows nothing yet. */
export const EMPTY_SCHEMA: Schema = {
  idType: undefined,
  distanceMetric: undefined,
  attributes: new Map(),
};
