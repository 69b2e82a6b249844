/**
 * Documents as written, bound to the schema: typed columns, and the schema with the attributes that
 * were inferred. Pure; every fault names its place in the body.
 */

import { invalid } from "../../base/errors.ts";
import { Pace } from "../../base/pace.ts";
import type { Steps } from "../../base/steps.ts";
import { documentsBytes, valueLogicalBytes } from "../../codec/columns-size.ts";
import { checkAttributeName, checkAttributeNameLength } from "../../model/attribute-name.ts";
import type { AttributeType, IdType } from "../../model/attribute-type.ts";
import type { Column, ColumnData, DocumentColumns } from "../../model/columns.ts";
import { DOCUMENT_BYTES_MAX } from "../../model/contract-limits.ts";
import type { JsonObject } from "../../model/json-value.ts";
import type { AttributeSchema, DistanceMetric, Schema } from "../../model/schema.ts";
import { type LooseColumn, type LooseDocuments, looseCount } from "../../model/write-request.ts";
import { checkCounts, isVectorAttribute, withOwnColumns } from "../schema/merge-schema.ts";
import { bindArrays, bindBytes, bindSparseVectors } from "./bind-arrays.ts";
import { bindIds } from "./bind-ids.ts";
import { bindScalars, STEP_VALUES } from "./bind-scalars.ts";
import { bindMultiVectors, bindVectors } from "./bind-vectors.ts";
import { inferAttribute } from "./infer-type.ts";
import {
  type DocumentOperation,
  type LooseSource,
  placeOf,
  presenceOf,
  sourceOf,
} from "./loose-source.ts";

/** What binding needs to know of the namespace. */
export interface BindOptions {
  /** After merging the request's own declarations. */
  readonly schema: Schema;
  readonly isNewNamespace: boolean;
  /** Of the request. */
  readonly distanceMetric: DistanceMetric | undefined;
}

/** Whole documents. */
export interface BoundUpserts {
  readonly documents: DocumentColumns;
  /** With inferred attributes; the same object if there are none. */
  readonly schema: Schema;
}

/** Changes of documents. */
export interface BoundPatches extends BoundUpserts {
  /**
   * By attribute, which documents name it (a null then clears it); undefined: all do. Attributes
   * that are only ever set to null have an entry here and perhaps no column.
   */
  readonly given: ReadonlyMap<string, Uint8Array | undefined>;
}

/** Binds whole documents. Each must have all vectors that the schema knows. */
export function* bindUpserts(loose: LooseDocuments, options: BindOptions): Steps<BoundUpserts> {
  const bound = yield* bindColumns(loose, "upsert", options);
  for (const [name, attribute] of bound.schema.attributes) {
    if (!isVectorAttribute(attribute) || loose.count === 0) continue;
    if (loose.attributes.has(name)) continue;
    throw invalid(
      `💔 ${placeOf(loose, "upsert", name, 0)} is missing: ` +
        `every document must have a value for the vector attribute '${name}'`,
    );
  }
  yield* checkDocumentBytes(bound.documents, loose, "upsert");
  return bound;
}

/** Binds patches by id. Vectors cannot be patched (400), nor can the text that one is made of. */
export function bindPatches(loose: LooseDocuments, options: BindOptions): Steps<BoundPatches> {
  return bindChanges(loose, "patch", options);
}

/** Binds the one patch of `patch_by_filter`: columns of one document, which has no id. */
export function bindFilterPatch(patch: JsonObject, options: BindOptions): Steps<BoundPatches> {
  if (patch.has("id")) throw invalid("💔 patch_by_filter.patch must not contain `id`");
  const attributes = new Map<string, LooseColumn>();
  for (const [name, value] of patch) {
    checkAttributeNameLength(name);
    attributes.set(name, { values: [value], integersOnly: false });
  }
  const ids: LooseColumn = { values: [], integersOnly: true };
  return bindChanges({ count: 1, layout: "rows", ids, attributes }, "patch_by_filter", options);
}

function* bindChanges(
  loose: LooseDocuments,
  operation: "patch" | "patch_by_filter",
  options: BindOptions,
): Steps<BoundPatches> {
  const embedded = new Map<string, string>();
  for (const [name, { embed }] of options.schema.attributes) {
    if (embed) embedded.set(name, embed.attribute);
  }
  for (const name of loose.attributes.keys()) {
    const known = options.schema.attributes.get(name);
    if (known ? isVectorAttribute(known) : name === "vector") {
      throw invalid("💔 patching vectors is currently unsupported");
    }
    const target = embedded.get(name);
    if (target === undefined) continue;
    throw invalid(
      `💔 patching '${name}' is unsupported, because it is embedded into '${target}': ` +
        "upsert the whole document",
    );
  }
  const bound = yield* bindColumns(loose, operation, options);
  const given = new Map<string, Uint8Array | undefined>();
  for (const [name, column] of loose.attributes) {
    if (bound.schema.attributes.has(name)) given.set(name, column.given);
  }
  yield* checkDocumentBytes(bound.documents, loose, operation);
  return { ...bound, given };
}

function* bindColumns(
  loose: LooseDocuments,
  operation: DocumentOperation,
  options: BindOptions,
): Steps<BoundUpserts> {
  const { schema: current } = options;
  const { idType, ids } =
    operation === "patch_by_filter"
      ? yield* bindIds(loose.ids, current.idType, { layout: "deletes" })
      : yield* bindIds(loose.ids, current.idType, { layout: loose.layout, operation });
  const attributes = new Map<string, Column>();
  // An empty list of documents says nothing about the type of ids.
  const known = looseCount(loose.ids) === 0 ? current.idType : idType;
  const schema = new SchemaGrowth(options, known);
  const pace = new Pace(STEP_VALUES);
  for (const [name, column] of loose.attributes) {
    if (pace.isDue(loose.count)) yield;
    const attribute = schema.attributeFor(loose, operation, name, column);
    if (!attribute) continue;
    const { filterable, type } = attribute;
    const source = sourceOf(loose, operation, { name, filterable }, column);
    const bound = yield* bindColumn(source, type);
    if (bound) attributes.set(name, bound);
  }
  return {
    documents: { count: loose.count, idType, ids, attributes },
    schema: schema.finish(),
  };
}

/** Adds attributes to a schema as documents show them. */
class SchemaGrowth {
  readonly #options: BindOptions;
  readonly #idType: IdType | undefined;
  #attributes: Map<string, AttributeSchema> | undefined;

  constructor(options: BindOptions, idType: IdType | undefined) {
    this.#options = options;
    this.#idType = idType;
  }

  /** The attribute's schema, inferred if need be; undefined if nothing is known of it. */
  attributeFor(
    loose: LooseDocuments,
    operation: DocumentOperation,
    name: string,
    column: LooseColumn,
  ): AttributeSchema | undefined {
    const { schema } = this.#options;
    const known = schema.attributes.get(name);
    const isOpen = known?.type.kind === "array" && known.type.of === "unknown";
    if (known && !isOpen) return known;
    if (!known) checkAttributeName(name);
    const source = sourceOf(loose, operation, { name, filterable: true }, column);
    const inferred = inferAttribute(source, {
      isNewNamespace: this.#options.isNewNamespace,
      distanceMetric: this.#options.distanceMetric,
    });
    if (!inferred) return known;
    if (known && inferred.type.kind !== "array") return known;
    const attribute = known ? { ...known, type: inferred.type } : inferred;
    this.#attributes ??= new Map(schema.attributes);
    this.#attributes.set(name, attribute);
    return attribute;
  }

  finish(): Schema {
    const { schema } = this.#options;
    const attributes = this.#attributes;
    if (!attributes && schema.idType === this.#idType) return schema;
    const { dropCount } = schema;
    const all = attributes ? withOwnColumns(attributes, schema, dropCount) : schema.attributes;
    checkCounts(all);
    const hasVectors = [...all.values()].some(isVectorAttribute);
    const metric = schema.distanceMetric ?? this.#options.distanceMetric;
    return {
      idType: this.#idType,
      distanceMetric: hasVectors ? metric : undefined,
      attributes: all,
      ...(dropCount !== undefined && { dropCount }),
    };
  }
}

/** Undefined if no document has a value. */
function* bindColumn(source: LooseSource, type: AttributeType): Steps<Column | undefined> {
  const { count } = source;
  // A missing vector is a fault, which the loop over vectors reports.
  if (type.kind === "vector" || type.kind === "multi_vector") {
    return count === 0 ? undefined : { type, count, data: yield* bindData(source, type) };
  }
  const presence = yield* presenceOf(source);
  if (count === 0 || presence?.every((bits) => bits === 0)) return undefined;
  const data = yield* bindData(source, type);
  return presence ? { type, count, presence, data } : { type, count, data };
}

function bindData(source: LooseSource, type: AttributeType): Steps<ColumnData> {
  switch (type.kind) {
    case "scalar":
      return bindScalars(source, type.of);
    case "array":
      return bindArrays(source, type.of);
    case "bytes":
      return bindBytes(source);
    case "sparse":
      return bindSparseVectors(source);
    case "vector":
      return bindVectors(source, type);
    case "multi_vector":
      return bindMultiVectors(source, type);
  }
}

/** Refuses documents over their size limit, looking at single ones only where one may be. */
function* checkDocumentBytes(
  documents: DocumentColumns,
  loose: LooseDocuments,
  operation: DocumentOperation,
): Steps<void> {
  if (documentsBytes(documents) <= DOCUMENT_BYTES_MAX) return;
  const columns = [...documents.attributes.values()].filter(({ data }) => "offsets" in data);
  // Values of a fixed size are far below the limit, all attributes together.
  if (columns.length === 0) return;
  const sizes = new Float64Array(documents.count);
  const pace = new Pace(STEP_VALUES);
  for (const column of documents.attributes.values()) {
    for (let i = 0; i < sizes.length; i++) {
      if (pace.isDue(1)) yield;
      sizes[i] += valueLogicalBytes(column, i);
    }
  }
  let index = 0;
  while (index < sizes.length && sizes[index] <= DOCUMENT_BYTES_MAX) {
    index++;
    if (index % STEP_VALUES === 0) yield;
  }
  if (index === sizes.length) return;
  const place = placeOf(loose, operation, "id", index);
  throw invalid(
    `💔 the document at ${place} is ${sizes[index]} bytes large, ` +
      `documents have at most ${DOCUMENT_BYTES_MAX} bytes`,
  );
}
