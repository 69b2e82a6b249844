/** Schemas and native embedding on the wire: every option, its rule, its status and its text. */

import { beforeAll, describe, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";

const { write, call, query, fresh } = contractServer("schema");

const COSINE = { distance_metric: "cosine_distance" };
const MODEL = "openai/text-embedding-3-small";
const INPUT = "data did not match any variant of untagged enum AttributeSchemaInput";

type Refusal = [name: string, body: unknown, status: number, ...parts: string[]];

describe("declarations", () => {
  const declare = (a: unknown) => ({ schema: { a }, upsert_rows: [{ id: 1 }] });
  const text = (full_text_search: unknown) => declare({ type: "string", full_text_search });
  const tokens = (options: object) =>
    declare({
      type: "[]string",
      full_text_search: { tokenizer: "pre_tokenized_array", ...options },
    });
  const vector = (declared: unknown, metric: object = COSINE) => ({
    ...metric,
    schema: { vector: declared },
    upsert_rows: [{ id: 1, vector: [1, 2] }],
  });
  const refusals: Refusal[] = [
    ["a list", { ...declare(1), schema: [] }, 422, "schema: invalid type: sequence"],
    ["a number", declare(1), 422, `schema.a: ${INPUT}`],
    ["null", declare(null), 422, `schema.a: ${INPUT}`],
    ["an object without type", declare({ filterable: true }), 422, `schema.a: ${INPUT}`, "`type`"],
    ["an unknown type", declare("strng"), 422, INPUT, 'did you mean "string"?'],
    ["text", declare("text"), 422, 'unknown type "text", did you mean "string"?'],
    ["boolean", declare("boolean"), 422, 'did you mean "bool"?'],
    ["timestamp", declare("timestamp"), 422, 'did you mean "datetime"?'],
    ["integer[]", declare("integer[]"), 422, 'did you mean "[]int"?'],
    ["array<string>", declare("array<string>"), 422, 'did you mean "[]string"?'],
    ["vector(768)", declare("vector(768)"), 422, 'did you mean "[768]f32"?'],
    ["[768]float16", declare("[768]float16"), 422, 'did you mean "[768]f16"?'],
    ["no dimension", declare("[0]f32"), 422, INPUT],
    ["arrays of unknown type", declare("[]unknown"), 400, "cannot declare type []unknown"],
    ["10753 dimensions", vector({ type: "[10753]f32", ann: true }), 400, "at most 10752"],
    ["filterable as text", declare({ type: "int", filterable: "yes" }), 422, "schema.a.filterable"],
    ["regex as an object", declare({ type: "string", regex: {} }), 422, "schema.a.regex"],
    ["glob as text", declare({ type: "string", glob: "x" }), 422, "schema.a.glob"],
    ["fuzzy as a number", declare({ type: "string", fuzzy: 2 }), 422, "schema.a.fuzzy"],
    ["glob on numbers", declare({ type: "int", glob: true }), 400, "glob"],
    ["fuzzy on numbers", declare({ type: "[]int", fuzzy: true }), 400, "fuzzy"],
    ["full text as text", text("yes"), 422, "schema.a.full_text_search"],
    ["full text on bytes", declare({ type: "bytes", full_text_search: true }), 400, "string"],
    ["k1 of 0", text({ k1: 0 }), 400, "k1 must be greater than 0"],
    ["k3 of 0", text({ k3: 0 }), 400, "k3 must be greater than 0"],
    ["b of 1.1", text({ b: 1.1 }), 400, "b must be between 0 and 1"],
    ["b below 0", text({ b: -0.1 }), 400, "b must be between 0 and 1"],
    ["no token length", text({ max_token_length: 0 }), 400, "between 1 and 254"],
    ["a token length of 255", text({ max_token_length: 255 }), 400, "between 1 and 254"],
    ["stemming as text", text({ stemming: "x" }), 422, "full_text_search.stemming"],
    ["an unknown language", text({ language: "klingon" }), 422, "unknown variant `klingon`"],
    ["an unknown tokenizer", text({ tokenizer: "word_v9" }), 422, "unknown variant `word_v9`"],
    ["stop words with case", text({ case_sensitive: true, remove_stopwords: true }), 400, "case"],
    ["tokens of a string", text({ tokenizer: "pre_tokenized_array" }), 400, "[]string"],
    ["a language of tokens", tokens({ language: "english" }), 400, "cannot specify language with"],
    ["tokens without case", tokens({ case_sensitive: false }), 400, "case_sensitive"],
    ["stop words of tokens", tokens({ remove_stopwords: true }), 400, "remove_stopwords"],
    ["ann on a scalar", declare({ type: "string", ann: {} }), 400, "`ann`"],
    ["ann as text", vector({ type: "[2]f32", ann: "yes" }), 422, "schema.vector.ann"],
    [
      "a vector without ann",
      vector("[2]f32"),
      400,
      '💔 the `vector` attribute must have `ann` set to `true`, eg: `"vector": { "type": ' +
        '"[2]f32", "ann": true }`',
    ],
    ["a vector with ann false", vector({ type: "[2]f32", ann: false }), 400, "must have `ann`"],
    [
      "another vector without ann",
      { ...COSINE, schema: { embedding: "[2]f32" }, upsert_rows: [{ id: 1, embedding: [1, 2] }] },
      400,
      "💔 vector attribute 'embedding' must have ann:true",
    ],
    [
      "a metric in ann alone",
      vector({ type: "[2]f32", ann: COSINE }, {}),
      400,
      "💔 `distance_metric` must be specified as a field at the top level of the write request, " +
        "not in the `ann` configuration for an attribute",
    ],
    [
      "another metric in ann",
      vector({ type: "[2]f32", ann: { distance_metric: "euclidean_squared" } }),
      400,
      "💔 distance metric mismatch, expected cosine_distance, got euclidean_squared",
    ],
    [
      "late interaction on one vector",
      vector({ type: "[2]f32", ann: { late_interaction: true } }),
      400,
      "`late_interaction`",
    ],
    [
      "sparse_knn on text",
      declare({ type: "string", sparse_knn: { distance_metric: "dot_product" } }),
      400,
      "{}f16",
    ],
    [
      "a sparse cosine",
      declare({ type: "{}f16", sparse_knn: { distance_metric: "cosine_distance" } }),
      422,
      "unknown variant `cosine_distance`",
    ],
  ];
  test.each(refusals)("%s is refused", async (_name, body, status, ...parts) => {
    const name = fresh();
    expectError(await write(name, body), status, ...parts);
    expect((await call("GET", `/v1/namespaces/${name}/schema`)).status).toBe(404);
  });

  const accepted: [name: string, body: unknown, echo: object][] = [
    ["an unknown option", declare({ type: "int", novelty: 1 }), { type: "int" }],
    ["an unknown full text option", text({ novelty: 1 }), { type: "string" }],
    ["the longest token length", text({ max_token_length: 254 }), { type: "string" }],
    ["the newest tokenizer", text({ tokenizer: "word_v4" }), { type: "string" }],
    ["case, where the default turns stop words off", text({ case_sensitive: true }), {}],
    ["greek, where the default turns stop words off", text({ language: "greek" }), {}],
    [
      "filterable bytes, which stay unfilterable",
      declare({ type: "bytes", filterable: true }),
      {
        filterable: false,
      },
    ],
    [
      "a filterable sparse vector",
      declare({ type: "{}f16", filterable: true }),
      {
        filterable: false,
      },
    ],
    ["ann false on a scalar", declare({ type: "string", ann: false }), { filterable: true }],
    [
      "regex beside filterable",
      declare({ type: "string", regex: true, filterable: true }),
      {
        filterable: true,
        regex: true,
      },
    ],
    ["fuzzy alone", declare({ type: "[]string", fuzzy: true }), { filterable: false, fuzzy: true }],
  ];
  test.each(accepted)("%s is accepted", async (_name, body, echo) => {
    const name = fresh();
    const answer = await write(name, body);
    expect(answer.status, answer.text).toBe(200);
    const { json } = await call("GET", `/v1/namespaces/${name}/schema`);
    expect(json.a).toMatchObject(echo);
  });

  test("an ann object may repeat the metric, and is echoed as true", async () => {
    const name = fresh();
    const ann = { ...COSINE, novelty: 1 };
    await write(name, vector({ type: "[2]f32", ann, filterable: true }));
    const { json } = await call("GET", `/v2/namespaces/${name}/schema`);
    expect(json.vector).toEqual({
      type: "[2]f32",
      ann: true,
      filterable: null,
      full_text_search: null,
    });
  });
});

describe("updates", () => {
  let name: string;
  const post = (body: unknown) => call("POST", `/v1/namespaces/${name}/schema`, body);

  beforeAll(async () => {
    name = fresh();
    await write(name, { ...COSINE, upsert_rows: [{ id: 1, vector: [1, 2], a: "x" }] });
  });

  const change = "🙅 invalid schema update for attribute ";
  const refusals: Refusal[] = [
    ["no JSON", "", 400, "Failed to parse the request body as JSON"],
    ["a list", [], 422, "invalid type: sequence"],
    ["a number", { a: 1 }, 422, `a: ${INPUT}`],
    ["a schema inside `schema`", { schema: { a: "string" } }, 422, "not inside `schema`"],
    ["another type", { a: "int" }, 400, `${change}'a': cannot change attribute type from string`],
    ["another id type", { id: "string" }, 400, `${change}'id': cannot change attribute type`],
    ["another dimension", { vector: { type: "[3]f32", ann: true } }, 400, "from [2]f32 to [3]f32"],
    ["another precision", { vector: { type: "[2]f16", ann: true } }, 400, "from [2]f32 to [2]f16"],
    ["no more ann", { vector: { type: "[2]f32", ann: false } }, 400, `${change}'vector'`],
    ["one more vector", { other: { type: "[2]f32", ann: true } }, 400, `${change}'other'`],
    ["embedding into a new vector", { a: { type: "string", embed: MODEL } }, 400, "embed_a"],
    ["a name with $", { $a: "string" }, 400, "must not start with `$`"],
  ];
  test.each(refusals)("%s is refused", async (_name, body, status, ...parts) => {
    const before = await call("GET", `/v1/namespaces/${name}/schema`);
    expectError(await post(body), status, ...parts);
    expect((await call("GET", `/v1/namespaces/${name}/schema`)).json).toEqual(before.json);
  });

  test("the answer is the whole schema, also to an empty change", async () => {
    const { json } = await call("GET", `/v1/namespaces/${name}/schema`);
    const empty = await post({});
    expect([empty.status, empty.json]).toEqual([200, json]);
    const repeated = await post({ id: "uint", vector: { type: "[2]f32", ann: true } });
    expect([repeated.status, repeated.json]).toEqual([200, json]);
  });

  test("null options change nothing, and the shorthand keeps filterable", async () => {
    await post({ t: { type: "string", full_text_search: true, filterable: false } });
    const kept = await post({ t: { type: "string", full_text_search: null, regex: null } });
    expect(kept.json.t.full_text_search).toMatchObject({ k1: 1.2 });
    const reset = await post({ t: "string" });
    expect(reset.json.t).toEqual({ type: "string", filterable: false, full_text_search: null });
  });
});

describe("embedding", () => {
  const embedding = (embed: unknown, rows: unknown[] = [{ id: 1, text: "a" }]) => ({
    ...COSINE,
    schema: { text: { type: "string", embed } },
    upsert_rows: rows,
  });
  const several = (letters: string) => ({
    ...COSINE,
    schema: Object.fromEntries(
      [...letters].map((letter) => [letter, { type: "string", embed: { model: MODEL, dims: 2 } }]),
    ),
    upsert_rows: [{ id: 1, ...Object.fromEntries([...letters].map((letter) => [letter, "x"])) }],
  });
  const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, text: "t" }));
  const into = (attribute: string) => ({ model: MODEL, dims: 2, attribute });
  const refusals: Refusal[] = [
    ["a number", embedding(1), 422, "schema.text.embed: invalid type"],
    ["no model", embedding({}), 422, "schema.text.embed: missing field `model`"],
    ["a model that is a number", embedding({ model: 1 }), 422, "schema.text.embed.model"],
    ["no dimension", embedding({ model: MODEL, dims: 0 }), 400, "dims must be between 1 and 10752"],
    ["10753 dimensions", embedding({ model: MODEL, dims: 10753 }), 400, "between 1 and 10752"],
    ["an unknown precision", embedding({ model: MODEL, dtype: "x" }), 422, "unknown variant `x`"],
    ["a target with $", embedding(into("$x")), 400, "must not start with `$`"],
    ["the id as target", embedding(into("id")), 400, "'id' cannot take embeddings"],
    ["the text as target", embedding(into("text")), 400, "'text' cannot take embeddings"],
    ["five attributes", several("abcde"), 400, "at most 4 embedded attributes"],
    ["31 documents", embedding({ model: MODEL, dims: 2 }, rows(31)), 400, "at most 30", "31"],
    ["null text", embedding(MODEL, [{ id: 1, text: null }]), 400, "upsert_rows[0].text"],
    [
      "an embedded number",
      { ...COSINE, schema: { n: { type: "int", embed: MODEL } }, upsert_rows: [{ id: 1, n: 1 }] },
      400,
      "`embed` is only supported on string",
    ],
    [
      "other dimensions than the target's",
      {
        ...COSINE,
        schema: {
          v: { type: "[3]f32", ann: true },
          text: { type: "string", embed: { model: MODEL, attribute: "v", dims: 4 } },
        },
        upsert_rows: [{ id: 1, text: "x" }],
      },
      400,
      "dims is 4",
    ],
  ];
  test.each(refusals)("%s is refused", async (_name, body, status, ...parts) => {
    const name = fresh();
    expectError(await write(name, body), status, ...parts);
    expect((await call("GET", `/v1/namespaces/${name}/schema`)).status).toBe(404);
  });

  test("limits are reached, with dimensions and precision as asked", async () => {
    expect((await write(fresh(), several("abcd"))).status).toBe(200);
    const name = fresh();
    const body = embedding({ model: MODEL, dims: 2, dtype: "f32" }, rows(30));
    expect((await write(name, body)).json.performance.embedding_tokens).toBe(30);
    const { json } = await call("GET", `/v1/namespaces/${name}/schema`);
    expect(json.embed_text.type).toBe("[2]f32");
    expect(json.text).not.toHaveProperty("embed");
  });

  test("own vectors count for nothing, and need no text", async () => {
    const own = Array.from({ length: 31 }, (_, id) => ({ id, embed_text: [1, 0] }));
    const answer = await write(fresh(), embedding({ model: MODEL, dims: 2 }, own));
    expect(answer.json.performance).not.toHaveProperty("embedding_tokens");
  });

  test("an embedded text is changed by upserts only, until it is embedded no more", async () => {
    const name = fresh();
    await write(name, embedding({ model: MODEL, dims: 4 }));
    const patch = { patch_rows: [{ id: 1, text: "b" }] };
    expectError(await write(name, patch), 400, "'text'", "upsert");
    await write(name, { schema: { text: { type: "string", embed: null } } });
    expect((await write(name, patch)).status).toBe(200);
    const upsert = { upsert_rows: [{ id: 2, text: "x" }] };
    expectError(await write(name, upsert), 400, "upsert_rows[0].embed_text");
  });

  test("queries name a model where the attribute has none", async () => {
    const name = fresh();
    await write(name, embedding({ model: MODEL, dims: 4 }));
    const near = (attribute: string, ...operands: unknown[]) =>
      query(name, { rank_by: [attribute, "ANN", ["Embed", ...operands]], limit: 1 });
    expect((await near("text", "x", { novelty: 1 })).status).toBe(200);
    expect((await near("embed_text", "x", { model: MODEL })).status).toBe(200);
    expectError(await near("embed_text", "x"), 400, "model");
    expectError(await near("embed_text", "x", { model: null }), 400, "model");
    expectError(await near("text"), 422, "rank_by");
    expectError(await near("text", 12), 422, "rank_by");
    const compute_attributes = { d: ["embed_text", "VectorDist", ["Embed", "x"]] };
    const computed = { rank_by: ["id", "asc"], limit: 1, compute_attributes };
    expectError(await query(name, computed), 422, "Embed");
  });
});
