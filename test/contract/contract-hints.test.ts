/** The nearest fix, which messages end with: each appended to the words that clients match on. */

import { beforeAll, describe, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";

const { write, call, query, fresh } = contractServer("hints");

let name: string;

beforeAll(async () => {
  name = fresh();
  const text = { type: "string", full_text_search: true };
  await write(name, {
    distance_metric: "cosine_distance",
    schema: { body: text, summary: text },
    upsert_rows: [{ id: 1, vector: [1, 2], title: "x", price: 5, body: "hello", tags: ["a"] }],
  });
});

type Mistake = [mistake: string, body: unknown, status: number, ...parts: string[]];

const lookup = { rank_by: ["id", "asc"], limit: 3 };
const by = (...rank_by: unknown[]) => ({ rank_by, limit: 3 });
const filter = (...filters: unknown[]) => ({ ...lookup, filters });
const LIMIT = "1 and 10000, got ";
const NO_INCLUDE =
  'attribute "titel" not found in schema, cannot be part of `include_attributes`. ';

describe("queries", () => {
  test.each<Mistake>([
    ["BM25 without full text", by("title", "BM25", "x"), 400, "it is set for body, summary"],
    ["tokens without full text", filter("title", "ContainsAnyToken", "x"), 400, "body, summary"],
    [
      "a highlight without full text",
      { ...by("body", "BM25", "x"), compute_attributes: { h: ["Highlight", "title"] } },
      400,
      "it is set for body, summary",
    ],
    ["Eq on full text", filter("body", "Eq", "hello"), 400, "`filterable: true`", "AllTokens"],
    ["Glob on full text", filter("body", "Glob", "h*"), 400, "use ContainsAllTokens"],
    ["a misspelled name", { ...lookup, include_attributes: ["titel"] }, 400, NO_INCLUDE, '"title"'],
    ["an unknown name", { ...lookup, include_attributes: ["zzzz"] }, 400, "attributes are id, "],
    ["a limit of 0", { ...lookup, limit: 0 }, 400, `limit must be between ${LIMIT}0`],
    ["a large top_k", { rank_by: ["id", "asc"], top_k: 10_001 }, 400, `${LIMIT}10001`],
    ["a negative limit", { ...lookup, limit: -1 }, 422, "LimitInput", "; got integer `-1`"],
    ["two limits", { ...lookup, top_k: 4 }, 400, "different values; got 4 and 3"],
    [
      "a large limit of each",
      { ...lookup, limit: { total: 5, per: { attributes: ["title"], limit: 9 } } },
      400,
      "between 1 and limit.total, which is 5; got integer `9`",
    ],
    [
      "no fragments",
      {
        ...by("body", "BM25", "x"),
        compute_attributes: { h: ["Highlight", "body", { fragment_limit: 0 }] },
      },
      400,
      "between 1 and 1024, got 0",
    ],
    [
      "a large group limit",
      { aggregate_by: { n: ["Count"] }, group_by: ["title"], top_k: 10_001 },
      400,
      "10000, got 10001",
    ],
    [
      "a rank constant of 0",
      { queries: [lookup, lookup], rerank_by: ["RRF", { rank_constant: 0 }] },
      400,
      "greater than 0, got 0",
    ],
    ["a weight", { ...by("s", "SparseKNN", { a: 1 }) }, 400, 'attribute "s" not found'],
    ["no finite float32", by("vector", "ANN", [1e39, 1]), 400, "-3.4e38 to 3.4e38, got 1e+39"],
    ["an encoding", { ...lookup, vector_encoding: "Base64" }, 422, "did you mean `base64`?"],
    ["filters side by side", filter(["title", "Eq", "x"]), 422, 'use ["And", [filter, …]]'],
    ["=", filter("title", "=", "x"), 422, 'unknown operator "="', '; did you mean "Eq"?'],
    [">=", filter("price", ">=", 1), 422, 'did you mean "Gte"?'],
    ["NaN", '{"limit":NaN}', 400, "limit: expected a value at line 1 column 10; JSON has finite"],
    ["-Infinity", '{"limit":-Infinity}', 400, "invalid number at", "finite numbers only"],
    ["undefined", '{"filters":undefined}', 400, "JSON's word for no value is null"],
    ["None", '{"filters":None}', 400, "JSON's word for no value is null"],
    ["True", '{"include_attributes":True}', 400, "JSON's word is true"],
    ["single quotes", "{'limit':3}", 400, "in quotes at line 1 column 2; JSON has double quotes"],
    ["a comma too many", '{"limit":3,}', 400, "limit: trailing comma at line 1 column 12"],
    ["a comment", '{"limit":3 // three\n}', 400, "JSON has no comments"],
    ["1e400", '{"limit":1e400}', 400, "`1e400` is beyond the range of 64-bit floats"],
    ["no body", "", 400, "the body is empty, send a JSON object"],
    ["JSON lines", '{"limit":1}\n{"limit":2}', 400, "trailing characters at line 2", "JSON lines"],
  ])("with %s", async (_mistake, body, status, ...parts) => {
    expectError(await query(name, body), status, ...parts);
  });
});

describe("writes", () => {
  const row = (id: string) => `{"upsert_rows":[{"id":${id},"vector":[1,2]}]}`;
  const ID = "upsert_rows[0].id: data did not match any variant of untagged enum Id at line 1";
  const FORMS =
    "an integer from 0 to 18446744073709551615 or a string of up to 64 bytes, but this is ";
  const MIXED = "you are not allowed to mix ID types in the same namespace; ";
  test.each<Mistake>([
    ["a negative id", row("-1"), 422, ID, `${FORMS}-1`],
    ["a fraction as id", row("1.5"), 422, ID, `${FORMS}the decimal 1.5`],
    ["a boolean as id", row("true"), 422, ID, `${FORMS}true`],
    ["null as id", row("null"), 422, ID, `${FORMS}null`],
    ["an object as id", row("{}"), 422, ID, `${FORMS}object`],
    ["an id beyond 64 bits", row("18446744073709551616"), 422, ID, `${FORMS}18446744073709551616`],
    ["a long id", row("9".repeat(250)), 422, ID, `${"9".repeat(100)}…`],
    ["a bad id to delete", { deletes: [1, -5] }, 422, "deletes[1]: ", "IdVec", `${FORMS}-5`],
    ["one id to delete", { deletes: 5 }, 422, "IdVec", "in an array, as in [1, 2]"],
    ["an id of another type", row('"a"'), 400, `${MIXED}upsert_rows[0].id is "a"`],
    ["ids of two types", { deletes: [1, "b"] }, 400, `${MIXED}deletes[1] is "b"`],
    [
      "cosine",
      { distance_metric: "cosine", deletes: [9] },
      422,
      "`Query` at line",
      "`cosine_distance`?",
    ],
    [
      "l2",
      { distance_metric: "l2", deletes: [9] },
      422,
      "`cosine_distance` or `euclidean_squared`",
    ],
    ["_id", { upsert_rows: [{ _id: 1 }] }, 422, "missing field `id` at", '; "_id" is an attribute'],
    ["a filter alone", { patch_by_filter: ["id", "Eq", 1] }, 422, "with `filters` and `patch`"],
    ["ids of type int", { schema: { id: "int" } }, 400, "ID type; ids are uint, string or uuid"],
    ["rows as columns", { upsert_columns: [{ id: 1 }] }, 422, "send documents as `upsert_rows`"],
    [
      "columns as rows",
      { upsert_rows: { id: [1] } },
      422,
      "expected a sequence at",
      "`upsert_columns`",
    ],
    ["rows to patch", { patch_columns: [{ id: 1 }] }, 422, "send documents as `patch_rows`"],
    ["columns to patch", { patch_rows: { id: [1] } }, 422, "send columns as `patch_columns`"],
    ["documents in a list", [{ id: 1 }], 422, "a write request", '{"upsert_rows": [{"id": 1, '],
    [
      "a document alone",
      { id: 1, title: "x" },
      400,
      'unknown field "id"',
      '{"upsert_rows": [{"id"',
    ],
    ["JSON lines", '{"id":1}\n{"id":2}\n', 400, "line 2 column 1; ", 'as in {"upsert_rows": ['],
    [
      "NaN",
      '{"upsert_rows":[{"id":1,"vector":[NaN,1]}]}',
      400,
      "vector",
      "JSON has finite numbers",
    ],
    [
      "no float32",
      '{"upsert_rows":[{"id":1,"vector":[1e39,1]}]}',
      400,
      "`1e39` is",
      "32-bit floats",
    ],
  ])("with %s", async (_mistake, body, status, ...parts) => {
    expectError(await write(name, body), status, ...parts);
  });

  test("without a metric, with bad UUIDs or numbers that float16 has no room for", async () => {
    const vector = { type: "[1]f16", ann: true };
    const halves = { schema: { vector }, upsert_rows: [{ id: 1, vector: [7e4] }] };
    const metric = { distance_metric: "cosine_distance" };
    const range = "element 0 of the vector is out of range of f16 (-65504 to 65504), was 70000";
    expectError(await write(fresh(), { ...metric, ...halves }), 400, range);
    const vectors = { upsert_rows: [{ id: 1, vector: [1] }] };
    expectError(await write(fresh(), vectors), 400, "with a vector; add", '"euclidean_squared"');
    const uuids = { schema: { id: "uuid" }, upsert_rows: [{ id: "x" }] };
    expectError(await write(fresh(), uuids), 400, 'parsed as uuid; upsert_rows[0].id is "x"');
  });
});

describe("paths", () => {
  test.each([
    ["GET", "/v2/namespaces/a/query", 405, "POST /v2/namespaces/:namespace/query", "POST"],
    ["GET", "/v2/namespaces/a/explain_query", 405, ":namespace/explain_query", "POST"],
    ["DELETE", "/v2/namespaces/a/query", 405, "POST /v2/namespaces/:namespace/query", "POST"],
    ["GET", "/v1/namespaces/a/query", 404, "POST /v2/namespaces/:namespace/query", null],
    ["POST", "/namespaces/a/query", 404, "POST /v2/namespaces/:namespace/query", null],
    ["POST", "/v2/namespaces/a/upsert", 404, "did you mean POST /v2/namespaces/:namespace?", null],
  ])("%s %s", async (method, path, status, nearest, allow) => {
    const answer = await call(method, path);
    expectError(answer, status, nearest);
    expect(answer.headers.get("allow")).toBe(allow);
  });

  test("an unknown namespace is told the nearest of those in use", async () => {
    const typo = name.replace("hints", "hintz");
    const hint = `namespace '${typo}' was not found; did you mean '${name}'?`;
    expectError(await query(typo, lookup), 404, hint);
    expectError(await call("GET", `/v2/namespaces/${typo}/metadata`), 404, hint);
    expectError(await call("DELETE", `/v2/namespaces/${typo}`), 404, hint);
    expectError(await write(fresh(), { copy_from_namespace: typo }), 404, hint);
    const other = await query("zzzzzzzzzzzzzzzzzzzzzzzzzzzz", lookup);
    expect(other.json.error).toMatch(/' was not found$/);
  });
});
