import { expect, test } from "vitest";
import { DatabaseError } from "../base/errors.ts";
import type { JsonObject, JsonValue } from "../model/json-value.ts";
import { type DistanceMetric, EMPTY_SCHEMA, type Schema } from "../model/schema.ts";
import { FULL_TEXT_DEFAULTS } from "../text/full-text-rules.ts";
import { mergeSchema } from "./merge-schema.ts";
import { decodeSchema, encodeSchema } from "./schema-codec.ts";

/** Plain JavaScript as the JSON reader would hand it over. */
function json(value: unknown): JsonValue {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(json);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  return new Map(Object.entries(value).map(([key, member]) => [key, json(member)]));
}

interface Change {
  readonly schema: unknown;
  readonly metric?: DistanceMetric;
  readonly existing?: boolean;
}

function merge(current: Schema, change: Change) {
  return mergeSchema(current, {
    declared: json(change.schema) as JsonObject,
    path: "schema",
    distanceMetric: change.metric,
    isNewNamespace: change.existing !== true,
    dimensionsOf: (model) => (model === "openai/text-embedding-3-small" ? 1536 : undefined),
  });
}

function create(schema: unknown, metric?: DistanceMetric): Schema {
  return merge(EMPTY_SCHEMA, metric ? { schema, metric } : { schema }).schema;
}

function faultOf(run: () => unknown): DatabaseError {
  try {
    run();
  } catch (error) {
    if (error instanceof DatabaseError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

test("a new attribute is filterable unless it is declared with a search option", () => {
  const schema = create({
    a: "string",
    b: { type: "string", full_text_search: true },
    c: { type: "string", regex: true },
    d: { type: "string", glob: true },
    e: { type: "[]string", fuzzy: true },
    f: { type: "string", full_text_search: true, filterable: true },
    g: { type: "int", filterable: false },
    h: "bytes",
    i: "{}f16",
    j: { type: "string", full_text_search: false, regex: false },
  });
  const filterable = [...schema.attributes].filter(([, a]) => a.filterable).map(([name]) => name);
  expect(filterable).toEqual(["a", "f", "j"]);
  expect(schema.attributes.get("b")?.fullTextSearch).toEqual(FULL_TEXT_DEFAULTS);
  expect(schema.attributes.get("c")?.regex).toBe(true);
  expect(schema.attributes.get("i")?.sparseKnn).toBe(true);
});

test("object form keeps what it does not name, and merges full-text settings", () => {
  const first = create({
    t: { type: "string", full_text_search: { k1: 2, stemming: true }, filterable: true },
  });
  const { schema, builds } = merge(first, {
    schema: { t: { type: "string", full_text_search: { b: 0.5 } } },
    existing: true,
  });
  expect(schema.attributes.get("t")).toMatchObject({
    filterable: true,
    fullTextSearch: { k1: 2, b: 0.5, stemming: true },
  });
  expect(builds).toEqual([]);
  const kept = merge(schema, { schema: { t: { type: "string", full_text_search: true } } });
  expect(kept.schema).toBe(schema);
  const removed = merge(schema, { schema: { t: { type: "string", full_text_search: false } } });
  expect(removed.schema.attributes.get("t")?.fullTextSearch).toBeUndefined();
});

test("the shorthand turns search options off and keeps filterable", () => {
  const first = create({
    t: { type: "string", full_text_search: true, regex: true, glob: true, fuzzy: true },
  });
  const { schema } = merge(first, { schema: { t: "string" }, existing: true });
  expect(schema.attributes.get("t")).toEqual({
    type: { kind: "scalar", of: "string" },
    filterable: false,
  });
});

test("options that are turned on for an existing attribute are to be built", () => {
  const first = create({ t: { type: "string", filterable: false }, u: "string" });
  const { builds } = merge(first, {
    schema: {
      t: { type: "string", filterable: true, full_text_search: true, regex: true },
      u: { type: "string", glob: true, fuzzy: true },
      v: { type: "string", full_text_search: true },
    },
    existing: true,
  });
  expect(builds.map(({ attribute, index }) => `${attribute}.${index}`)).toEqual([
    "t.filterable",
    "t.full_text_search",
    "t.regex",
    "u.glob",
    "u.fuzzy",
  ]);
});

test("changed analysis is to be built, changed scoring is not", () => {
  const first = create({ t: { type: "string", full_text_search: true } });
  const analysis = { schema: { t: { type: "string", full_text_search: { stemming: true } } } };
  expect(merge(first, analysis).builds).toEqual([{ attribute: "t", index: "full_text_search" }]);
  const scoring = { schema: { t: { type: "string", full_text_search: { k1: 3 } } } };
  expect(merge(first, scoring).builds).toEqual([]);
});

test("vectors take the request's metric, and the namespace's from then on", () => {
  const schema = create({ vector: { type: "[2]f16", ann: true } }, "euclidean_squared");
  expect(schema.distanceMetric).toBe("euclidean_squared");
  expect(schema.attributes.get("vector")).toEqual({
    type: { kind: "vector", dimensions: 2, element: "f16" },
    filterable: false,
    ann: { distanceMetric: "euclidean_squared", lateInteraction: false },
  });
  const again = { schema: { vector: { type: "[2]f16", ann: {} } }, existing: true };
  expect(merge(schema, again).schema).toBe(schema);
  expect(merge(schema, { ...again, metric: "euclidean_squared" }).schema).toBe(schema);
  expect(faultOf(() => merge(schema, { ...again, metric: "cosine_distance" })).message).toBe(
    "💔 distance metric mismatch, expected euclidean_squared, got cosine_distance",
  );
});

test("a metric without vectors means nothing", () => {
  expect(create({ a: "string" }, "cosine_distance").distanceMetric).toBeUndefined();
});

test("late interaction needs its own ann object", () => {
  const ann = { late_interaction: true };
  const schema = create({ v: { type: "[][4]f32", ann }, w: "[][4]f32" }, "cosine_distance");
  expect(schema.attributes.get("v")?.ann?.lateInteraction).toBe(true);
  expect(schema.attributes.get("w")?.ann).toBeUndefined();
  const refused = { schema: { v: { type: "[][4]f32", ann: true } }, metric: "cosine_distance" };
  expect(() => merge(EMPTY_SCHEMA, refused as Change)).toThrow("late_interaction");
});

test("embed adds a vector attribute of the model's dimensions in f16", () => {
  const embed = "openai/text-embedding-3-small";
  const schema = create({ body: { type: "string", embed } }, "cosine_distance");
  expect(schema.attributes.get("body")?.embed).toEqual({ model: embed, attribute: "embed_body" });
  expect(schema.attributes.get("embed_body")).toEqual({
    type: { kind: "vector", dimensions: 1536, element: "f16" },
    filterable: false,
    ann: { distanceMetric: "cosine_distance", lateInteraction: false },
  });
  const stopped = merge(schema, {
    schema: { body: { type: "string", embed: null } },
    existing: true,
  }).schema;
  expect(stopped.attributes.get("body")?.embed).toBeUndefined();
  expect(stopped.attributes.has("embed_body")).toBe(true);
});

test("embed may name a vector, its dimensions and its precision", () => {
  const own = { model: "x", attribute: "v", dims: 8, dtype: "f32" };
  const schema = create({ t: { type: "string", embed: own } }, "cosine_distance");
  expect(schema.attributes.get("v")?.type).toEqual({
    kind: "vector",
    dimensions: 8,
    element: "f32",
  });
  const other = { schema: { t: { type: "string", embed: { model: "y" } } }, existing: true };
  expect(merge(schema, other).schema.attributes.get("t")?.embed).toEqual({
    model: "y",
    attribute: "v",
  });
});

const VECTOR = create({ vector: { type: "[2]f32", ann: true }, t: "string" }, "cosine_distance");

test.each<[string, Schema, Change, string, string]>([
  [
    "type change",
    VECTOR,
    { schema: { t: "int" }, existing: true },
    "invalid",
    "🙅 invalid schema update for attribute 't': cannot change attribute type from string to int",
  ],
  [
    "dimension change",
    VECTOR,
    { schema: { vector: "[3]f32" }, existing: true },
    "invalid",
    "cannot change attribute type from [2]f32 to [3]f32",
  ],
  ["id type", EMPTY_SCHEMA, { schema: { id: "int" } }, "invalid", "💔 int is not a valid ID type"],
  [
    "id shape",
    EMPTY_SCHEMA,
    { schema: { id: 3 } },
    "malformed",
    "untagged enum AttributeSchemaInput",
  ],
  [
    "id change",
    create({ id: "uuid" }),
    { schema: { id: "uint" } },
    "invalid",
    "cannot change attribute type from uuid to uint",
  ],
  [
    "no type",
    EMPTY_SCHEMA,
    { schema: { a: { filterable: true } } },
    "malformed",
    "schema.a: data did not match any variant of untagged enum AttributeSchemaInput",
  ],
  ["number", EMPTY_SCHEMA, { schema: { a: 3 } }, "malformed", "untagged enum AttributeSchemaInput"],
  [
    "unknown type",
    EMPTY_SCHEMA,
    { schema: { a: "strng" } },
    "malformed",
    'unknown type "strng", did you mean "string"?',
  ],
  [
    "no metric",
    EMPTY_SCHEMA,
    { schema: { vector: { type: "[2]f32", ann: true } } },
    "invalid",
    "💔 distance_metric must be specified for write to namespace with a vector",
  ],
  [
    "vector without ann",
    EMPTY_SCHEMA,
    { schema: { vector: "[1024]f32" }, metric: "cosine_distance" },
    "invalid",
    '💔 the `vector` attribute must have `ann` set to `true`, eg: `"vector": { "type": "[1024]f32", "ann": true }`',
  ],
  [
    "other vector without ann",
    EMPTY_SCHEMA,
    { schema: { embedding: "[4]f32" }, metric: "cosine_distance" },
    "invalid",
    "💔 vector attribute 'embedding' must have ann:true",
  ],
  [
    "metric in ann",
    EMPTY_SCHEMA,
    { schema: { vector: { type: "[2]f32", ann: { distance_metric: "cosine_distance" } } } },
    "invalid",
    "💔 `distance_metric` must be specified as a field at the top level of the write request, not in the `ann` configuration for an attribute",
  ],
  [
    "other metric in ann",
    EMPTY_SCHEMA,
    {
      schema: { vector: { type: "[2]f32", ann: { distance_metric: "cosine_distance" } } },
      metric: "euclidean_squared",
    },
    "invalid",
    "💔 distance metric mismatch, expected euclidean_squared, got cosine_distance",
  ],
  [
    "unknown metric in ann",
    EMPTY_SCHEMA,
    { schema: { vector: { type: "[2]f32", ann: { distance_metric: "l2" } } } },
    "malformed",
    "unknown variant `l2`",
  ],
  [
    "ann on a scalar",
    EMPTY_SCHEMA,
    { schema: { a: { type: "int", ann: true } } },
    "invalid",
    "`ann`",
  ],
  [
    "ann object on a scalar",
    EMPTY_SCHEMA,
    { schema: { a: { type: "int", ann: {} } } },
    "invalid",
    "`ann`",
  ],
  [
    "late interaction on one vector",
    EMPTY_SCHEMA,
    {
      schema: { a: { type: "[2]f32", ann: { late_interaction: true } } },
      metric: "cosine_distance",
    },
    "invalid",
    "`late_interaction` is only supported on [][N]f32",
  ],
  [
    "vector later",
    VECTOR,
    { schema: { w: { type: "[2]f32", ann: true } }, existing: true },
    "invalid",
    "vector attributes can only be added",
  ],
  [
    "sparse metric",
    EMPTY_SCHEMA,
    { schema: { s: { type: "{}f16", sparse_knn: { distance_metric: "cosine" } } } },
    "malformed",
    "unknown variant `cosine`",
  ],
  [
    "sparse_knn on string",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", sparse_knn: { distance_metric: "dot_product" } } } },
    "invalid",
    "`sparse_knn` is only supported on {}f16",
  ],
  [
    "text on int",
    EMPTY_SCHEMA,
    { schema: { s: { type: "int", full_text_search: true } } },
    "invalid",
    "`full_text_search` is only supported on string and []string",
  ],
  [
    "regex on int",
    EMPTY_SCHEMA,
    { schema: { s: { type: "int", regex: true } } },
    "invalid",
    "`regex`",
  ],
  [
    "regex no bool",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", regex: 1 } } },
    "malformed",
    "schema.s.regex",
  ],
  [
    "tokenizer",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", full_text_search: { tokenizer: "word_v9" } } } },
    "malformed",
    "unknown variant `word_v9`",
  ],
  [
    "language",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", full_text_search: { language: "klingon" } } } },
    "malformed",
    "unknown variant `klingon`",
  ],
  [
    "stemming no bool",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", full_text_search: { stemming: "yes" } } } },
    "malformed",
    "schema.s.full_text_search.stemming",
  ],
  [
    "k1",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", full_text_search: { k1: 0 } } } },
    "invalid",
    "k1",
  ],
  [
    "b",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", full_text_search: { b: 1.5 } } } },
    "invalid",
    "b must be",
  ],
  [
    "token length",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", full_text_search: { max_token_length: 255 } } } },
    "invalid",
    "max_token_length",
  ],
  [
    "stop words",
    EMPTY_SCHEMA,
    {
      schema: {
        s: { type: "string", full_text_search: { language: "greek", remove_stopwords: true } },
      },
    },
    "invalid",
    "stopword removal is not supported for language: greek",
  ],
  [
    "case and stems",
    EMPTY_SCHEMA,
    {
      schema: { s: { type: "string", full_text_search: { case_sensitive: true, stemming: true } } },
    },
    "invalid",
    "stemming is not supported when case sensitivity is enabled",
  ],
  [
    "pre-tokenized string",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", full_text_search: { tokenizer: "pre_tokenized_array" } } } },
    "invalid",
    "only supported on []string",
  ],
  [
    "pre-tokenized stems",
    EMPTY_SCHEMA,
    {
      schema: {
        s: {
          type: "[]string",
          full_text_search: { tokenizer: "pre_tokenized_array", stemming: true },
        },
      },
    },
    "invalid",
    "cannot specify stemming with `pre_tokenized_array` tokenizer",
  ],
  [
    "embed on int",
    EMPTY_SCHEMA,
    { schema: { s: { type: "int", embed: "m" } } },
    "invalid",
    "`embed` is only supported on string",
  ],
  [
    "unknown model",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", embed: "m" } }, metric: "cosine_distance" },
    "invalid",
    'unknown dimensions of embedding model "m"',
  ],
  [
    "embed without metric",
    EMPTY_SCHEMA,
    { schema: { s: { type: "string", embed: "openai/text-embedding-3-small" } } },
    "invalid",
    "distance_metric must be specified",
  ],
  [
    "embed later",
    VECTOR,
    { schema: { t: { type: "string", embed: "openai/text-embedding-3-small" } }, existing: true },
    "invalid",
    "cannot add vector attribute 'embed_t'",
  ],
  [
    "embed dims",
    VECTOR,
    {
      schema: { t: { type: "string", embed: { model: "m", attribute: "vector", dims: 3 } } },
      existing: true,
    },
    "invalid",
    "dims is 3, but the attribute has 2 dimensions",
  ],
  ["name", EMPTY_SCHEMA, { schema: { $x: "int" } }, "invalid", "must not start with `$`"],
  ["empty name", EMPTY_SCHEMA, { schema: { "": "int" } }, "invalid", "must not be empty"],
  [
    "long name",
    EMPTY_SCHEMA,
    { schema: { ["x".repeat(129)]: "int" } },
    "invalid",
    "limit is 128 characters",
  ],
  [
    "many names",
    EMPTY_SCHEMA,
    { schema: Object.fromEntries(Array.from({ length: 1025 }, (_, i) => [`a${i}`, "int"])) },
    "invalid",
    "at most 1024 attributes",
  ],
  [
    "many vectors",
    EMPTY_SCHEMA,
    {
      schema: Object.fromEntries(
        Array.from({ length: 9 }, (_, i) => [`a${i}`, { type: "[2]f32", ann: true }]),
      ),
      metric: "cosine_distance",
    },
    "invalid",
    "at most 8 vector attributes",
  ],
  [
    "many embeds",
    EMPTY_SCHEMA,
    {
      schema: Object.fromEntries(
        Array.from({ length: 5 }, (_, i) => [
          `a${i}`,
          { type: "string", embed: "openai/text-embedding-3-small" },
        ]),
      ),
      metric: "cosine_distance",
    },
    "invalid",
    "at most 4 embedded attributes",
  ],
])("%s is refused", (_name, current, change, code, text) => {
  const fault = faultOf(() => merge(current, change));
  expect(fault.message).toContain(text);
  expect(fault.code).toBe(code);
});

test("a type change names its attribute in the error", () => {
  expect(faultOf(() => merge(VECTOR, { schema: { t: "int" } })).attribute).toBe("t");
});

test("a schema survives its codec, also through JSON", () => {
  const schema = create(
    {
      id: "uuid",
      t: { type: "string", full_text_search: { language: "german", stemming: true }, regex: true },
      v: { type: "[][4]f32", ann: { late_interaction: true } },
      s: "{}f16",
      e: { type: "string", embed: "openai/text-embedding-3-small" },
      "weird name ✓": "[]datetime",
    },
    "cosine_distance",
  );
  expect(decodeSchema(JSON.parse(JSON.stringify(encodeSchema(schema))))).toEqual(schema);
  expect(decodeSchema(encodeSchema(EMPTY_SCHEMA))).toEqual(EMPTY_SCHEMA);
});

test("damage in a stored schema is reported as corrupt", () => {
  const stored = JSON.stringify(encodeSchema(VECTOR));
  for (const [from, to] of [
    ['"string"', '"strong"'],
    ["true", "1"],
    ["cosine_distance", "cosine"],
    ["attributes", "attribute"],
  ]) {
    expect(faultOf(() => decodeSchema(JSON.parse(stored.replaceAll(from, to)))).code).toBe(
      "corrupt",
    );
  }
  expect(faultOf(() => decodeSchema(null)).code).toBe("corrupt");
});
