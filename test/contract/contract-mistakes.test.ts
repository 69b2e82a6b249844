/** Mistakes that newcomers make: each must be told where, what, and what would be right. */

import { beforeAll, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";

const { write, call, query, fresh } = contractServer("mistakes");

const COSINE = { distance_metric: "cosine_distance" };
let name: string;

beforeAll(async () => {
  name = fresh();
  const row = { id: 1, vector: [1, 2], title: "x", price: 5, body: "hello", tags: ["a"] };
  const schema = { body: { type: "string", full_text_search: true } };
  await write(name, { ...COSINE, schema, upsert_rows: [row] });
});

const lookup = { rank_by: ["id", "asc"], limit: 3 };
const near = { rank_by: ["vector", "ANN", [1, 2]] };

test.each<[mistake: string, body: unknown, status: number, ...parts: string[]]>([
  ["no limit", near, 400, "must specify top_k or limit"],
  ["a limit that is text", { ...near, limit: "3" }, 422, "limit: ", "expected an integer"],
  ["a limit of 0", { ...near, limit: 0 }, 400, "between 1 and 10000"],
  ["a ranking that is text", { rank_by: "vector", limit: 3 }, 422, '["vector", "ANN", […]]'],
  ["ann", { rank_by: ["vector", "ann", [1, 2]], limit: 3 }, 422, 'did you mean "ANN"?'],
  ["ascending", { rank_by: ["price", "ascending"], limit: 3 }, 422, '"asc" or "desc"'],
  [
    "other dimensions",
    { ...near, rank_by: ["vector", "ANN", [1]], limit: 3 },
    400,
    "1 dim",
    "2 dim",
  ],
  ["BM25 without an index", { rank_by: ["title", "BM25", "x"], limit: 3 }, 400, "full_text_search"],
  ["BM25 of a list", { rank_by: ["body", "BM25", ["x"]], limit: 3 }, 400, "expecting string"],
  ["a filter that is a map", { ...lookup, filters: { title: "x" } }, 422, '["attribute", "Eq", va'],
  ["eq", { ...lookup, filters: ["title", "eq", "x"] }, 422, "filters[1]: unknown", '"Eq"'],
  ["==", { ...lookup, filters: ["title", "==", "x"] }, 422, "filters[1]: unknown", "Eq"],
  ["and", { ...lookup, filters: ["and", [["title", "Eq", "x"]]] }, 422, '"And"'],
  ["filters side by side", { ...lookup, filters: [["title", "Eq", "x"]] }, 422, "And, Or"],
  ["a misspelled attribute", { ...lookup, filters: ["titel", "Eq", "x"] }, 400, '"title"'],
  ["text for a number", { ...lookup, filters: ["price", "Eq", "5"] }, 400, "Eq expects int"],
  ["Eq on an array", { ...lookup, filters: ["tags", "Eq", "a"] }, 400, "expects []string"],
  ["Regex that is off", { ...lookup, filters: ["title", "Regex", "a"] }, 400, "`regex`", "schema"],
  ["one attribute as text", { ...lookup, include_attributes: "title" }, 422, "include_attributes"],
  ["nothing to do", {}, 400, "rank_by or aggregate_by"],
])("a query with %s", async (_mistake, body, status, ...parts) => {
  expectError(await query(name, body), status, ...parts);
});

test.each<[mistake: string, body: unknown, status: number, ...parts: string[]]>([
  ["upserts", { upserts: [{ id: 1 }] }, 400, 'did you mean "upsert_rows"?'],
  ["documents", { documents: [{ id: 1 }] }, 400, '"documents"', "upsert_rows"],
  ["_id", { upsert_rows: [{ _id: 1 }] }, 422, "upsert_rows[0]: missing field `id`"],
  ["one row without a list", { upsert_rows: { id: 1 } }, 422, "expected a sequence"],
  ["one id without a list", { deletes: 5 }, 422, "deletes: "],
  ["attributes in an object", { upsert_rows: [{ id: 1, a: { b: 1 } }] }, 400, "beside `id`"],
  ["a vector as text", { upsert_rows: [{ id: 1, vector: "[1,2]" }] }, 400, "invalid base64"],
  ["filters in a map", { delete_by_filter: { filters: ["a", "Eq", 1] } }, 422, "delete_by_filter"],
  ["cosine", { distance_metric: "cosine", deletes: [9] }, 422, "`cosine_distance`"],
  ["single quotes", "{'upsert_rows':[]}", 400, "in quotes at line 1 column 2"],
  ["a comma too many", '{"upsert_rows":[{"id":1,}]}', 400, "trailing comma at line 1 column 25"],
  ["NaN", '{"upsert_rows":[{"id":1,"vector":[NaN]}]}', 400, "upsert_rows[0].vector", "column 35"],
  ["int for a decimal", { upsert_rows: [{ id: 1, vector: [1, 2], price: 5.5 }] }, 400, '"float"'],
])("a write with %s", async (_mistake, body, status, ...parts) => {
  expectError(await write(name, body), status, ...parts);
});

test("a wrong method or path names the right one", async () => {
  const get = await call("GET", `/v2/namespaces/${name}/query`);
  expectError(get, 405, "POST");
  const legacy = await call("POST", `/v1/namespaces/${name}`, { upsert_rows: [] });
  expectError(legacy, 405, "POST /v2/namespaces/:namespace");
  const misspelled = await call("GET", `/v1/namespaces/${name}/metdata`);
  expectError(misspelled, 404, "/metadata");
  expect((await call("GET", `/v2/namespaces/${name}/metadata`)).json.approx_row_count).toBe(1);
});
