/**
 * A write's `schema` and `distance_metric` against the namespace's schema: a pure function to the
 * new schema, or the error that says which rule is broken.
 */

import { invalid } from "../../base/errors.ts";
import { checkAttributeName, checkAttributeNameLength } from "../../model/attribute-name.ts";
import { formatAttributeType, type IdType } from "../../model/attribute-type.ts";
import { ATTRIBUTE_COUNT_MAX, VECTOR_ATTRIBUTES_MAX } from "../../model/contract-limits.ts";
import type { IndexOption } from "../../model/index-build.ts";
import type { JsonObject } from "../../model/json-value.ts";
import type { AttributeSchema, DistanceMetric, Schema } from "../../model/schema.ts";
import { withOwnColumn } from "../../model/stored-columns.ts";
import { checkDrop, isDrop } from "./drop-attribute.ts";
import { sameAnalysis } from "./full-text-declaration.ts";
import { mergeAttribute } from "./merge-attribute.ts";
import { mergeEmbeds } from "./merge-embed.ts";
import {
  type AttributeDeclaration,
  parseAttributeDeclaration,
  parseIdDeclaration,
} from "./schema-declaration.ts";
import { checkMetric, missingMetric, typeChange } from "./schema-faults.ts";

/** What a request says about the schema. */
export interface SchemaChange {
  /** The declarations as written; undefined if the request has none. */
  readonly declared: JsonObject | undefined;
  /** Where they stood in the body: `schema` in a write, empty for a bare map. */
  readonly path: "schema" | "";
  readonly distanceMetric: DistanceMetric | undefined;
  /** The namespace is created by this request: only then vector attributes may be added. */
  readonly isNewNamespace: boolean;
  /** Dimensions that an embedding model gives unless asked for others; undefined: unknown model. */
  dimensionsOf(model: string): number | undefined;
}

/** An index that existing documents lack. */
export interface IndexToBuild {
  readonly attribute: string;
  readonly index: IndexOption;
}

/**
 * Merges declarations into a schema. Object form keeps what it does not name; the shorthand turns
 * search options off. Declaring what is there already gives the same object; `{"drop": true}` takes
 * an attribute away.
 */
export function mergeSchema(current: Schema, change: SchemaChange): Schema {
  const { declared } = change;
  if (!declared) {
    // Most writes declare nothing; what they infer is the binding's business.
    if (current.distanceMetric) checkMetric(current.distanceMetric, change.distanceMetric);
    return current;
  }
  const attributes = new Map(current.attributes);
  const embeds = new Map<string, NonNullable<AttributeDeclaration["embed"]>>();
  const stops: string[] = [];
  let { idType, dropCount } = current;
  for (const [name, value] of declared) {
    checkAttributeNameLength(name);
    const path = change.path === "" ? name : `${change.path}.${name}`;
    if (isDrop(value, path)) {
      checkDrop(name, current.attributes);
      attributes.delete(name);
      dropCount = (dropCount ?? 0) + 1;
      continue;
    }
    if (name === "id") {
      idType = mergeIdType(idType, parseIdDeclaration(value, path));
      continue;
    }
    const declaration = parseAttributeDeclaration(value, path);
    const merged = mergeAttribute(attributes.get(name), declaration, { name, change });
    attributes.set(name, merged);
    if (declaration.embed === null) stops.push(name);
    else if (declaration.embed) embeds.set(name, declaration.embed);
  }
  mergeEmbeds(attributes, { embeds, stops, change, currentMetric: current.distanceMetric });
  // The names of embedded vectors are derived or chosen, so they were not seen above.
  for (const name of attributes.keys()) checkAttributeName(name);
  checkCounts(attributes);
  const distanceMetric = mergeMetric(current, attributes, change);
  const schema: Schema = {
    idType,
    distanceMetric,
    attributes: withOwnColumns(withMetric(attributes), current, dropCount),
    ...(dropCount !== undefined && { dropCount }),
  };
  return sameSchema(current, schema) ? current : schema;

  /** Attributes were merged before the namespace's metric was known to be consistent. */
  function withMetric(merged: Map<string, AttributeSchema>): Map<string, AttributeSchema> {
    if (distanceMetric === undefined) return merged;
    for (const [name, attribute] of merged) {
      if (!attribute.ann || attribute.ann.distanceMetric === distanceMetric) continue;
      merged.set(name, { ...attribute, ann: { ...attribute.ann, distanceMetric } });
    }
    return merged;
  }
}

/** Gives the attributes that a namespace did not have before their columns. */
export function withOwnColumns(
  attributes: Map<string, AttributeSchema>,
  before: Schema,
  dropCount: number | undefined,
): Map<string, AttributeSchema> {
  if (dropCount === undefined) return attributes;
  for (const [name, attribute] of attributes) {
    if (before.attributes.has(name)) continue;
    attributes.set(name, withOwnColumn(attribute, name, dropCount));
  }
  return attributes;
}

/** Refuses a schema with more attributes than a namespace may have (400). */
export function checkCounts(attributes: ReadonlyMap<string, AttributeSchema>): void {
  if (attributes.size > ATTRIBUTE_COUNT_MAX) {
    throw invalid(
      `💔 a namespace has at most ${ATTRIBUTE_COUNT_MAX} attributes, ` +
        `this write would make it ${attributes.size}`,
    );
  }
  const vectors = [...attributes.values()].filter(isVectorAttribute).length;
  if (vectors > VECTOR_ATTRIBUTES_MAX) {
    throw invalid(
      `💔 a namespace has at most ${VECTOR_ATTRIBUTES_MAX} vector attributes, was ${vectors}`,
    );
  }
}

/** Tells whether an attribute holds dense vectors, one or several per document. */
export function isVectorAttribute(attribute: AttributeSchema): boolean {
  return attribute.type.kind === "vector" || attribute.type.kind === "multi_vector";
}

/** The metric is fixed by the first write with vectors; without vectors it means nothing. */
function mergeMetric(
  current: Schema,
  attributes: ReadonlyMap<string, AttributeSchema>,
  change: SchemaChange,
): DistanceMetric | undefined {
  if (![...attributes.values()].some(isVectorAttribute)) return undefined;
  if (current.distanceMetric !== undefined) {
    checkMetric(current.distanceMetric, change.distanceMetric);
    return current.distanceMetric;
  }
  if (change.distanceMetric === undefined) throw missingMetric();
  return change.distanceMetric;
}

function mergeIdType(existing: IdType | undefined, declared: IdType): IdType {
  if (existing !== undefined && existing !== declared) {
    throw typeChange("id", existing, declared);
  }
  return declared;
}

/** The indexes that a schema asks for and the one before it did not, on attributes of both. */
export function indexesToBuild(before: Schema, after: Schema): IndexToBuild[] {
  if (before === after) return [];
  const builds: IndexToBuild[] = [];
  for (const [attribute, now] of after.attributes) {
    const was = before.attributes.get(attribute);
    if (!was || was === now || was.column !== now.column) continue;
    for (const [index, isLacking] of LACKING) {
      if (isLacking(was, now)) builds.push({ attribute, index });
    }
  }
  return builds;
}

type IsLacking = (was: AttributeSchema, now: AttributeSchema) => boolean;

const LACKING_BY_OPTION: Readonly<Record<IndexOption, IsLacking>> = {
  filterable: (was, now) => now.filterable && !was.filterable,
  full_text_search: ({ fullTextSearch: was }, { fullTextSearch: now }) =>
    now !== undefined && (was === undefined || !sameAnalysis(was, now)),
  regex: (was, now) => now.regex === true && !was.regex,
  glob: (was, now) => now.glob === true && !was.glob,
  fuzzy: (was, now) => now.fuzzy === true && !was.fuzzy,
};
const LACKING = Object.entries(LACKING_BY_OPTION) as [IndexOption, IsLacking][];

/** Tells whether two schemas say the same; attributes that are the same object cost nothing. */
function sameSchema(a: Schema, b: Schema): boolean {
  if (a.idType !== b.idType || a.distanceMetric !== b.distanceMetric) return false;
  if (a.attributes.size !== b.attributes.size || a.dropCount !== b.dropCount) return false;
  for (const [name, attribute] of b.attributes) {
    if (!sameAttribute(a.attributes.get(name), attribute)) return false;
  }
  return true;
}

/** Tells whether two attributes have the same type and options. */
function sameAttribute(a: AttributeSchema | undefined, b: AttributeSchema): boolean {
  if (a === b) return true;
  if (!a || formatAttributeType(a.type) !== formatAttributeType(b.type)) return false;
  return optionsText(a) === optionsText(b);
}

/** All options, also those that are still to come, whatever order they were set in. */
function optionsText({ type: _, ...options }: AttributeSchema): string {
  return JSON.stringify(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)));
}
