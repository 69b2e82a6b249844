/** Aggregates, multi-queries, fusion, embedding, plans and recall on the wire. */

import { beforeAll, describe, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";
import { contractTable, scoredRows } from "../support/servers/contract-table.ts";

const { write, call, query } = contractServer("answers");
const ns = "answers";
const ask = (body: unknown) => query(ns, body);
const COUNT = ["Count"];
const MODEL = "openai/text-embedding-3-small";

beforeAll(async () => {
  const schema = {
    text: { type: "string", full_text_search: true },
    about: { type: "string", embed: MODEL },
    price: "float",
    at: "datetime",
    hidden: { type: "int", filterable: false },
  };
  const upsert_rows = [
    {
      id: 1,
      vector: [1, 0],
      about: "a",
      text: "hello world",
      kind: "a",
      n: 1,
      price: 0.1,
      tags: ["x", "y", "x"],
      sizes: [1],
      hidden: 3,
      at: "2024-01-01",
    },
    { id: 2, vector: [0, 1], about: "b", text: "bye", kind: "a", n: 5, price: 1e300, tags: [] },
    { id: 3, vector: [1, 1], about: "c", kind: "b", n: -7 },
  ];
  await write(ns, { distance_metric: "cosine_distance", schema, upsert_rows });
});

describe("aggregates", () => {
  const sum = (attribute: unknown) => ({ aggregate_by: { s: ["Sum", attribute] } });
  const count = (extra: object) => ({ aggregate_by: { c: COUNT }, ...extra });
  const labels = (names: string) => ({
    aggregate_by: Object.fromEntries([...names].map((name) => [name, COUNT])),
  });
  const expected = 'expected ["Count"] or ["Sum", attribute]';
  const kinds = [
    { kind: "a", c: 2 },
    { kind: "b", c: 1 },
  ];
  const by = (...group_by: unknown[]) => count({ group_by });
  const unique = (name: string, attribute: string) => ({ [name]: ["ForEachUnique", attribute] });
  const tooMany = "must be between 0 and 10000";
  contractTable(
    [
      ["Count of id", { aggregate_by: { c: ["Count", "id"] } }, { aggregations: { c: 3 } }],
      ["Count of another attribute", { aggregate_by: { c: ["Count", "n"] } }, 400, '["Count"]'],
      ["Sum of floats, however large", sum("price"), { aggregations: { s: 1e300 } }],
      ["Sum of what is not filterable", sum("hidden"), { aggregations: { s: 3 } }],
      ["Sum of strings", sum("text"), 400, "int, uint or float", "string"],
      ["Sum of datetimes", sum("at"), 400, "datetime"],
      ["Sum of arrays", sum("sizes"), 400, "[]int"],
      ["Sum of ids", sum("id"), 400, "is the id"],
      ["Sum of an unknown attribute", sum("zz"), 400, '"zz" not found'],
      ["Sum of nothing", { aggregate_by: { s: ["Sum"] } }, 422, expected],
      ["a function as a string", { aggregate_by: { c: "Count" } }, 422, expected],
      ["a function without label", { aggregate_by: COUNT }, 422, "aggregate_by"],
      ["another function", { aggregate_by: { c: ["Avg", "n"] } }, 422, expected],
      ["none", { aggregate_by: {} }, 400, "cannot be empty"],
      [
        "eight",
        labels("abcdefgh"),
        {
          aggregations: Object.fromEntries([..."abcdefgh"].map((name) => [name, 3])),
        },
      ],
      ["nine", labels("abcdefghi"), 400, "at most 8", "got 9"],
      ["include_attributes", count({ include_attributes: ["n"] }), 400, "include_attributes"],
      ["exclude_attributes", count({ exclude_attributes: ["n"] }), 400, "exclude_attributes"],
      ["compute_attributes", count({ compute_attributes: {} }), 400, "compute_attributes"],
      ["offset", count({ offset: 1, group_by: ["kind"] }), 400, "offset"],
      ["top_k without groups", count({ top_k: 5 }), 400, "top_k requires group_by"],
      ["limit with empty group_by", count({ limit: 5, group_by: [] }), 400, "requires group_by"],
      [
        "distance_metric",
        count({ distance_metric: "euclidean_squared" }),
        {
          aggregations: { c: 3 },
        },
      ],
      ["group_by alone", { group_by: ["kind"], limit: 1 }, 400, "requires aggregate_by"],
      ["groups", by("kind"), { aggregation_groups: kinds }],
      ["groups up to a limit", { ...by("kind"), limit: 1 }, { aggregation_groups: [kinds[0]] }],
      ["groups up to top_k", { ...by("kind"), top_k: 1 }, { aggregation_groups: [kinds[0]] }],
      ["no groups", { ...by("kind"), top_k: 0 }, { aggregation_groups: [] }],
      ["10,000 groups", { ...by("kind"), top_k: 10_000 }, { aggregation_groups: kinds }],
      ["10,001 groups", { ...by("kind"), top_k: 10_001 }, 400, tooMany],
      [
        "groups of datetimes, null first",
        by("at"),
        {
          aggregation_groups: [
            { at: null, c: 2 },
            { at: "2024-01-01T00:00:00.000000000Z", c: 1 },
          ],
        },
      ],
      ["groups by id", by("id"), 400, "group_by[0]"],
      ["groups by one key twice", by("kind", "kind"), 400, "group_by[1]: duplicate"],
      ["groups by a label", { aggregate_by: { kind: COUNT }, group_by: ["kind"] }, 400, "label"],
      ["groups by arrays", by("tags"), 400, '{"name": ["ForEachUnique", "tags"]}'],
      ["groups by vectors", by("vector"), 400, "[2]f32"],
      ["groups by an unknown attribute", by("zz"), 400, '"zz" not found'],
      ["groups as a string", count({ group_by: "kind" }), 422, "group_by"],
      ["groups by a number", by(1), 422, "group_by[0]"],
      [
        "each unique element",
        by(unique("t", "tags")),
        {
          aggregation_groups: [
            { t: null, c: 1 },
            { t: "x", c: 1 },
            { t: "y", c: 1 },
          ],
        },
      ],
      ["two of them", by(unique("t", "tags"), unique("s", "sizes")), 400, "at most one"],
      ["two in one", by({ ...unique("t", "tags"), ...unique("s", "sizes") }), 422, "group_by[0]"],
      ["of a scalar", by(unique("k", "kind")), 400, "array attribute, not string"],
      ["under a used name", by("kind", unique("kind", "tags")), 400, "duplicate"],
      ["under a label", by(unique("c", "tags")), 400, "label"],
      ["another grouping", by({ t: ["ForEach", "tags"] }), 422, "ForEachUnique"],
    ],
    ask,
  );

  test("sums of no floats are floats", async () => {
    const answer = await ask({ ...sum("price"), filters: ["id", "Eq", 3] });
    expect(answer.text).toContain('"aggregations":{"s":0.0}');
  });
});

describe("multi-queries", () => {
  const TEXT = { rank_by: ["text", "BM25", "hello"], limit: 3 };
  const VECTOR = { rank_by: ["vector", "ANN", [1, 0]], limit: 3 };
  const GROUP = { aggregate_by: { c: COUNT } };
  const near = scoredRows([1, 0], [3, 0.29289323], [2, 1]);
  const multi = (...queries: unknown[]) => ({ queries });
  const rrf = (options?: unknown, extra: object = {}) => ({
    queries: [TEXT, VECTOR],
    rerank_by: options === undefined ? ["RRF"] : ["RRF", options],
    ...extra,
  });
  const sixty = scoredRows([1, 0.032786883], [3, 0.016129032], [2, 0.015873017]);
  const ten = scoredRows([1, 0.27272728], [3, 0.083333336], [2, 0.07692308]);
  const greatest = 3.4028235e38;
  const atRoot = "can only be set at the root";
  const form = 'expected ["RRF"]';
  contractTable(
    [
      [
        "16 queries",
        multi(...Array(16).fill(GROUP)),
        {
          results: Array(16).fill({ aggregations: { c: 3 } }),
        },
      ],
      ["17 queries", multi(...Array(17).fill(GROUP)), 400, "between 1 and 16 elements, got 17"],
      ["no queries", multi(), 400, "got 0"],
      ["queries as an object", { queries: {} }, 422, "queries: invalid type: map"],
      ["null as a query", multi(null), 422, "queries[0]"],
      ["an encoding within", multi({ ...VECTOR, vector_encoding: "float" }), 400, atRoot],
      ["consistency within", multi({ ...VECTOR, consistency: { level: "strong" } }), 400, atRoot],
      ["queries within", multi({ queries: [VECTOR] }), 400, atRoot],
      ["fusion within", multi({ ...VECTOR, rerank_by: ["RRF"] }), 400, atRoot],
      ["rank_by beside", { ...multi(VECTOR), rank_by: ["id", "asc"] }, 400, "in each subquery"],
      ["filters beside", { ...multi(VECTOR), filters: ["id", "Eq", 1] }, 400, "in each subquery"],
      ["a limit without fusion", { ...multi(VECTOR), limit: 1 }, { results: [near] }],
      ["top_k without fusion", { ...multi(VECTOR), top_k: 0 }, { results: [near] }],
      [
        "a fault of binding",
        multi(VECTOR, { ...TEXT, rank_by: ["n", "BM25", "x"] }),
        400,
        '💔 queries[1]: invalid rank_by field "n"',
      ],
      [
        "a fault of a filter",
        multi(VECTOR, { filters: ["n", "Eq", "x"], limit: 1 }),
        400,
        "queries[1]: filter error in key `n`: type mismatch, Eq expects int, but got 'x'",
      ],
      ["a fault of shape", multi(VECTOR, { rank_by: ["x"], limit: 1 }), 422, "queries[1].rank_by"],
      ["no limit", multi({ rank_by: ["id", "asc"] }), 400, "queries[0]: rank_by queries must"],
      ["an empty query", multi({}), 400, "queries[0]: query must specify"],
      ["RRF", rrf(), { results: [sixty] }],
      ["RRF with no options", rrf({}), { results: [sixty] }],
      ["RRF with null", rrf({ rank_constant: null, weights: null }), { results: [sixty] }],
      ["constant and weights", rrf({ rank_constant: 10, weights: [2, 1] }), { results: [ten] }],
      ["a limit", rrf(undefined, { limit: 1 }), { results: [{ rows: sixty.rows.slice(0, 1) }] }],
      [
        "top_k and offset",
        rrf(undefined, { top_k: 1, offset: 1 }),
        {
          results: [{ rows: sixty.rows.slice(1, 2) }],
        },
      ],
      [
        "a total",
        rrf(undefined, { limit: { total: 1 } }),
        { results: [{ rows: sixty.rows.slice(0, 1) }] },
      ],
      [
        "a total and offset",
        rrf(undefined, { limit: { total: 5 }, offset: 2 }),
        { results: [{ rows: sixty.rows.slice(2) }] },
      ],
      ["an offset beyond", rrf(undefined, { limit: 1, offset: 9 }), { results: [{ rows: [] }] }],
      [
        "an offset in a query",
        multi({ ...VECTOR, offset: 1 }),
        { results: [scoredRows([3, 0.29289323], [2, 1])] },
      ],
      [
        "an offset without a limit",
        rrf(undefined, { offset: 1 }),
        400,
        "requires rerank_by and limit",
      ],
      [
        "an offset without fusion",
        { ...multi(VECTOR), limit: 1, offset: 1 },
        400,
        "requires rerank_by and limit",
      ],
      ["a window too wide", rrf({}, { limit: 9999, offset: 1 }), 400, "must be less than 10000"],
      ["a negative offset", rrf({}, { limit: 1, offset: -1 }), 422, "offset"],
      ["a fractional offset", rrf({}, { limit: 1, offset: 0.5 }), 422, "offset"],
      ["a total as a string", rrf({}, { limit: { total: "1" } }), 422, "LimitInput"],
      ["a limit without a total", rrf({}, { limit: {} }), 422, "LimitInput"],
      ["a negative limit", rrf({}, { limit: -1 }), 422, "LimitInput"],
      ["total 0", rrf({}, { limit: { total: 0 } }), 400, "limit.total must be between 1 and 10000"],
      ["an offset of aggregates", multi({ ...GROUP, offset: 1 }), 400, "queries[0].offset"],
      [
        "an offset without a ranking",
        multi({ limit: 1, offset: 1 }),
        400,
        "queries[0].offset requires rank_by",
      ],
      ["top_k 0", rrf(undefined, { top_k: 0 }), 400, "top_k must be between 1 and 10000"],
      [
        "weights beyond float32",
        rrf({ weights: [1e308, 1e308] }),
        {
          results: [scoredRows([1, greatest], [2, greatest], [3, greatest])],
        },
      ],
      [
        "constant 1",
        rrf({ rank_constant: 1 }),
        {
          results: [scoredRows([1, 1], [3, 0.33333334], [2, 0.25])],
        },
      ],
      ["constant 0", rrf({ rank_constant: 0 }), 400, "an integer greater than 0"],
      ["a fractional constant", rrf({ rank_constant: 1.5 }), 422, "rank_constant"],
      ["too few weights", rrf({ weights: [1] }), 400, "each of the 2 subqueries, got 1"],
      ["weight 0", rrf({ weights: [0, 1] }), 400, "weights[0] must be greater than 0"],
      ["a weight as a string", rrf({ weights: ["1", 1] }), 422, "weights[0]"],
      ["weights as a number", rrf({ weights: 1 }), 422, "weights"],
      ["one query", { ...multi(TEXT), rerank_by: ["RRF"] }, 400, "at least two subqueries"],
      ["aggregates", { ...multi(TEXT, GROUP), rerank_by: ["RRF"] }, 400, "aggregate"],
      [
        "per with fusion",
        rrf({}, { limit: { total: 1, per: { attributes: ["n"], limit: 1 } } }),
        400,
        "limit.per",
      ],
      ["RRF as a string", { ...rrf(), rerank_by: "RRF" }, 422, form],
      ["another fusion", { ...rrf(), rerank_by: ["Borda"] }, 422, form],
      ["options as a list", rrf([]), 422, "rerank_by[1]"],
      ["fusion of one query", { ...TEXT, rerank_by: ["RRF"] }, 400, "requires `queries`"],
    ],
    ask,
  );
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
      ["of the source, with a model", near("a", { model: MODEL }), found],
      ["of the vectors, with a model", vector("a", { model: MODEL, x: 1 }), found],
      ["of the vectors, without", vector("a"), 400, "needs a model"],
      ["of the vectors, with null", vector("a", { model: null }), 400, "needs a model"],
      ["without text", near(), 422, "Embed expects a text"],
      ["of a number", near(12), 422, "Embed expects a text"],
      ["with a model's name alone", near("a", MODEL), 422, "rank_by[2][2]"],
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

describe("plans and recall", () => {
  const recall = (body: unknown) => call("POST", `/v1/namespaces/${ns}/_debug/recall`, body);
  const exact = (count: number) => ({
    avg_recall: 1,
    avg_exhaustive_count: count,
    avg_ann_count: count,
  });
  const rank_by = ["vector", "ANN", [1, 0]];
  contractTable(
    [
      ["no body", "", exact(3)],
      ["defaults", {}, exact(3)],
      ["nulls", { num: null, top_k: null, filters: null, rank_by: null }, exact(3)],
      ["a number and top_k", { num: 2, top_k: 2 }, exact(2)],
      ["filters", { filters: ["n", "Gt", 0] }, exact(2)],
      ["a query", { rank_by, num: 1 }, exact(3)],
      ["a query more than once", { rank_by, num: 2 }, 400, "num must be 1 or absent"],
      ["a query without vectors", { rank_by: ["id", "asc"] }, 400, "only be measured for ANN"],
      ["num 0", { num: 0 }, 400, "num"],
      ["negative num", { num: -1 }, 422, "num"],
      ["top_k 0", { top_k: 0 }, 400, "top_k"],
      ["no boolean", { include_ground_truth: "x" }, 422, "include_ground_truth"],
      ["a list", [], 422, "invalid type: sequence"],
    ],
    recall,
  );

  test("the ground truth comes when asked for", async () => {
    const answer = await recall({ num: 1, top_k: 1, include_ground_truth: true });
    const [{ query_vector, nearest_neighbors }] = answer.json.ground_truth;
    expect(nearest_neighbors).toMatchObject([{ $dist: 0, vector: query_vector }]);
    expect(nearest_neighbors[0].id).toEqual(expect.any(Number));
  });

  test("every query has a plan, and faults are those of the query", async () => {
    const explain = (body: unknown) => call("POST", `/v2/namespaces/${ns}/explain_query`, body);
    const plan = await explain({ rank_by: ["text", "BM25", "hello"], limit: 1 });
    expect([plan.status, plan.json]).toEqual([200, { plan_text: expect.stringMatching(/BM25/) }]);
    const fused = { queries: [{ limit: 1 }, { limit: 1 }], rerank_by: ["RRF"] };
    expect((await explain(fused)).json.plan_text).toMatch(/RRF/);
    expectError(await explain({ rank_by: ["x"], limit: 1 }), 422, "rank_by");
  });
});
