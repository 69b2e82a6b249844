import { expect, test } from "vitest";
import { faultOf } from "../../../test/support/documents/loose-json.ts";
import { type Change, create, merge } from "../../../test/support/documents/schema-changes.ts";
import { EMPTY_SCHEMA, type Schema } from "../../model/schema.ts";

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
    "💔 the `vector` attribute must have `ann` set to `true`, eg: " +
      '`"vector": { "type": "[1024]f32", "ann": true }`',
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
    "💔 `distance_metric` must be specified as a field at the top level of the write request, " +
      "not in the `ann` configuration for an attribute",
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
  [
    "long name of an existing namespace's vector",
    VECTOR,
    { schema: { ["x".repeat(1e6)]: { type: "[2]f32", ann: true } }, existing: true },
    "invalid",
    "limit is 128 characters",
  ],
  [
    "long target of embeddings",
    VECTOR,
    {
      schema: { t: { type: "string", embed: { model: "m", attribute: "x".repeat(1e6) } } },
      existing: true,
    },
    "invalid",
    "limit is 128 characters",
  ],
  [
    "long model",
    VECTOR,
    { schema: { t: { type: "string", embed: "m".repeat(257) } } },
    "invalid",
    "schema.t.embed: the name of a model has at most 256 characters, got 257",
  ],
  [
    "long type",
    EMPTY_SCHEMA,
    { schema: { t: `[]${"x".repeat(1e6)}` } },
    "malformed",
    "unknown type",
  ],
  ["long id type", EMPTY_SCHEMA, { schema: { id: "x".repeat(1e6) } }, "invalid", "x… is not a"],
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
  expect(fault.message.length).toBeLessThan(500);
  expect(fault.code).toBe(code);
});

test("a type change names its attribute in the error", () => {
  expect(faultOf(() => merge(VECTOR, { schema: { t: "int" } })).attribute).toBe("t");
});
