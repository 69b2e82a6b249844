import { describe, expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { DatabaseError } from "../../base/errors.ts";
import { runSteps } from "../../base/steps.ts";
import { GROUP_ATTRIBUTES_MAX } from "../../model/contract-limits.ts";
import type { DocumentQuery, QueryRequest } from "../../model/query.ts";
import { parseQueryBody } from "./parse-query.ts";

const encoder = new TextEncoder();

function parse(body: unknown): QueryRequest {
  return runSteps(
    parseQueryBody(encoder.encode(typeof body === "string" ? body : JSON.stringify(body))),
  );
}

function parseDocuments(body: object): DocumentQuery {
  const [query] = parse({ limit: 10, ...body }).queries;
  if (query.kind !== "documents") throw new Error("not a query for documents");
  return query;
}

/** Status and text of the error that `body` gives. */
function fault(body: unknown): string {
  try {
    parse(body);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return `${error.code}: ${error.message}`;
  }
  return "accepted";
}

const BY_ID = ["id", "asc"];

describe("query members", () => {
  test("null and unknown members count as absent", () => {
    const query = parseDocuments({
      rank_by: BY_ID,
      filters: null,
      include_attributes: null,
      exclude_attributes: null,
      compute_attributes: null,
      aggregate_by: null,
      group_by: null,
      vector_encoding: null,
      consistency: null,
      distance_metric: null,
      queries: null,
      rerank_by: null,
      offset: null,
      top_k: null,
      no_such_member: [{}],
    });
    expect(query).toEqual({
      kind: "documents",
      rankBy: { kind: "order", keys: [{ attribute: "id", direction: "asc" }] },
      filter: undefined,
      limit: 10,
      limitPer: undefined,
      offset: 0,
      selection: { kind: "none" },
      computed: new Map(),
      distanceMetric: undefined,
    });
  });

  test("a query with only filters and a limit is ordered by id", () => {
    expect(parseDocuments({ filters: ["a", "Eq", 1] }).rankBy).toEqual({
      kind: "order",
      keys: [{ attribute: "id", direction: "asc" }],
    });
  });

  test("request-wide members have defaults and take their values", () => {
    const plain = parse({ rank_by: BY_ID, limit: 1 });
    expect(plain).toMatchObject({ kind: "single", consistency: "strong", vectorEncoding: "float" });
    const set = parse({
      rank_by: BY_ID,
      limit: 1,
      consistency: { level: "eventual", ignored: 1 },
      vector_encoding: "base64",
      distance_metric: "cosine_distance",
    });
    expect(set).toMatchObject({ consistency: "eventual", vectorEncoding: "base64" });
    expect(set.queries[0]).toMatchObject({ distanceMetric: "cosine_distance" });
  });

  test.each([
    [{ include_attributes: true }, { kind: "all" }],
    [{ include_attributes: false }, { kind: "none" }],
    [{ include_attributes: ["a", "id"] }, { kind: "include", names: new Set(["a", "id"]) }],
    [{ include_attributes: [] }, { kind: "include", names: new Set() }],
    [{ exclude_attributes: ["a"] }, { kind: "exclude", names: new Set(["a"]) }],
  ])("%j selects attributes", (members, selection) => {
    expect(parseDocuments({ rank_by: BY_ID, ...members }).selection).toEqual(selection);
  });

  test("keys of a limit are found among many names", () => {
    const names = Array.from({ length: 4096 }, (_, i) => `attribute${i}`);
    const keys = names.slice(-GROUP_ATTRIBUTES_MAX);
    const limit = { total: 5, per: { attributes: keys, limit: 1 } };
    const query = parseDocuments({ rank_by: BY_ID, limit, include_attributes: names });
    expect(query.limitPer?.attributes).toEqual(keys);
    keys[0] = "another";
    expect(fault({ rank_by: BY_ID, limit, include_attributes: names })).toContain(
      'limit.per: attribute "another" must be part of',
    );
  });

  test("limits have at most 64 keys", () => {
    const attributes = Array.from({ length: GROUP_ATTRIBUTES_MAX + 1 }, (_, i) => `a${i}`);
    const limit = { total: 5, per: { attributes, limit: 1 } };
    expect(fault({ rank_by: BY_ID, limit, include_attributes: attributes })).toContain(
      "limit.per.attributes: at most 64 attributes, got 65",
    );
  });

  test.each([
    [{ limit: 5 }, 5, undefined],
    [{ top_k: 5 }, 5, undefined],
    [{ top_k: 5, limit: 5 }, 5, undefined],
    [{ top_k: 5, limit: null }, 5, undefined],
    [{ limit: 10_000 }, 10_000, undefined],
    [{ limit: { total: 5, per: null, other: 1 } }, 5, undefined],
    [
      { limit: { total: 5, per: { attributes: ["a"], limit: 2 } }, include_attributes: ["a"] },
      5,
      { attributes: ["a"], limit: 2 },
    ],
  ])("%j bounds the documents", (members, limit, limitPer) => {
    const [query] = parse({ rank_by: BY_ID, ...members }).queries;
    expect(query).toMatchObject({ limit });
    expect((query as DocumentQuery).limitPer).toEqual(limitPer);
  });

  test.each<[unknown, string]>([
    ["[]", "malformed: "],
    ['"x"', "malformed: "],
    ["{", "invalid: Failed to parse the request body as JSON: "],
    ["", "invalid: Failed to parse the request body as JSON: "],
    [{}, "invalid: 💔 query must specify rank_by or aggregate_by"],
    [{ rank_by: BY_ID }, "invalid: 💔 rank_by queries must specify top_k or limit"],
    [{ rank_by: BY_ID, limit: null }, "invalid: 💔 rank_by queries must specify top_k or limit"],
    [{ rank_by: BY_ID, top_k: 0 }, "invalid: 💔 top_k must be between 1 and 10000"],
    [{ rank_by: BY_ID, top_k: 10_001 }, "invalid: 💔 top_k must be between 1 and 10000"],
    [{ rank_by: BY_ID, top_k: -1 }, "malformed: "],
    [{ rank_by: BY_ID, top_k: "5" }, "top_k: invalid type: string"],
    ['{"rank_by":["id","asc"],"top_k":1.0}', "top_k: invalid type: floating point `1.0`"],
    [{ rank_by: BY_ID, limit: 0 }, "invalid: 💔 limit must be between 1 and 10000"],
    [{ rank_by: BY_ID, limit: 2, top_k: 3 }, "invalid: 💔 cannot specify both top_k and limit"],
    [{ rank_by: BY_ID, limit: "x" }, "data did not match any variant of untagged enum LimitInput"],
    [{ rank_by: BY_ID, limit: -1 }, "data did not match any variant of untagged enum LimitInput"],
    ['{"rank_by":["id","asc"],"limit":1.0}', "malformed: "],
    [{ rank_by: BY_ID, limit: {} }, "data did not match any variant of untagged enum LimitInput"],
    [{ rank_by: BY_ID, limit: { total: 0 } }, "invalid: 💔 limit.total must be between 1 and"],
    [
      { rank_by: BY_ID, limit: { total: 5, per: { attributes: [], limit: 1 } } },
      "invalid: 💔 limit.per.attributes must name at least one attribute",
    ],
    [
      { rank_by: BY_ID, limit: { total: 5, per: { attributes: ["a"], limit: 6 } } },
      "invalid: 💔 limit.per.limit must be an integer between 1 and limit.total",
    ],
    [
      { rank_by: BY_ID, limit: { total: 5, per: { attributes: ["a"], limit: 1.5 } } },
      "invalid: 💔 limit.per.limit must be an integer",
    ],
    [
      { rank_by: BY_ID, limit: { total: 5, per: { attributes: ["id"], limit: 1 } } },
      'invalid: 💔 limit.per: attribute "id" must be part of `include_attributes`',
    ],
    [{ rank_by: BY_ID, limit: { total: 5, per: 3 } }, "malformed: "],
    [{ rank_by: BY_ID, limit: 5, offset: -1 }, "malformed: "],
    [{ rank_by: BY_ID, limit: 5, offset: "1" }, "malformed: "],
    [{ rank_by: BY_ID, limit: 5, offset: 1.5 }, "malformed: "],
    [{ filters: ["a", "Eq", 1], limit: 5, offset: 1 }, "invalid: 💔 offset requires rank_by"],
    [{ rank_by: BY_ID, limit: 5000, offset: 5000 }, "invalid: 💔 limit + offset must be less than"],
    [
      { rank_by: BY_ID, limit: 1, include_attributes: [], exclude_attributes: [] },
      "invalid: 💔 cannot specify both include_attributes and exclude_attributes",
    ],
    [{ rank_by: BY_ID, limit: 1, include_attributes: "a" }, "malformed: "],
    [{ rank_by: BY_ID, limit: 1, include_attributes: [1] }, "include_attributes[0]: invalid type"],
    [{ rank_by: BY_ID, limit: 1, exclude_attributes: "a" }, "malformed: "],
    [{ rank_by: BY_ID, limit: 1, exclude_attributes: ["id"] }, "invalid: 💔 `id` cannot be part"],
    [
      { rank_by: BY_ID, limit: 1, vector_encoding: "bad" },
      "vector_encoding: unknown variant `bad`, expected `float` or `base64`",
    ],
    [
      { rank_by: BY_ID, limit: 1, consistency: "eventual" },
      'consistency: invalid type: string "eventual", expected struct Consistency',
    ],
    [
      { rank_by: BY_ID, limit: 1, consistency: { level: "x" } },
      "consistency.level: unknown variant `x`, expected `strong` or `eventual`",
    ],
    [{ rank_by: BY_ID, limit: 1, consistency: {} }, "consistency: missing field `level`"],
    [{ rank_by: BY_ID, limit: 1, consistency: { level: 1 } }, "invalid: 💔 consistency.level"],
    [{ rank_by: BY_ID, limit: 1, group_by: ["a"] }, "invalid: 💔 group_by requires aggregate_by"],
    [{ rank_by: BY_ID, limit: 1, rerank_by: ["RRF"] }, "invalid: 💔 rerank_by requires `queries`"],
  ])("%j is refused", (body, text) => {
    expect(fault(body)).toContain(text);
  });
});

describe("multi-queries", () => {
  const one = { rank_by: BY_ID, limit: 3 };

  test("each subquery is a query of its own", () => {
    const request = parse({ queries: [one, { aggregate_by: { n: ["Count"] } }], limit: 7 });
    expect(request.kind).toBe("multi");
    expect(request.queries.map((query) => query.kind)).toEqual(["documents", "aggregate"]);
    expect(request.fusion).toBeUndefined();
  });

  test("fusion has defaults", () => {
    const request = parse({ queries: [one, one], rerank_by: ["RRF"] });
    expect(request.fusion).toEqual({ rankConstant: 60, weights: [1, 1], limit: 10_000, offset: 0 });
  });

  test("fusion takes options and the root's limit", () => {
    const request = parse({
      queries: [one, one],
      rerank_by: ["RRF", { rank_constant: 10, weights: [2, 0.5] }],
      top_k: 5,
      offset: 2,
    });
    expect(request.fusion).toEqual({ rankConstant: 10, weights: [2, 0.5], limit: 5, offset: 2 });
  });

  test.each<[object, string]>([
    [{ queries: [] }, "invalid: 💔 queries must have between 1 and 16 elements, got 0"],
    [{ queries: new Array(17).fill(one) }, "invalid: 💔 queries must have between 1 and 16"],
    [{ queries: {} }, "malformed: "],
    [{ queries: [3] }, "queries[0]: invalid type: integer `3`"],
    [{ queries: [one], rank_by: BY_ID }, "invalid: 💔 rank_by cannot be used beside queries"],
    [{ queries: [{ ...one, vector_encoding: "float" }] }, "invalid: 💔 queries[0].vector_encoding"],
    [{ queries: [{ ...one, consistency: {} }] }, "invalid: 💔 queries[0].consistency"],
    [{ queries: [{ queries: [one] }] }, "invalid: 💔 queries[0].queries"],
    [{ queries: [one, { rank_by: BY_ID, limit: 0 }] }, "queries[1].limit must be between"],
    [
      { queries: [{ rank_by: ["v", "kNN", [1]], limit: 1 }] },
      "invalid: 💔 queries[0].rank_by: kNN requires filters",
    ],
    [{ queries: [one], rerank_by: ["RRF"] }, "invalid: 💔 rerank_by requires at least two"],
    [
      { queries: [one, { aggregate_by: { n: ["Count"] } }], rerank_by: ["RRF"] },
      "invalid: 💔 rerank_by cannot be used with subqueries that aggregate",
    ],
    [{ queries: [one, one], rerank_by: ["Other"] }, "malformed: "],
    [{ queries: [one, one], rerank_by: "RRF" }, "malformed: "],
    [{ queries: [one, one], rerank_by: ["RRF", { rank_constant: 0 }] }, "invalid: "],
    [{ queries: [one, one], rerank_by: ["RRF", { rank_constant: 1.5 }] }, "malformed: "],
    [{ queries: [one, one], rerank_by: ["RRF", { weights: [1] }] }, "invalid: "],
    [{ queries: [one, one], rerank_by: ["RRF", { weights: [1, 0] }] }, "invalid: "],
    [{ queries: [one, one], rerank_by: ["RRF", { weights: [1, "1"] }] }, "malformed: "],
    [{ queries: [one, one], rerank_by: ["RRF"], limit: 0 }, "invalid: 💔 limit must be between"],
    [
      { queries: [one, one], rerank_by: ["RRF"], offset: 1 },
      "invalid: 💔 offset beside queries requires rerank_by and limit",
    ],
    [
      { queries: [one, one], limit: 1, offset: 0 },
      "invalid: 💔 offset beside queries requires rerank_by and limit",
    ],
  ])("%j is refused", (body, text) => {
    expect(fault(body)).toContain(text);
  });
});

describe("aggregates", () => {
  test("functions, groups and the groups' limit", () => {
    const [query] = parse({
      aggregate_by: { n: ["Count"], deprecated: ["Count", "id"], total: ["Sum", "price"] },
      group_by: ["city", { tag: ["ForEachUnique", "tags"] }],
      top_k: 0,
      filters: ["a", "Eq", 1],
    }).queries;
    expect(query).toMatchObject({
      kind: "aggregate",
      aggregates: new Map<string, unknown>([
        ["n", { kind: "count" }],
        ["deprecated", { kind: "count" }],
        ["total", { kind: "sum", attribute: "price" }],
      ]),
      groupBy: [
        { kind: "attribute", attribute: "city" },
        { kind: "each_unique", name: "tag", attribute: "tags" },
      ],
      groupLimit: 0,
    });
  });

  test("an empty group_by counts as absent", () => {
    const [query] = parse({ aggregate_by: { n: ["Count"] }, group_by: [] }).queries;
    expect(query).toMatchObject({ groupBy: [], groupLimit: 10_000 });
  });

  const count = { aggregate_by: { n: ["Count"] } };
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`n${i}`, ["Count"]]));
  const many65 = Array.from({ length: 65 }, (_, i) => `a${i}`);
  test.each<[object, string]>([
    [{ ...count, rank_by: BY_ID }, "malformed: "],
    [{ aggregate_by: {} }, "invalid: 💔 aggregate_by cannot be empty"],
    [{ aggregate_by: [] }, "malformed: "],
    [{ aggregate_by: many }, "invalid: 💔 aggregate_by: at most 8"],
    [{ aggregate_by: { n: ["Avg", "a"] } }, "malformed: "],
    [{ aggregate_by: { n: ["Sum"] } }, "malformed: "],
    [{ aggregate_by: { n: "Count" } }, "malformed: "],
    [{ aggregate_by: { n: ["Count", "a"] } }, "invalid: 💔 aggregate_by.n"],
    [{ ...count, top_k: 5 }, "invalid: 💔 top_k requires group_by"],
    [{ ...count, top_k: 5, group_by: [] }, "invalid: 💔 top_k requires group_by"],
    [{ ...count, group_by: ["a"], top_k: 10_001 }, "invalid: 💔 top_k must be between 0"],
    [{ ...count, group_by: ["id"] }, "invalid: 💔 group_by[0]: cannot group by id"],
    [{ ...count, group_by: many65 }, "invalid: 💔 group_by: at most 64 attributes, got 65"],
    [{ ...count, group_by: ["a", "a"] }, "invalid: 💔 group_by[1]: duplicate field"],
    [{ ...count, group_by: ["n"] }, "invalid: 💔 aggregate_by.n: label is also the name"],
    [
      { ...count, group_by: [{ a: ["ForEachUnique", "a"] }, { b: ["ForEachUnique", "b"] }] },
      "invalid: 💔 group_by[1]: at most one ForEachUnique",
    ],
    [{ ...count, group_by: [{ a: ["Other", "a"] }] }, "malformed: "],
    [{ ...count, group_by: "a" }, "malformed: "],
    [{ ...count, group_by: [3] }, "malformed: "],
    [{ ...count, offset: 1 }, "invalid: 💔 offset cannot be used with aggregate_by"],
    [{ ...count, include_attributes: true }, "invalid: 💔 include_attributes cannot be used"],
    [{ ...count, consistency: "x" }, "malformed: "],
  ])("%j is refused", (body, text) => {
    expect(fault(body)).toContain(text);
  });
});

describe("computed attributes", () => {
  test("distances, scores and highlights", () => {
    const query = parseDocuments({
      rank_by: BY_ID,
      compute_attributes: {
        d: ["vector", "VectorDist", [1, 0]],
        s: ["text", "BM25", "query"],
        h: ["Highlight", "text"],
        f: [
          "Highlight",
          "text",
          {
            fragment_by: "word",
            fragment_limit: 7,
            include_offsets: "utf-16",
            rank_fragments_by: ["$fragment", "BM25", "query"],
          },
        ],
      },
    });
    const bm25 = { kind: "bm25", query: "query", lastAsPrefix: false };
    expect(query.computed.get("d")).toMatchObject({ kind: "vector_dist", attribute: "vector" });
    expect(query.computed.get("s")).toEqual({
      kind: "score",
      expression: { ...bm25, attribute: "text" },
    });
    expect(query.computed.get("h")).toEqual({
      kind: "highlight",
      attribute: "text",
      fragmentBy: "sentence",
      fragmentLimit: 3,
      offsets: undefined,
      rankFragmentsBy: undefined,
    });
    expect(query.computed.get("f")).toEqual({
      kind: "highlight",
      attribute: "text",
      fragmentBy: "word",
      fragmentLimit: 7,
      offsets: "utf-16",
      rankFragmentsBy: { ...bm25, attribute: "$fragment" },
    });
  });

  const many = Object.fromEntries(
    Array.from({ length: 257 }, (_, i) => [`n${i}`, ["a", "BM25", ""]]),
  );
  test.each<[unknown, string]>([
    [[], "malformed: "],
    [many, "invalid: 💔 compute_attributes: at most 256"],
    [{ id: ["a", "BM25", "x"] }, "invalid: 💔 compute_attributes.id"],
    [{ x: ["v", "VectorDist", ["Embed", "text"]] }, "malformed: "],
    [{ x: ["v", "VectorDist"] }, "malformed: "],
    [{ x: ["Highlight"] }, "malformed: "],
    [{ x: ["Highlight", 3] }, "malformed: "],
    [{ x: ["Highlight", "a", { fragment_by: "line" }] }, "malformed: "],
    [{ x: ["Highlight", "a", { include_offsets: "bytes" }] }, "malformed: "],
    [{ x: ["Highlight", "a", { fragment_limit: 0 }] }, "invalid: "],
    [{ x: ["Highlight", "a", { fragment_limit: 1025 }] }, "invalid: "],
    [{ x: ["Highlight", "a", { fragment_limit: "3" }] }, "malformed: "],
    [{ x: 3 }, "malformed: "],
  ])("%j is refused", (computed, text) => {
    expect(fault({ rank_by: BY_ID, limit: 1, compute_attributes: computed })).toContain(text);
  });
});

test("a long body is read in steps", () => {
  const values = Array.from({ length: 20_000 }, (_, i) => `value ${i}`);
  const body = encoder.encode(JSON.stringify({ filters: ["a", "In", values], limit: 1 }));
  expect(countSteps(parseQueryBody(body)).count).toBeGreaterThan(body.length / 20_000);
  const fault = encoder.encode(JSON.stringify({ x: values, limit: "a" }));
  const steps = parseQueryBody(fault);
  let count = 0;
  const run = () => {
    for (; steps.next().done !== true; count++);
  };
  expect(run).toThrow(/limit.* at line 1 column/);
  // Once to read it, and once to find the place.
  expect(count).toBeGreaterThan((2 * fault.length) / 20_000);
});
