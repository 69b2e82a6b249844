/** Text analysis, computed attributes and highlights on the wire. */

import { beforeAll, describe, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";
import {
  contractTable,
  idRows,
  scoredRows,
  withoutStats,
} from "../support/servers/contract-table.ts";

const { write, call, query, fresh } = contractServer("text");
const ns = "text";
const ask = (body: unknown) => query(ns, body);

beforeAll(async () => {
  const schema = {
    text: { type: "string", full_text_search: true },
    folded: { type: "string", full_text_search: { ascii_folding: true, stemming: true } },
    list: { type: "[]string", full_text_search: true },
    words: { type: "[]string", full_text_search: { tokenizer: "pre_tokenized_array" } },
    sparse: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
    likes: "uint",
  };
  const first = {
    id: 1,
    vector: [1, 0],
    text: "The First. A second one!\n\nThird paragraph here: dogs and cats. 🐡 dogs",
    folded: "Cafés visited",
    list: ["Dogs run. Cats sit.", "no"],
    words: ["a"],
    sparse: { a: 1 },
    likes: 3,
    n: 1,
  };
  const upsert_rows = [first, { id: 2, vector: [0, 1], n: -1 }];
  await write(ns, { distance_metric: "euclidean_squared", schema, upsert_rows });
});

describe("settings of full text", () => {
  const settings = (full_text_search: unknown, type = "string") => ({
    schema: { text: { type, full_text_search } },
    upsert_rows: [{ id: 1 }],
  });
  const tokens = (options: object) =>
    settings({ tokenizer: "pre_tokenized_array", ...options }, "[]string");
  const none = "stopword removal is not supported for language: ";
  const noPre = (name: string) => `cannot specify ${name} with \`pre_tokenized_array\` tokenizer`;
  const length = "max_token_length must be between 1 and 254";
  const written = expect.objectContaining({ status: "OK" });
  const languages =
    "arabic danish dutch english finnish french german greek hungarian italian norwegian " +
    "portuguese romanian russian spanish swedish tamil turkish";
  const wordless = ["arabic", "greek", "romanian", "tamil", "turkish"];

  contractTable(
    [
      ["k1 0", settings({ k1: 0 }), 400, "k1 must be greater than 0"],
      ["k1 above 0", settings({ k1: 1e-9 }), written],
      ["k1 as a string", settings({ k1: "1" }), 422, "schema.text.full_text_search.k1"],
      ["b 0", settings({ b: 0 }), written],
      ["b 1", settings({ b: 1 }), written],
      ["b below 0", settings({ b: -0.1 }), 400, "b must be between 0 and 1"],
      ["b above 1", settings({ b: 1.01 }), 400, "b must be between 0 and 1"],
      ["k3 0", settings({ k3: 0 }), 400, "k3 must be greater than 0"],
      ["tokens of 0", settings({ max_token_length: 0 }), 400, length],
      ["tokens of 1", settings({ max_token_length: 1 }), written],
      ["tokens of 254", settings({ max_token_length: 254 }), written],
      ["tokens of 255", settings({ max_token_length: 255 }), 400, length],
      ["tokens of -1", settings({ max_token_length: -1 }), 422, "max_token_length"],
      ["stemming as a string", settings({ stemming: "yes" }), 422, "stemming", "a boolean"],
      ["folding as a number", settings({ ascii_folding: 1 }), 422, "ascii_folding"],
      ["stop words as a number", settings({ remove_stopwords: 0 }), 422, "remove_stopwords"],
      ["another language", settings({ language: "klingon" }), 422, "unknown variant `klingon`"],
      ["another tokenizer", settings({ tokenizer: "word_v5" }), 422, "unknown variant `word_v5`"],
      ["unknown settings", settings({ nope: 1 }), written],
      ["a string", settings("yes"), 422, "schema.text.full_text_search"],
      ["numbers as text", settings(true, "int"), 400, "string and []string", "int"],
      [
        "stems by case",
        settings({ case_sensitive: true, stemming: true }),
        400,
        "stemming is not supported when case sensitivity is enabled",
      ],
      [
        "stop words by case",
        settings({ case_sensitive: true, remove_stopwords: true }),
        400,
        "stopword removal is not supported when case sensitivity is enabled",
      ],
      ["whole tokens", tokens({ case_sensitive: true, stemming: false }), written],
      ["whole tokens of strings", settings({ tokenizer: "pre_tokenized_array" }), 400, "[]string"],
      ["whole tokens, stemmed", tokens({ stemming: true }), 400, noPre("stemming")],
      ["without stop words", tokens({ remove_stopwords: true }), 400, noPre("remove_stopwords")],
      ["without case", tokens({ case_sensitive: false }), 400, "`pre_tokenized_array`"],
      ["in a language", tokens({ language: "english" }), 400, noPre("language")],
    ],
    (body) => write(fresh(), body),
  );

  test("all languages have stems, and most have stop words", async () => {
    const name = fresh();
    const schema = Object.fromEntries(
      languages.split(" ").map((language) => {
        const full_text_search = { language, stemming: true };
        return [language, { type: "string", full_text_search }];
      }),
    );
    expect((await write(name, { schema, upsert_rows: [{ id: 1 }] })).status).toBe(200);
    const { json } = await call("GET", `/v1/namespaces/${name}/schema`);
    for (const language of languages.split(" ")) {
      const remove_stopwords = !wordless.includes(language);
      expect(json[language].full_text_search).toMatchObject({ language, remove_stopwords });
    }
  });

  test.each(wordless)("stop words of %s", async (language) => {
    const answer = await write(fresh(), settings({ language, remove_stopwords: true }));
    expectError(answer, 400, none + language);
  });

  test("all tokenizers find words", async () => {
    const name = fresh();
    const versions = [0, 1, 2, 3, 4].map((version) => `word_v${version}`);
    const full = (tokenizer: string) => ({ type: "string", full_text_search: { tokenizer } });
    const schema = Object.fromEntries(versions.map((version) => [version, full(version)]));
    const texts = Object.fromEntries(versions.map((version) => [version, "one two"]));
    await write(name, { schema, upsert_rows: [{ id: 1, ...texts }] });
    const queries = versions.map((version) => ({ rank_by: [version, "BM25", "two"], limit: 1 }));
    const { json } = await query(name, { queries });
    expect(json.results).toEqual(versions.map(() => scoredRows([1, 0.28768212])));
  });
});

test("repeated query words saturate, and a prefix adds one", async () => {
  const name = fresh();
  await write(name, {
    schema: { text: { type: "string", full_text_search: true } },
    upsert_rows: [
      { id: 1, text: "fish fish swim" },
      { id: 2, text: "tank water" },
    ],
  });
  const score = async (...operands: unknown[]) =>
    (await query(name, { rank_by: ["text", "BM25", ...operands], limit: 1 })).json.rows[0].$dist;
  const once = await score("fish");
  expect(await score("fish fish")).toBeCloseTo(1.8 * once, 6);
  expect(await score("fish sw", { last_as_prefix: true })).toBeCloseTo(1 + once, 6);
});

test("repeated query words saturate by the `k3` that is declared", async () => {
  const rows = [
    { id: 1, text: "fish swim" },
    { id: 2, text: "tank water" },
  ];
  const score = async (k3: number, text: string) => {
    const name = fresh();
    await write(name, {
      schema: { text: { type: "string", full_text_search: { k3 } } },
      upsert_rows: rows,
    });
    const { json } = await query(name, { rank_by: ["text", "BM25", text], limit: 1 });
    return json.rows[0].$dist;
  };
  // 2 · (k3 + 1) / (2 + k3) and 3 · (k3 + 1) / (3 + k3) times as much.
  const once = await score(8, "fish");
  expect(once).toBeCloseTo(Math.log(2), 4);
  for (const [k3, twice, thrice] of [
    [0.5, 1.2, 9 / 7],
    [1, 4 / 3, 1.5],
    [8, 1.8, 27 / 11],
    [98, 1.98, 297 / 101],
  ] as const) {
    expect(await score(k3, "fish")).toBeCloseTo(once, 6);
    expect(await score(k3, "fish fish"), `k3 ${k3}`).toBeCloseTo(twice * once, 5);
    expect(await score(k3, "fish fish fish"), `k3 ${k3}`).toBeCloseTo(thrice * once, 5);
  }
});

describe("computed attributes", () => {
  const compute = (compute_attributes: unknown, extra: object = {}) => ({
    rank_by: ["id", "asc"],
    limit: 5,
    compute_attributes,
    ...extra,
  });
  const both = (a: unknown, b: unknown) => ({
    rows: [
      { id: 1, x: a },
      { id: 2, x: b },
    ],
  });
  const of = (expression: unknown) => compute({ x: expression });
  const place = "compute_attributes.x: ";
  const many = (count: number) =>
    compute(Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, ["n", "Gt", 0]])));
  contractTable(
    [
      ["a distance", of(["vector", "VectorDist", [1, 0]]), both(0, 2)],
      ["a distance from base64", of(["vector", "VectorDist", "AACAPwAAAAA="]), both(0, 2)],
      ["a filter", of(["n", "Gt", 0]), both(1, 0)],
      ["a sparse product", of(["sparse", "SparseKNN", { a: 2 }]), both(2, 0)],
      ["an attribute", of(["Attribute", "likes"]), both(3, 0)],
      ["tokens", of(["text", "ContainsAllTokens", "dogs"]), both(1, 0)],
      ["a prefix", of(["text", "BM25", "dog", { last_as_prefix: true }]), both(1, 0)],
      ["none", compute({}), idRows(1, 2)],
      ["255 too many", many(257), 400, "at most 256 computed attributes, got 257"],
      ["a distance to an embedding", of(["vector", "VectorDist", ["Embed", "x"]]), 422, "Embed"],
      ["another dimension", of(["vector", "VectorDist", [1]]), 400, place, "expected 2 dimensions"],
      ["of a number", of(["n", "VectorDist", [1]]), 400, place, "not a vector attribute"],
      ["no vector", of(["vector", "VectorDist"]), 422, "VectorDist expects one vector"],
      ["ANN", of(["vector", "ANN", [1, 0]]), 400, "cannot be part"],
      ["signed values", of(["Attribute", "n"]), 400, place, "non-negative"],
      ["an order", of(["n", "asc"]), 422, "an order stands alone"],
      ["a string", of("text"), 422, "compute_attributes.x"],
      ["nothing", of([]), 422, "compute_attributes.x"],
      ["a list", compute([]), 422, "compute_attributes: invalid type: sequence"],
      ["the name id", compute({ id: ["n", "Gt", 0] }), 400, "cannot be named `id`"],
      ["the name $dist", compute({ $dist: ["n", "Gt", 0] }), 400, "cannot be named `$dist`"],
      ["a misspelt function", of(["highlight", "text", {}]), 422, 'did you mean "Highlight"?'],
    ],
    ask,
  );

  test("256 of them", async () => {
    const { json } = await ask(many(256));
    expect(Object.keys(json.rows[0])).toHaveLength(257);
  });
});

describe("highlights", () => {
  const highlight = (
    options?: unknown,
    attribute = "text",
    rank_by: unknown = [attribute, "BM25", "dogs"],
  ) => ({
    rank_by,
    filters: ["id", "Eq", 1],
    limit: 1,
    compute_attributes: {
      x: ["Highlight", attribute, ...(options === undefined ? [] : [options])],
    },
  });
  const fragments = (...x: object[]) => ({ rows: [{ id: 1, $dist: expect.any(Number), x }] });
  const third = "Third paragraph here: dogs and cats. 🐡 dogs";
  const rank = (rank_fragments_by: unknown) => highlight({ rank_fragments_by });
  const offsets = (include_offsets: unknown) =>
    highlight({ include_offsets, fragment_by: "paragraph" });
  const at = (range: number[], ...matches: number[][]) =>
    fragments({ text: third, fragment_range: range, match_ranges: matches });
  const limit = (fragment_limit: unknown) => highlight({ fragment_limit, fragment_by: "word" });
  const word = { text: "dogs" };
  contractTable(
    [
      ["bytes", offsets("utf-8"), at([26, 72], [48, 52], [68, 72])],
      ["UTF-16 units", offsets("utf-16"), at([26, 70], [48, 52], [66, 70])],
      ["code points", offsets("codepoints"), at([26, 69], [48, 52], [65, 69])],
      ["another unit", offsets("utf8"), 422, "unknown variant `utf8`, expected one of `utf-8`"],
      ["words", highlight({ fragment_by: "word" }), fragments(word, word)],
      [
        "the whole",
        highlight({ fragment_by: "none" }),
        fragments({
          text: expect.stringMatching(/^The First.*dogs$/s),
        }),
      ],
      ["another fragment", highlight({ fragment_by: "line" }), 422, "unknown variant `line`"],
      [
        "nulls",
        highlight({ fragment_by: null, fragment_limit: null, include_offsets: null }),
        fragments(expect.anything()),
      ],
      ["1 fragment", limit(1), fragments(word)],
      ["1,024 fragments", limit(1024), fragments(word, word)],
      ["no fragment", limit(0), 400, "between 1 and 1024"],
      ["1,025 fragments", limit(1025), 400, "between 1 and 1024"],
      ["a limit as a string", limit("3"), 422, "fragment_limit"],
      [
        "ranked by $fragment",
        rank(["$fragment", "BM25", "second"]),
        fragments({
          text: "A second one!",
        }),
      ],
      [
        "ranked by the attribute",
        rank(["text", "BM25", "second"]),
        fragments({
          text: "A second one!",
        }),
      ],
      [
        "ranked by a filter",
        rank(["$fragment", "ContainsAnyToken", "first"]),
        fragments({
          text: "The First.",
        }),
      ],
      ["nothing found", rank(["$fragment", "BM25", "whales"]), fragments()],
      ["ranked by another attribute", rank(["list", "BM25", "dogs"]), 400, "no text clause"],
      ["ranked by vectors", rank(["$fragment", "ANN", [1]]), 400, "cannot be part"],
      ["ranked by an order", rank(["id", "asc"]), 422, "an order stands alone"],
      [
        "stems and folded letters",
        highlight({ include_offsets: "utf-8" }, "folded", ["folded", "BM25", "cafe visits"]),
        fragments({
          text: "Cafés visited",
          fragment_range: [0, 14],
          match_ranges: [
            [0, 6],
            [7, 14],
          ],
        }),
      ],
      ["elements", highlight({}, "list"), fragments({ text: "Dogs run.", array_index: 0 })],
      ["no text ranking", highlight({}, "text", ["id", "asc"]), 400, "give rank_fragments_by"],
      ["a ranking by vectors", highlight({}, "text", ["vector", "ANN", [1, 0]]), 400, "not a text"],
      ["a ranking of other text", highlight({}, "text", ["list", "BM25", "dogs"]), 400, "no text"],
      ["no full text", highlight({}, "n", ["text", "BM25", "x"]), 400, "`full_text_search`"],
      [
        "whole tokens",
        highlight({}, "words", ["words", "BM25", ["a"]]),
        400,
        "pre_tokenized_array",
      ],
      ["an unknown attribute", highlight({}, "zz", ["text", "BM25", "x"]), 400, '"zz" not found'],
      ["options as a list", highlight([]), 422, "compute_attributes.x[2]"],
      ["unknown options", highlight({ nope: 1, fragment_by: "word" }), fragments(word, word)],
    ],
    ask,
  );

  test("documents without the attribute have none", async () => {
    const x = ["Highlight", "text", { rank_fragments_by: ["$fragment", "BM25", "dogs"] }];
    const body = { filters: ["id", "Eq", 2], limit: 1, compute_attributes: { x } };
    expect(withoutStats(await ask(body))).toEqual({ rows: [{ id: 2, x: [] }] });
    const scored = { rank_by: ["n", "Lt", 0], limit: 1 };
    expect(withoutStats(await ask(scored))).toEqual(scoredRows([2, 1]));
  });
});
