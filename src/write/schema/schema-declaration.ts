/** One attribute's declaration in a write's `schema`, read from JSON: shapes and names (422). */

import { clip } from "../../base/bounded-text.ts";
import { invalid, malformed } from "../../base/errors.ts";
import { VECTOR_DIMENSIONS_MAX } from "../../kernel/kernel.ts";
import {
  type AttributeType,
  parseAttributeType,
  SCALAR_KINDS,
  type VectorElement,
} from "../../model/attribute-type.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import type { NamedFullTextOptions } from "../../text/full-text-rules.ts";
import {
  booleanAt,
  countAt,
  didYouMean,
  missingMember,
  modelNameAt,
  objectAt,
  present,
  stringAt,
  variantAt,
} from "../../wire/json/json-shape.ts";
import { parseFullTextDeclaration, readMember } from "./full-text-declaration.ts";

/** An `ann` object as sent. */
export interface AnnDeclaration {
  readonly distanceMetric: DistanceMetric | undefined;
  readonly lateInteraction: boolean | undefined;
}

/** An `embed` setting as sent. */
export interface EmbedDeclaration {
  readonly model: string;
  readonly attribute: string | undefined;
  readonly dimensions: number | undefined;
  readonly element: VectorElement | undefined;
}

/** A declaration: only what was sent. The shorthand is a type alone and resets search options. */
export interface AttributeDeclaration {
  readonly form: "shorthand" | "object";
  readonly type: AttributeType;
  readonly filterable: boolean | undefined;
  readonly fullTextSearch: boolean | NamedFullTextOptions | undefined;
  readonly regex: boolean | undefined;
  readonly glob: boolean | undefined;
  readonly fuzzy: boolean | undefined;
  readonly ann: boolean | AnnDeclaration | undefined;
  readonly sparseKnn: true | undefined;
  /** Null: stop embedding. */
  readonly embed: null | EmbedDeclaration | undefined;
}

/** Distance metrics of dense vectors. */
const DISTANCE_METRICS = ["cosine_distance", "euclidean_squared"] as const;

const INPUT = "data did not match any variant of untagged enum AttributeSchemaInput";

/** Reads one declaration found at `path`. */
export function parseAttributeDeclaration(value: JsonValue, path: string): AttributeDeclaration {
  if (typeof value === "string") {
    return { ...NOTHING, form: "shorthand", type: parseType(value, path) };
  }
  if (!(value instanceof Map)) throw malformed(path, INPUT);
  const type = value.get("type");
  if (typeof type !== "string") throw malformed(path, `${INPUT}: missing field \`type\``);
  return {
    form: "object",
    type: parseType(type, `${path}.type`),
    filterable: readMember(value, path, "filterable", booleanAt),
    fullTextSearch: parseFullTextDeclaration(
      value.get("full_text_search"),
      `${path}.full_text_search`,
    ),
    regex: readMember(value, path, "regex", booleanAt),
    glob: readMember(value, path, "glob", booleanAt),
    fuzzy: readMember(value, path, "fuzzy", booleanAt),
    ann: parseAnn(value.get("ann"), `${path}.ann`),
    sparseKnn: parseSparseKnn(value.get("sparse_knn"), `${path}.sparse_knn`),
    embed: parseEmbed(value.get("embed"), `${path}.embed`),
  };
}

/** Reads the declaration of `id`: the type of all ids, as a string or in an object. */
export function parseIdDeclaration(value: JsonValue, path: string): "uint" | "string" | "uuid" {
  const type = value instanceof Map ? value.get("type") : value;
  if (typeof type !== "string") throw malformed(path, INPUT);
  if (type === "uint" || type === "string" || type === "uuid") return type;
  throw invalid(`💔 ${clip(type)} is not a valid ID type`, {
    hint: "ids are uint, string or uuid",
  });
}

const NOTHING = {
  filterable: undefined,
  fullTextSearch: undefined,
  regex: undefined,
  glob: undefined,
  fuzzy: undefined,
  ann: undefined,
  sparseKnn: undefined,
  embed: undefined,
} as const;

function parseType(text: string, path: string): AttributeType {
  const type = parseAttributeType(text);
  if (!type) throw malformed(path, `${INPUT}: ${unknownType(text)}`);
  if ("dimensions" in type && type.dimensions > VECTOR_DIMENSIONS_MAX) {
    throw invalid(
      `💔 ${path}: vectors have at most ${VECTOR_DIMENSIONS_MAX} dimensions, was ${type.dimensions}`,
    );
  }
  return type;
}

function unknownType(text: string): string {
  const usual = text.length > USUAL_CHARS_MAX ? undefined : usualType(text);
  if (usual !== undefined) return `unknown type "${clip(text)}", did you mean "${usual}"?`;
  const vectors = ["[1024]f32", "[1024]f16", "[1024]i8", "[][128]f32", "{}f16"];
  const scalars = [...SCALAR_KINDS, "bytes"];
  const known = [...scalars, ...SCALAR_KINDS.map((kind) => `[]${kind}`), ...vectors];
  return `unknown type "${clip(text)}"${didYouMean(text, known)}`;
}

/** Longer than what any system calls a type. */
const USUAL_CHARS_MAX = 64;

/** The type that other systems' name for it means here, as in `text[]` or `[768]float32`. */
function usualType(text: string): string | undefined {
  const name = text.toLowerCase();
  const vector = /^(?:vector\(([1-9]\d*)\)|\[([1-9]\d*)\].*)$/.exec(name);
  if (vector) return `[${vector[1] ?? vector[2]}]${/16/.test(name.slice(2)) ? "f16" : "f32"}`;
  const array = /^(?:\[\](.+)|(.+)\[\]|(?:array|list)<(.+)>)$/.exec(name);
  const element = array?.slice(1).find((part) => part !== undefined);
  const scalar = USUAL_NAMES.get(element ?? name) ?? element;
  if (scalar === undefined || parseAttributeType(scalar) === undefined) return undefined;
  return element === undefined ? scalar : `[]${scalar}`;
}

const USUAL_NAMES: ReadonlyMap<string, string> = new Map([
  ...["text", "str", "varchar", "keyword"].map((name) => [name, "string"] as const),
  ...["integer", "int32", "int64", "i64", "long", "bigint"].map((name) => [name, "int"] as const),
  ...["uint64", "u64", "unsigned"].map((name) => [name, "uint"] as const),
  ...["number", "double", "f64", "float64", "f32", "decimal"].map(
    (name) => [name, "float"] as const,
  ),
  ...["date", "timestamp", "timestamptz", "time"].map((name) => [name, "datetime"] as const),
  ...["blob", "binary", "bytea"].map((name) => [name, "bytes"] as const),
  ["boolean", "bool"],
  ["guid", "uuid"],
  ["vector", "[1024]f32"],
]);

function parseAnn(
  value: JsonValue | undefined,
  path: string,
): boolean | AnnDeclaration | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return value;
  const object = objectAt(path, value, "a boolean or a map");
  return {
    distanceMetric: readMember(object, path, "distance_metric", (at, name) =>
      variantAt(at, name, DISTANCE_METRICS),
    ),
    lateInteraction: readMember(object, path, "late_interaction", booleanAt),
  };
}

function parseSparseKnn(value: JsonValue | undefined, path: string): true | undefined {
  if (value === undefined || value === null) return undefined;
  const metric = present(objectAt(path, value), "distance_metric");
  if (metric === undefined) throw missingMember(path, "distance_metric");
  variantAt(`${path}.distance_metric`, metric, ["dot_product"]);
  return true;
}

function parseEmbed(
  value: JsonValue | undefined,
  path: string,
): null | EmbedDeclaration | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value === "string") {
    const model = modelNameAt(path, value);
    return { model, attribute: undefined, dimensions: undefined, element: undefined };
  }
  const object = objectAt(path, value, "a string or a map");
  const model = readMember(object, path, "model", modelNameAt);
  if (model === undefined) throw missingMember(path, "model");
  return {
    model,
    attribute: readMember(object, path, "attribute", stringAt),
    dimensions: readMember(object, path, "dims", parseDimensions),
    element: readMember(object, path, "dtype", parseElement),
  };
}

function parseDimensions(path: string, value: JsonValue): number {
  const dimensions = countAt(path, value);
  if (dimensions >= 1 && dimensions <= VECTOR_DIMENSIONS_MAX) return dimensions;
  throw invalid(`💔 ${path} must be between 1 and ${VECTOR_DIMENSIONS_MAX}, was ${dimensions}`);
}

/** The short names of the types, and the long ones that embedding services use. */
function parseElement(path: string, value: JsonValue): VectorElement {
  const short = stringAt(path, value)
    .replace(/^float/, "f")
    .replace(/^int8$/, "i8");
  return variantAt(path, short, ["f32", "f16", "i8"]);
}
