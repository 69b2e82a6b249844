import { expect, test } from "vitest";
import { faultOf } from "../../../test/support/documents/loose-json.ts";
import { create, merge } from "../../../test/support/documents/schema-changes.ts";
import type { JsonObject } from "../../model/json-value.ts";
import { FULL_TEXT_DEFAULTS } from "../../text/full-text-rules.ts";
import { encodeSchemaAnswer, writeMetadataSchema } from "../../wire/answers/schema-json.ts";
import { parseJson } from "../../wire/json/json-reader.ts";
import { JsonWriter } from "../../wire/json/json-writer.ts";
import { mergeSchema } from "./merge-schema.ts";

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
  const refused = { v: { type: "[][4]f32", ann: true } };
  expect(() => create(refused, "cosine_distance")).toThrow("late_interaction");
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

test("a schema that is sent back as it was shown changes nothing", () => {
  const schema = create(
    {
      id: "uuid",
      vector: { type: "[2]f16", ann: true },
      late: { type: "[][4]f32", ann: { late_interaction: true } },
      sparse: "{}f16",
      raw: "bytes",
      body: { type: "string", full_text_search: true, embed: "openai/text-embedding-3-small" },
      tokens: { type: "[]string", full_text_search: { tokenizer: "pre_tokenized_array" } },
      greek: { type: "string", full_text_search: { language: "greek", k1: 1.5 }, regex: true },
      count: { type: "int", filterable: false },
    },
    "cosine_distance",
  );
  const metadata = new JsonWriter();
  writeMetadataSchema(metadata, schema);
  for (const shown of [encodeSchemaAnswer(schema), metadata.bytes()]) {
    const merged = mergeSchema(schema, {
      declared: parseJson(shown) as JsonObject,
      path: "",
      distanceMetric: undefined,
      isNewNamespace: false,
      dimensionsOf: () => undefined,
    });
    expect(merged).toBe(schema);
  }
});
