/** A schema as plain JSON, for manifests and WAL records. Unknown members are kept out, not in. */

import { DatabaseError } from "../base/errors.ts";
import { formatAttributeType, type IdType, parseAttributeType } from "../model/attribute-type.ts";
import type { FullTextOptions } from "../model/full-text-options.ts";
import { LANGUAGES, TOKENIZERS } from "../model/full-text-options.ts";
import type { AttributeSchema, DistanceMetric, Schema } from "../model/schema.ts";

/** JSON form of a schema. */
export interface SchemaRecord {
  readonly idType: string | null;
  readonly distanceMetric: string | null;
  /** Name and options, in order. */
  readonly attributes: readonly (readonly [string, AttributeRecord])[];
  /** Absent: no attribute was ever dropped. */
  readonly dropCount?: number;
}

type AttributeRecord = Omit<AttributeSchema, "type"> & { readonly type: string };

/** Turns a schema into JSON-able data. */
export function encodeSchema(schema: Schema): SchemaRecord {
  return {
    idType: schema.idType ?? null,
    distanceMetric: schema.distanceMetric ?? null,
    attributes: [...schema.attributes].map(([name, attribute]) => [
      name,
      { ...attribute, type: formatAttributeType(attribute.type) },
    ]),
    ...(schema.dropCount !== undefined && { dropCount: schema.dropCount }),
  };
}

/** Reads what `encodeSchema` made, after JSON; anything else is corrupt. */
export function decodeSchema(stored: unknown): Schema {
  const record = objectOf(stored, "schema");
  const { idType, distanceMetric, attributes, dropCount } = record;
  check(idType === null || isIdType(idType), "schema.idType");
  check(distanceMetric === null || isMetric(distanceMetric), "schema.distanceMetric");
  check(Array.isArray(attributes), "schema.attributes");
  check(dropCount === undefined || isCount(dropCount), "schema.dropCount");
  const decoded = new Map<string, AttributeSchema>();
  for (const entry of attributes) {
    check(Array.isArray(entry) && typeof entry[0] === "string", "schema.attributes");
    decoded.set(entry[0], decodeAttribute(objectOf(entry[1], entry[0]), entry[0]));
  }
  return {
    idType: idType ?? undefined,
    distanceMetric: distanceMetric ?? undefined,
    attributes: decoded,
    ...(dropCount !== undefined && { dropCount }),
  };
}

function decodeAttribute(record: Record<string, unknown>, name: string): AttributeSchema {
  const type = typeof record.type === "string" ? parseAttributeType(record.type) : undefined;
  check(type !== undefined, `${name}.type`);
  check(typeof record.filterable === "boolean", `${name}.filterable`);
  const { fullTextSearch, ann, embed, column } = record;
  check(column === undefined || typeof column === "string", `${name}.column`);
  return {
    type,
    filterable: record.filterable,
    ...(fullTextSearch === undefined
      ? {}
      : { fullTextSearch: decodeFullText(fullTextSearch, name) }),
    ...(isSet(record, "regex", name) ? { regex: true } : {}),
    ...(isSet(record, "glob", name) ? { glob: true } : {}),
    ...(isSet(record, "fuzzy", name) ? { fuzzy: true } : {}),
    ...(ann === undefined ? {} : { ann: decodeAnn(ann, name) }),
    ...(isSet(record, "sparseKnn", name) ? { sparseKnn: true } : {}),
    ...(embed === undefined ? {} : { embed: decodeEmbed(embed, name) }),
    ...(column === undefined ? {} : { column }),
  };
}

/** Reads an attribute's full-text settings. Throws `corrupt`. */
export function decodeFullText(stored: unknown, name: string): FullTextOptions {
  const options = objectOf(stored, `${name}.fullTextSearch`);
  const tokenizer = TOKENIZERS.find((known) => known === options.tokenizer);
  const language = LANGUAGES.find((known) => known === options.language);
  check(tokenizer !== undefined, `${name}.tokenizer`);
  check(language !== undefined, `${name}.language`);
  const flagOf = (key: string) => {
    const value = options[key];
    check(typeof value === "boolean", `${name}.${key}`);
    return value;
  };
  const numberOf = (key: string) => {
    const value = options[key];
    check(typeof value === "number", `${name}.${key}`);
    return value;
  };
  return {
    tokenizer,
    language,
    stemming: flagOf("stemming"),
    removeStopwords: flagOf("removeStopwords"),
    caseSensitive: flagOf("caseSensitive"),
    asciiFolding: flagOf("asciiFolding"),
    maxTokenLength: numberOf("maxTokenLength"),
    k1: numberOf("k1"),
    b: numberOf("b"),
    k3: numberOf("k3"),
  };
}

function decodeAnn(stored: unknown, name: string) {
  const { distanceMetric, lateInteraction } = objectOf(stored, `${name}.ann`);
  check(isMetric(distanceMetric), `${name}.ann.distanceMetric`);
  check(typeof lateInteraction === "boolean", `${name}.ann.lateInteraction`);
  return { distanceMetric, lateInteraction };
}

function decodeEmbed(stored: unknown, name: string) {
  const { model, attribute } = objectOf(stored, `${name}.embed`);
  check(typeof model === "string" && typeof attribute === "string", `${name}.embed`);
  return { model, attribute };
}

function isSet(record: Record<string, unknown>, key: string, name: string): boolean {
  const value = record[key];
  check(value === undefined || value === true, `${name}.${key}`);
  return value === true;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isIdType(value: unknown): value is IdType {
  return value === "uint" || value === "string" || value === "uuid";
}

function isMetric(value: unknown): value is DistanceMetric {
  return value === "cosine_distance" || value === "euclidean_squared";
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  check(typeof value === "object" && value !== null && !Array.isArray(value), where);
  return value as Record<string, unknown>;
}

function check(holds: boolean, where: string): asserts holds {
  if (!holds) throw new DatabaseError("corrupt", `stored schema is damaged at ${where}`);
}
