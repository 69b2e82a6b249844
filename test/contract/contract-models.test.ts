/** Reranked and embedded queries on the wire. */

import { beforeAll, describe, expect, test } from "vitest";
import { ABOUT_MODEL, ANSWER_DOCUMENTS } from "../support/documents/answer-documents.ts";
import { contractServer, expectError } from "../support/servers/contract-server.ts";
import { contractTable } from "../support/servers/contract-table.ts";

const { write, call, query } = contractServer("models");
const ns = "models";
const ask = (body: unknown) => query(ns, body);
const COUNT = ["Count"];

beforeAll(async () => {
  await write(ns, ANSWER_DOCUMENTS);
});

describe("reranked queries", () => {
  const all = { rank_by: ["id", "asc"], limit: 3, include_attributes: ["text"] };
  const rerank_by = { model: "words", attribute: "text", query: "world" };
  const by = (change: object) => ({ ...all, rerank_by: { ...rerank_by, ...change } });
  const multi = (root: object, ...queries: object[]) => ({ queries, rerank_by, ...root });
  const texts = { 1: "hello world", 2: "bye" };
  const row = (id: 1 | 2, $dist: unknown) => ({ id, $dist, text: texts[id] });
  const half = expect.closeTo(Math.sqrt(0.5), 6);
  const best = row(1, half);
  const aggregates = { aggregate_by: { c: COUNT } };
  const textless = { id: 3 };
  contractTable(
    [
      ["of one query", { ...all, rerank_by }, { rows: [best, row(2, 0), textless] }],
      ["unknown members", by({ x: 1 }), { rows: [best, row(2, 0), textless] }],
      [
        "its limit and offset choose what is reranked",
        { ...all, limit: 1, offset: 1, rerank_by },
        { rows: [row(2, 0)] },
      ],
      [
        "null",
        { ...all, rerank_by: null },
        { rows: [1, 2, 3].map((id) => ({ id, ...(id < 3 && { text: texts[id as 1] }) })) },
      ],
      [
        "of a single query of several",
        multi({}, all),
        { results: [{ rows: [best, row(2, 0), textless] }] },
      ],
      [
        "documents of several queries, each once",
        multi({}, { ...all, limit: 1 }, all),
        { results: [{ rows: [best, row(2, 0), textless] }] },
      ],
      ["a limit", multi({ limit: 1 }, all, all), { results: [{ rows: [best] }] }],
      ["a total", multi({ limit: { total: 2 } }, all), { results: [{ rows: [best, row(2, 0)] }] }],
      ["an offset", multi({ limit: 1, offset: 1 }, all, all), { results: [{ rows: [row(2, 0)] }] }],
      ["an offset without a limit", multi({ offset: 1 }, all), 400, "requires rerank_by and limit"],
      [
        "a limit per key",
        multi({ limit: { total: 1, per: { attributes: ["n"], limit: 1 } } }, all),
        400,
        "limit.per",
      ],
      ["a window too wide", multi({ limit: 9999, offset: 1 }, all), 400, "must be less than 10000"],
      [
        "true",
        { ...all, include_attributes: true, limit: 1, rerank_by },
        { rows: [expect.objectContaining(best)] },
      ],
      [
        "exclusion of others",
        { ...all, include_attributes: null, exclude_attributes: ["n"], limit: 1, rerank_by },
        { rows: [expect.objectContaining(best)] },
      ],
      [
        "exclusion of it",
        { ...all, include_attributes: null, exclude_attributes: ["text"], rerank_by },
        400,
        '"text" must be part of include_attributes',
      ],
      [
        "nothing included",
        { rank_by: ["id", "asc"], limit: 1, rerank_by },
        400,
        "include_attributes",
      ],
      [
        "others included",
        { ...all, include_attributes: ["n"], rerank_by },
        400,
        "include_attributes",
      ],
      [
        "one query without it",
        multi({}, all, { ...all, include_attributes: false }),
        400,
        '"text" must be part of queries[1].include_attributes',
      ],
      [
        "a model that is not there",
        by({ model: "wrods" }),
        400,
        'rerank_by.model "wrods" is none that this server has: words; the nearest is "words"',
      ],
      ["a long model", by({ model: "m".repeat(257) }), 400, "at most 256 characters"],
      ["no model", by({ model: undefined }), 422, "rerank_by: missing field `model`"],
      ["no attribute", by({ attribute: undefined }), 422, "rerank_by: missing field `attribute`"],
      ["no query", by({ query: undefined }), 422, "rerank_by: missing field `query`"],
      ["a model as a number", by({ model: 1 }), 422, "rerank_by.model: invalid type"],
      ["a query as a list", by({ query: ["a"] }), 422, "rerank_by.query: invalid type"],
      ["an attribute that is null", by({ attribute: null }), 422, "rerank_by.attribute"],
      ["an empty query", by({ query: "" }), 400, "rerank_by.query must not be empty"],
      ["a long query", by({ query: "q".repeat(8193) }), 400, "at most 8192 characters"],
      [
        "a number's attribute",
        { ...all, include_attributes: ["n"], rerank_by: { ...rerank_by, attribute: "n" } },
        400,
        'rerank_by.attribute "n" must be of type string, but is int',
      ],
      [
        "the id",
        { ...all, include_attributes: ["id"], rerank_by: { ...rerank_by, attribute: "id" } },
        400,
        "must be of type string, but is the id",
      ],
      [
        "an attribute that is not there",
        { ...all, include_attributes: true, rerank_by: { ...rerank_by, attribute: "txet" } },
        400,
        'invalid rerank_by.attribute: attribute "txet" not found in schema; the nearest is "text"',
      ],
      [
        "too many documents",
        { ...all, limit: 1001, rerank_by },
        400,
        "at most 1000 documents, but the query's limit is 1001",
      ],
      [
        "too many documents together",
        multi({ limit: 5 }, { ...all, limit: 501 }, { ...all, limit: 500 }),
        400,
        "at most 1000 documents, but the limits of the queries add up to 1001",
      ],
      ["aggregates", { ...aggregates, rerank_by }, 400, "queries that aggregate"],
      ["aggregates of several", multi({}, all, aggregates), 400, "queries that aggregate"],
      ["a string", { ...all, rerank_by: "words" }, 400, "requires `queries`"],
    ],
    ask,
  );

  test("explained, it is the first step of the plan", async () => {
    const answer = await call("POST", `/v2/namespaces/${ns}/explain_query`, { ...all, rerank_by });
    expect(answer.json.plan_text).toMatch(/^Rerank: by text, model words,/);
    const bad = await call("POST", `/v2/namespaces/${ns}/explain_query`, by({ model: "x" }));
    expectError(bad, 400, "none that this server has");
  });
});

describe("embedded queries", () => {
  const near = (...embed: unknown[]) => ({
    rank_by: ["about", "ANN", ["Embed", ...embed]],
    limit: 1,
  });
  const vector = (...embed: unknown[]) => ({
    rank_by: ["embed_about", "ANN", ["Embed", ...embed]],
    limit: 1,
  });
  // Stored as float16, so the same text is not quite at distance 0.
  const found = { rows: [{ id: 1, $dist: expect.closeTo(0, 6) }] };
  contractTable(
    [
      ["of the source", near("a"), found],
      ["of the source, with a model", near("a", { model: ABOUT_MODEL }), found],
      ["of the vectors, with a model", vector("a", { model: ABOUT_MODEL, x: 1 }), found],
      ["of the vectors, without", vector("a"), 400, "needs a model"],
      ["of the vectors, with null", vector("a", { model: null }), 400, "needs a model"],
      ["without text", near(), 422, "Embed expects a text"],
      ["of a number", near(12), 422, "Embed expects a text"],
      ["with a model's name alone", near("a", ABOUT_MODEL), 422, "rank_by[2][2]"],
      ["with a number as model", near("a", { model: 1 }), 422, "rank_by[2][2].model"],
      [
        "of a number's attribute",
        { rank_by: ["n", "ANN", ["Embed", "a"]], limit: 1 },
        400,
        "`embed`",
      ],
      [
        "a vector for the source",
        { rank_by: ["about", "ANN", [1]], limit: 1 },
        400,
        "not a vector",
      ],
    ],
    ask,
  );

  test("16 of them count their tokens together", async () => {
    const answer = await ask({ queries: Array.from({ length: 16 }, (_, i) => near(`t${i}`)) });
    expect(answer.json.performance).toMatchObject({
      embedding_tokens: 16,
      embedding_ms: expect.any(Number),
    });
  });
});
