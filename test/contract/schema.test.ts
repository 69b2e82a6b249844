/** Schemas: what they say, how they are echoed, and which changes are legal. */

import { describe, expect, test } from "vitest";
import {
  expectFault,
  idsOf,
  nameOf,
  rawCall,
  testNamespaces,
  untyped,
} from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("schema");

const FULL_TEXT = {
  tokenizer: "word_v3",
  language: "english",
  stemming: false,
  remove_stopwords: true,
  case_sensitive: false,
  ascii_folding: false,
  max_token_length: 39,
  k1: 1.2,
  b: 0.75,
  k3: 8.0,
};

describe("echoes", () => {
  const ns = namespace("echo");
  const declared = {
    text: { type: "string", full_text_search: true },
    tokens: { type: "[]string", full_text_search: { tokenizer: "pre_tokenized_array" as const } },
    pattern: { type: "string", regex: true, glob: true, fuzzy: true },
    kept: { type: "string", filterable: false },
    blob: "bytes",
    vector: { type: "[2]f16", ann: true },
    other: { type: "[3]f32", ann: true },
    sparse: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" as const } },
    body: { type: "string", embed: { model: "openai/text-embedding-3-small", dims: 8 } },
  };
  const create = () =>
    ns.write({
      distance_metric: "cosine_distance",
      schema: declared,
      upsert_rows: [{ id: 1, vector: [1, 0], other: [1, 2, 3], body: "words", n: 1 }],
    });

  test("the schema endpoint shows type, filterable and full text of all", async () => {
    await create();
    expect(await ns.schema()).toEqual({
      id: { type: "uint", filterable: null, full_text_search: null },
      text: { type: "string", filterable: false, full_text_search: FULL_TEXT },
      tokens: {
        type: "[]string",
        filterable: false,
        full_text_search: {
          ...FULL_TEXT,
          tokenizer: "pre_tokenized_array",
          language: null,
          max_token_length: null,
          case_sensitive: true,
          remove_stopwords: false,
        },
      },
      pattern: {
        type: "string",
        filterable: false,
        full_text_search: null,
        regex: true,
        glob: true,
        fuzzy: true,
      },
      kept: { type: "string", filterable: false, full_text_search: null },
      blob: { type: "bytes", filterable: false, full_text_search: null },
      vector: { type: "[2]f16", ann: true, filterable: null, full_text_search: null },
      other: { type: "[3]f32", ann: true, filterable: false, full_text_search: null },
      sparse: { type: "{}f16", filterable: false, full_text_search: null },
      body: { type: "string", filterable: true, full_text_search: null },
      embed_body: { type: "[8]f16", ann: true, filterable: false, full_text_search: null },
      n: { type: "int", filterable: true, full_text_search: null },
    });
  });

  test("the metadata's schema leaves nulls out and shows metrics and embedding", async () => {
    const { schema } = await ns.metadata();
    const metric = { distance_metric: "cosine_distance" };
    expect(schema).toMatchObject({
      id: { type: "uint" },
      n: { type: "int", filterable: true },
      text: { type: "string", filterable: false, full_text_search: FULL_TEXT },
      vector: { type: "[2]f16", ann: metric },
      other: { type: "[3]f32", ann: metric, filterable: false },
      sparse: { type: "{}f16", filterable: false, sparse_knn: { distance_metric: "dot_product" } },
      body: { embed: { attribute: "embed_body", model: "openai/text-embedding-3-small" } },
      blob: { type: "bytes", filterable: false },
    });
    expect(schema.id).toEqual({ type: "uint" });
    expect(schema.vector).toEqual({ type: "[2]f16", ann: metric });
    expect(schema.n).toEqual({ type: "int", filterable: true });
  });
});

describe("changes", () => {
  test("turning full text on serves existing documents", async () => {
    const ns = namespace();
    await ns.write({
      upsert_rows: [
        { id: 1, text: "quick fox" },
        { id: 2, text: "lazy dog" },
      ],
    });
    const bm25 = { rank_by: untyped<["text", "BM25", string]>(["text", "BM25", "fox"]), limit: 5 };
    await expectFault(ns.query(bm25), 400, "text");
    const updated = await ns.updateSchema({
      schema: { text: { type: "string", full_text_search: { stemming: true } } },
    });
    expect(updated.text).toMatchObject({
      filterable: true,
      full_text_search: { ...FULL_TEXT, stemming: true },
    });
    expect(idsOf(await ns.query(bm25))).toEqual([1]);
    const stemmed = {
      ...bm25,
      rank_by: untyped<["text", "BM25", string]>(["text", "BM25", "foxes"]),
    };
    expect(idsOf(await ns.query(stemmed))).toEqual([1]);
  });

  test("full text settings merge, true keeps them, false removes them", async () => {
    const ns = namespace();
    const set = async (full_text_search: object | boolean) =>
      (await ns.updateSchema({ schema: { text: { type: "string", full_text_search } } })).text;
    await ns.write({ upsert_rows: [{ id: 1, text: "Foxes" }] });
    await set({ stemming: true, k1: 2 });
    expect((await set({ b: 0.5 })).full_text_search).toEqual({
      ...FULL_TEXT,
      stemming: true,
      k1: 2,
      b: 0.5,
    });
    expect((await set(true)).full_text_search).toMatchObject({ stemming: true, k1: 2 });
    expect((await set(false)).full_text_search).toBeNull();
  });

  test("filterable can be turned off and on", async () => {
    const ns = namespace();
    const set = (filterable: boolean) =>
      ns.updateSchema({ schema: { a: { type: "string", filterable } } });
    await ns.write({ upsert_rows: [{ id: 1, a: "x" }] });
    await set(false);
    await expectFault(ns.query({ filters: ["a", "Eq", "x"], top_k: 1 }), 400, "a");
    await set(true);
    expect(idsOf(await ns.query({ filters: ["a", "Eq", "x"], top_k: 1 }))).toEqual([1]);
  });

  test("glob, regex and fuzzy can be turned on later, and off by shorthand", async () => {
    const ns = namespace();
    await ns.write({ upsert_rows: [{ id: 1, a: "hello" }] });
    await ns.updateSchema({
      schema: { a: { type: "string", regex: true, glob: true, fuzzy: true } },
    });
    expect(idsOf(await ns.query({ filters: ["a", "Regex", "^h.l"], top_k: 1 }))).toEqual([1]);
    const { a } = await ns.updateSchema({ schema: { a: "string" } });
    expect(a).toEqual({ type: "string", filterable: true, full_text_search: null });
    await expectFault(ns.query({ filters: ["a", "Regex", "^h.l"], top_k: 1 }), 400);
  });

  test("a type cannot change, and the error names the attribute", async () => {
    const ns = namespace();
    await ns.write({ upsert_rows: [{ id: 1, title: "x" }] });
    const text =
      "invalid schema update for attribute 'title': " +
      "cannot change attribute type from string to int";
    await expectFault(ns.write({ schema: { title: "int" } }), 400, text);
    const raw = await rawCall("POST", `/v1/namespaces/${nameOf(ns)}/schema`, { title: "int" });
    expect(raw).toMatchObject({ status: 400, json: { status: "error", attribute: "title" } });
  });

  test("the schema of an absent namespace cannot be read or written", async () => {
    const ns = namespace();
    const text = `namespace '${nameOf(ns)}' was not found`;
    await expectFault(ns.schema(), 404, text);
    await expectFault(ns.updateSchema({ schema: { a: "string" } }), 404, text);
  });
});

describe("refusals", () => {
  const vector = { type: "[2]f32", ann: true };
  const row = { id: 1, vector: [1, 2] };
  const cases: [string, object, number, string?][] = [
    ["an unknown type", { schema: { a: "text" } }, 422, "AttributeSchemaInput"],
    [
      "an object without a type",
      { schema: { a: { filterable: true } } },
      422,
      "AttributeSchemaInput",
    ],
    [
      "a vector without ann",
      { schema: { vector: "[2]f32" } },
      400,
      "must have `ann` set to `true`",
    ],
    [
      "another vector without ann",
      { schema: { vector, embedding: "[2]f32" } },
      400,
      "vector attribute 'embedding' must have ann:true",
    ],
    ["ann on a scalar", { schema: { a: { type: "string", ann: true } } }, 400],
    [
      "late interaction on one vector",
      { schema: { vector: { ...vector, ann: { late_interaction: true } } } },
      400,
    ],
    [
      "an unknown metric",
      { distance_metric: "bad" },
      422,
      "distance_metric: unknown variant `bad`, expected one of",
    ],
    [
      "an unknown tokenizer",
      { schema: { a: { type: "string", full_text_search: { tokenizer: "x" } } } },
      422,
    ],
    [
      "an unknown language",
      { schema: { a: { type: "string", full_text_search: { language: "klingon" } } } },
      422,
    ],
    ["k1 of zero", { schema: { a: { type: "string", full_text_search: { k1: 0 } } } }, 400],
    ["b above one", { schema: { a: { type: "string", full_text_search: { b: 1.5 } } } }, 400],
    ["full text on numbers", { schema: { a: { type: "int", full_text_search: true } } }, 400],
    [
      "stemming with case",
      {
        schema: {
          a: { type: "string", full_text_search: { case_sensitive: true, stemming: true } },
        },
      },
      400,
      "stemming is not supported when case sensitivity is enabled",
    ],
    [
      "stop words where there are none",
      {
        schema: {
          a: { type: "string", full_text_search: { language: "greek", remove_stopwords: true } },
        },
      },
      400,
      "stopword removal is not supported for language",
    ],
    [
      "stemming of given tokens",
      {
        schema: {
          a: {
            type: "[]string",
            full_text_search: { tokenizer: "pre_tokenized_array", stemming: true },
          },
        },
      },
      400,
      "cannot specify stemming with",
    ],
    [
      "a filterable vector",
      { schema: { a: { type: "{}f16", sparse_knn: { distance_metric: "cosine" } } } },
      422,
    ],
    ["regex on numbers", { schema: { a: { type: "int", regex: true } } }, 400],
  ];
  test.each(cases)("%s", async (_name, extra, status, message) => {
    const ns = namespace();
    const write = { distance_metric: "cosine_distance", upsert_rows: [row], ...extra };
    await expectFault(ns.write(untyped(write)), status, message);
    expect(await ns.exists()).toBe(false);
  });
});

describe("a dropped attribute", () => {
  const drop = (...names: string[]) =>
    untyped<Record<string, string>>(
      Object.fromEntries(names.map((name) => [name, { drop: true }])),
    );

  test("is gone from answers, and its name is free", async () => {
    const ns = namespace("drop");
    await ns.write({
      distance_metric: "cosine_distance",
      schema: { text: { type: "string", full_text_search: true } },
      upsert_rows: [
        { id: 1, vector: [1, 0], text: "old words", n: 5, kept: true },
        { id: 2, vector: [0, 1], text: "old, too", n: 6 },
      ],
    });
    const schema = await ns.updateSchema({ schema: drop("text", "n") });
    expect(Object.keys(schema)).toEqual(["id", "vector", "kept"]);
    const all = { rank_by: ["id", "asc"], limit: 9, include_attributes: true } as const;
    expect((await ns.query(untyped(all))).rows).toEqual([
      { id: 1, vector: [1, 0], kept: true },
      { id: 2, vector: [0, 1] },
    ]);
    await expectFault(ns.query({ filters: ["n", "Eq", 5], limit: 1 }), 400, "n");
    const search = { rank_by: ["text", "BM25", "old"], limit: 9 } as const;
    await expectFault(ns.query(untyped(search)), 400, "text");
    await ns.write({
      schema: { text: "int", n: { type: "string", full_text_search: true } },
      patch_rows: [{ id: 1, text: 1, n: "new words" }],
    });
    expect((await ns.query(untyped(all))).rows).toEqual([
      { id: 1, vector: [1, 0], kept: true, text: 1, n: "new words" },
      { id: 2, vector: [0, 1] },
    ]);
    const words = { rank_by: ["n", "BM25", "words"], limit: 9 };
    expect(idsOf(await ns.query(untyped(words)))).toEqual([1]);
    expect((await ns.metadata()).schema).toMatchObject({ text: { type: "int" } });
  });

  test("may not be id, nor one that is not there", async () => {
    const ns = namespace("drop-refused");
    await ns.write({ upsert_rows: [{ id: 1, note: "x" }] });
    await expectFault(ns.updateSchema({ schema: drop("id") }), 400, "`id` cannot be dropped");
    await expectFault(ns.updateSchema({ schema: drop("not") }), 400, "did you mean 'note'?");
    const both = untyped<Record<string, string>>({ note: { drop: true, type: "string" } });
    await expectFault(ns.updateSchema({ schema: both }), 400, "cannot be combined");
  });
});
