/** Fields of a query on the wire: shapes, defaults, edges of limits, statuses and texts. */

import { beforeAll, describe, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";
import { contractTable, idRows, withoutStats } from "../support/servers/contract-table.ts";

const { write, call, query, fresh } = contractServer("query");
const ns = "query-fields";
const byId = { rank_by: ["id", "asc"] };
const one = { ...byId, limit: 1 };
const ask = (body: unknown) => query(ns, body);

beforeAll(async () => {
  const schema = { tokens: { type: "[][2]f32", ann: { late_interaction: true } } };
  const upsert_rows = [
    { id: 1, vector: [1, 0], tokens: [[1, 0]], text: "one", kind: "a" },
    { id: 2, vector: [0, 1], tokens: [[0, 1]], text: null, kind: "a" },
    { id: 3, vector: [0.7, 1], tokens: [[1, 1]], text: "three", kind: "b" },
  ];
  await write(ns, { distance_metric: "euclidean_squared", schema, upsert_rows });
});

describe("limit, top_k and offset", () => {
  const range = "must be between 1 and 10000";
  const input = "limit: data did not match any variant of untagged enum LimitInput";
  const none = "💔 rank_by queries must specify top_k or limit";
  const per = (value: unknown, extra: object = {}) => ({
    ...byId,
    limit: { total: 3, per: value },
    include_attributes: ["kind"],
    ...extra,
  });
  contractTable(
    [
      ["top_k 0", { ...byId, top_k: 0 }, 400, `💔 top_k ${range}`],
      ["top_k 1", { ...byId, top_k: 1 }, idRows(1)],
      ["top_k 10,000", { ...byId, top_k: 10_000 }, idRows(1, 2, 3)],
      ["top_k 10,001", { ...byId, top_k: 10_001 }, 400, `💔 top_k ${range}`],
      ["negative top_k", { ...byId, top_k: -1 }, 422, "top_k: invalid value: integer `-1`"],
      ["top_k 1.0", '{"rank_by":["id","asc"],"top_k":1.0}', 422, "floating point `1.0`"],
      ["limit 0", { ...byId, limit: 0 }, 400, `💔 limit ${range}`],
      ["limit 10,000", { ...byId, limit: 10_000 }, idRows(1, 2, 3)],
      ["limit 10,001", { ...byId, limit: 10_001 }, 400, `💔 limit ${range}`],
      ["limit 1.0", '{"rank_by":["id","asc"],"limit":1.0}', 422, input, "expected an integer or"],
      ["limit as a string", { ...byId, limit: "x" }, 422, input],
      ["negative limit", { ...byId, limit: -1 }, 422, input],
      ["limit without total", { ...byId, limit: {} }, 422, input],
      ["limit null", { ...byId, limit: null }, 400, none],
      ["no limit", byId, 400, none],
      ["total 0", { ...byId, limit: { total: 0 } }, 400, `💔 limit.total ${range}`],
      ["unknown members of limit", { ...byId, limit: { total: 1, x: 1 } }, idRows(1)],
      ["per null", { ...byId, limit: { total: 1, per: null } }, idRows(1)],
      ["both, the same", { ...one, top_k: 1 }, idRows(1)],
      ["both, different", { ...one, top_k: 2 }, 400, "top_k", "limit"],
      ["negative offset", { ...one, offset: -1 }, 422, "offset"],
      ["offset as a string", { ...one, offset: "1" }, 422, "offset"],
      ["fractional offset", { ...one, offset: 1.5 }, 422, "offset"],
      ["offset null", { ...one, offset: null }, idRows(1)],
      ["offset without rank_by", { limit: 1, offset: 1 }, 400, "offset requires rank_by"],
      ["limit + offset 9,999", { ...one, offset: 9998 }, idRows()],
      [
        "limit + offset 10,000",
        { ...one, offset: 9999 },
        400,
        "must be less than 10000, got 1 + 9",
      ],
      ["the last limit with offset", { ...byId, limit: 9999, offset: 1 }, 400, "less than 10000"],
      ["per without attributes", per({ limit: 1 }), 400, "limit.per.attributes"],
      ["per with none", per({ attributes: [], limit: 1 }), 400, "limit.per.attributes"],
      ["per without limit", per({ attributes: ["kind"] }), 400, "limit.per.limit"],
      ["per 0", per({ attributes: ["kind"], limit: 0 }), 400, "between 1 and limit.total"],
      ["per above total", per({ attributes: ["kind"], limit: 4 }), 400, "limit.per.limit"],
      ["per null of total", per({ attributes: ["kind"], limit: null }), 422, "limit.per.limit"],
      ["fractional per", per({ attributes: ["kind"], limit: 1.5 }), 400, "limit.per.limit"],
      ["per that is no map", per([1]), 422, "limit.per"],
      ["per of an attribute not returned", per({ attributes: ["text"], limit: 1 }), 400, '"text"'],
      [
        "per of id beside all attributes",
        per({ attributes: ["id"], limit: 1 }, { include_attributes: true }),
        400,
        'attribute "id" must be part of `include_attributes`',
      ],
      [
        "per of id beside all attributes but some",
        per(
          { attributes: ["id"], limit: 1 },
          { include_attributes: undefined, exclude_attributes: ["kind"] },
        ),
        400,
        'attribute "id" must be part of `include_attributes`',
      ],
      ["per of id, not returned", per({ attributes: ["id"], limit: 1 }), 400, '"id"'],
      [
        "per of id",
        per({ attributes: ["id"], limit: 1 }, { include_attributes: ["id"] }),
        idRows(1, 2, 3),
      ],
      [
        "per counts before offset",
        per({ attributes: ["kind"], limit: 1 }, { offset: 1 }),
        { rows: [{ id: 3, kind: "b" }] },
      ],
    ],
    ask,
  );
});

describe("returned attributes", () => {
  const pick = (extra: object) => ({ ...byId, limit: 2, ...extra });
  const both = "💔 cannot specify both include_attributes and exclude_attributes";
  contractTable(
    [
      [
        "null attributes are left out",
        pick({ include_attributes: ["text"] }),
        {
          rows: [{ id: 1, text: "one" }, { id: 2 }],
        },
      ],
      ["an empty list", pick({ include_attributes: [] }), idRows(1, 2)],
      [
        "a name twice",
        pick({ include_attributes: ["kind", "kind", "id"] }),
        {
          rows: [
            { id: 1, kind: "a" },
            { id: 2, kind: "a" },
          ],
        },
      ],
      [
        "an unknown name",
        pick({ include_attributes: ["x"] }),
        400,
        '💔 attribute "x" not found in schema, cannot be part of `include_attributes`. consider ' +
          "passing `include_attributes=True` to return all attribute data instead",
      ],
      ["a string", pick({ include_attributes: "text" }), 422, "include_attributes"],
      ["numbers", pick({ include_attributes: [1] }), 422, "include_attributes[0]"],
      ["a string to exclude", pick({ exclude_attributes: "text" }), 422, "exclude_attributes"],
      ["id to exclude", pick({ exclude_attributes: ["id"] }), 400, "`id`"],
      ["both", pick({ exclude_attributes: [], include_attributes: [] }), 400, both],
      [
        "excluded, unknown ones too",
        pick({ exclude_attributes: ["vector", "tokens", "nope"] }),
        {
          rows: [
            { id: 1, text: "one", kind: "a" },
            { id: 2, kind: "a" },
          ],
        },
      ],
      [
        "vectors as base64 of float32",
        { ...one, vector_encoding: "base64", include_attributes: ["vector", "tokens"] },
        { rows: [{ id: 1, vector: "AACAPwAAAAA=", tokens: ["AACAPwAAAAA="] }] },
      ],
      [
        "vectors as numbers",
        { ...one, vector_encoding: "float", include_attributes: ["vector"] },
        {
          rows: [{ id: 1, vector: [1, 0] }],
        },
      ],
      [
        "another encoding",
        { ...one, vector_encoding: "bad" },
        422,
        "vector_encoding: unknown variant `bad`, expected `float` or `base64`",
      ],
    ],
    ask,
  );

  test("float32 is printed in its shortest form", async () => {
    const answer = await ask({
      filters: ["id", "Eq", 3],
      limit: 1,
      include_attributes: ["vector"],
    });
    expect(answer.text).toContain('"rows":[{"id":3,"vector":[0.7,1]}]');
  });
});

describe("other fields", () => {
  const metric = (distance_metric: unknown, extra: object = {}) => ({
    ...one,
    distance_metric,
    ...extra,
  });
  const mismatch = "💔 distance metric mismatch, expected euclidean_squared, got cosine_distance";
  const optional = [
    "filters include_attributes exclude_attributes compute_attributes aggregate_by group_by",
    "queries rerank_by vector_encoding consistency distance_metric top_k offset",
  ];
  const nulls = Object.fromEntries(
    optional
      .join(" ")
      .split(" ")
      .map((name) => [name, null]),
  );
  const level = "consistency.level";
  const bounded = (max_staleness_seconds: unknown, kind = "eventual") => ({
    ...one,
    consistency: { level: kind, max_staleness_seconds },
  });
  contractTable(
    [
      ["null means absent", { ...one, ...nulls }, idRows(1)],
      ["unknown fields", { ...one, nope: { a: 1 } }, idRows(1)],
      ["filters alone", { filters: ["id", "Gt", 1], limit: 5 }, idRows(2, 3)],
      ["a limit alone", { limit: 2 }, idRows(1, 2)],
      ["nothing", {}, 400, "query must specify rank_by or aggregate_by"],
      ["rank_by with aggregate_by", { ...one, aggregate_by: { a: ["Count"] } }, 422, "rank_by"],
      ["eventual", { ...one, consistency: { level: "eventual", x: 1 } }, idRows(1)],
      ["strong", { ...one, consistency: { level: "strong" } }, idRows(1)],
      [
        "consistency as a string",
        { ...one, consistency: "eventual" },
        422,
        'consistency: invalid type: string "eventual", expected struct Consistency',
      ],
      [
        "another level",
        { ...one, consistency: { level: "x" } },
        422,
        `${level}: unknown variant \`x\`, expected \`strong\` or \`eventual\``,
      ],
      ["a bound", bounded(0), idRows(1)],
      ["the greatest bound", bounded(86_400), idRows(1)],
      ["a bound of null", bounded(null), idRows(1)],
      ["a bound too great", bounded(86_401), 400, "between 0 and 86400, got 86401"],
      ["a negative bound", bounded(-1), 422, "consistency.max_staleness_seconds"],
      ["a fractional bound", bounded(1.5), 422, "consistency.max_staleness_seconds"],
      ["a bound as a string", bounded("5"), 422, "consistency.max_staleness_seconds"],
      [
        "a bound of strong",
        bounded(5, "strong"),
        400,
        "cannot be used with consistency.level strong",
      ],
      ["null with strong", bounded(null, "strong"), idRows(1)],
      ["no level", { ...one, consistency: {} }, 422, "consistency: missing field `level`"],
      ["a number as level", { ...one, consistency: { level: 1 } }, 400, level],
      ["the namespace's metric", metric("euclidean_squared"), idRows(1)],
      ["another metric", metric("cosine_distance"), 400, mismatch],
      ["a metric that is no string", metric(1), 422, "distance_metric"],
    ],
    ask,
  );

  test("the metric is ignored where there are no vectors", async () => {
    const plain = fresh();
    await write(plain, { upsert_rows: [{ id: 1 }] });
    const answer = await query(plain, metric("cosine_distance"));
    expect(withoutStats(answer)).toEqual(idRows(1));
  });
});

describe("bodies and namespaces", () => {
  const json = "Failed to parse the request body as JSON: ";
  contractTable(
    [
      ["an array", "[]", 422, "invalid type: sequence, expected a query object"],
      ["null", "null", 422, "invalid type: null"],
      ["nothing", "", 400, json],
      ["half an object", '{"limit":', 400, json, "line 1 column"],
      ["a key twice", '{"limit":1,"limit":2}', 400, json, "limit: duplicate key"],
      ["more than an object", '{"limit":1} x', 400, json, "trailing characters"],
    ],
    ask,
  );

  test("a namespace must exist, for queries, plans and recall", async () => {
    for (const path of ["v2/namespaces/no/query", "v2/namespaces/no/explain_query"]) {
      expectError(await call("POST", `/${path}`, one), 404, "🤷 namespace 'no' was not found");
    }
    const recall = await call("POST", "/v1/namespaces/no/_debug/recall", {});
    expectError(recall, 404, "🤷 namespace 'no' was not found");
  });

  test("figures count what was read and returned", async () => {
    const { json: answer } = await ask({ ...byId, limit: 2 });
    expect(answer.billing).toEqual({
      billable_logical_bytes_queried: 1_280_000_000,
      billable_logical_bytes_returned: 16,
    });
    expect(Object.keys(answer.performance).sort()).toEqual([
      "approx_namespace_size",
      "cache_hit_ratio",
      "cache_temperature",
      "exhaustive_search_count",
      "last_included_write_at",
      "query_execution_ms",
      "server_total_ms",
    ]);
    expect(answer.performance.exhaustive_search_count).toBe(3);
  });

  test("a namespace without documents answers, and still knows its attributes", async () => {
    const empty = fresh();
    await write(empty, { upsert_rows: [{ id: 1, n: 1 }] });
    await write(empty, { deletes: [1] });
    expect(withoutStats(await query(empty, one))).toEqual(idRows());
    const sums = { aggregate_by: { c: ["Count"], n: ["Sum", "n"] } };
    const answer = await query(empty, sums);
    expect(withoutStats(answer)).toEqual({ aggregations: { c: 0, n: 0 } });
    expectError(await query(empty, { filters: ["x", "Eq", 1], limit: 1 }), 400, '"x" not found');
  });
});
