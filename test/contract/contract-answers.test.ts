/** Aggregates, multi-queries, fusion, plans and recall on the wire. */

import { beforeAll, describe, expect, test } from "vitest";
import { ANSWER_DOCUMENTS } from "../support/documents/answer-documents.ts";
import { contractServer, expectError } from "../support/servers/contract-server.ts";
import { contractTable, scoredRows } from "../support/servers/contract-table.ts";

const { write, call, query } = contractServer("answers");
const ns = "answers";
const ask = (body: unknown) => query(ns, body);
const COUNT = ["Count"];

beforeAll(async () => {
  await write(ns, ANSWER_DOCUMENTS);
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
