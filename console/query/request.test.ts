import { expect, test } from "vitest";
import { buildRequest } from "./build-request.ts";
import { parseJsonText } from "./json-source.ts";
import type { Json } from "./json-value.ts";
import { firstQuery } from "./query-model.ts";
import { readRequest } from "./read-request.ts";
import { readRequestSchema } from "./request-schema.ts";

const SCHEMA = readRequestSchema({
  id: { type: "uint" },
  title: { type: "string", filterable: false, full_text_search: { tokenizer: "word_v3" } },
  body: { type: "string", filterable: false, full_text_search: { tokenizer: "word_v3" } },
  note: { type: "string", filterable: true, embed: { model: "m", attribute: "embed_note" } },
  embed_note: { type: "[4]f16", ann: { distance_metric: "cosine_distance" }, filterable: false },
  vector: { type: "[2]f32", ann: { distance_metric: "cosine_distance" } },
  year: { type: "int", filterable: true },
  score: { type: "float", filterable: true },
  read: { type: "bool", filterable: true },
  tags: { type: "[]string", filterable: true },
  words: {
    type: "[]string",
    filterable: false,
    full_text_search: { tokenizer: "pre_tokenized_array" },
  },
  name: { type: "string", filterable: true, fuzzy: true, regex: true },
  sparse: { type: "{}f16", filterable: false, sparse_knn: { distance_metric: "dot_product" } },
});

/** Bodies as they are written, so that integers keep their digits. */
const SHOWN = [
  `{"rank_by": ["title", "BM25", "walrus"], "top_k": 10}`,
  `{"rank_by": ["title", "BM25", "walrus", {"last_as_prefix": true}], "limit": {"total": 3}}`,
  `{"rank_by": ["Sum", [["title", "BM25", "a"], ["Product", 2, ["body", "BM25", "a"]]]],
    "top_k": 1}`,
  `{"rank_by": ["Max", [["title", "BM25", "a"], ["body", "BM25", "a"]]], "top_k": 1}`,
  `{"rank_by": ["words", "BM25", ["a", "b"]], "top_k": 1}`,
  `{"rank_by": ["note", "ANN", ["Embed", "a text"]], "top_k": 5, "include_attributes": true}`,
  `{"rank_by": ["vector", "ANN", ["Embed", "a text", {"model": "m"}]], "top_k": 5}`,
  `{"rank_by": ["vector", "ANN", [0.1, -2e-7]], "top_k": 5, "exclude_attributes": ["vector"]}`,
  `{"rank_by": ["vector", "ANN", "AACAPwAAAAA="], "top_k": 5}`,
  `{"rank_by": ["vector", "kNN", [1, 2]], "filters": ["year", "Lt", 2000], "top_k": 5}`,
  `{"rank_by": ["sparse", "SparseKNN", {"walrus": 0.5}], "top_k": 5}`,
  `{"rank_by": ["year", "desc"], "top_k": 5, "offset": 10}`,
  `{"rank_by": [["year", "desc"], ["id", "asc"]], "top_k": 5,
    "consistency": {"level": "eventual"}}`,
  `{"top_k": 5, "filters": ["id", "In", [18446744073709551615, 9007199254740993]]}`,
  `{"top_k": 5, "filters": ["year", "Eq", -9007199254740993]}`,
  `{"top_k": 5, "filters": ["And", [["tags", "ContainsAny", ["a,b", "c"]], ["year", "Eq", null]]]}`,
  `{"top_k": 5, "filters": ["Or", [["Not", ["year", "Gt", 1]], ["And", [["read", "Eq", true],
     ["score", "Gte", 0.5]]]]]}`,
  `{"top_k": 5, "filters": ["Not", ["And", [["year", "Gt", 1], ["year", "Lt", 9]]]]}`,
  `{"top_k": 5, "filters": ["And", [["title", "ContainsAllTokens", "a b", {"last_as_prefix": true}],
     ["name", "Fuzzy", "wallrus", {"max_edit_distance": [{"min_query_chars": 6, "distance": 1}]}],
     ["name", "Regex", "^w"]]]}`,
  `{"rank_by": ["title", "BM25", "a"], "top_k": 5,
    "compute_attributes":
      {"highlight_title": ["Highlight", "title", {"include_offsets": "utf-16"}]}}`,
  `{"queries": [{"rank_by": ["title", "BM25", "a"], "top_k": 50},
     {"rank_by": ["note", "ANN", ["Embed", "a"]], "top_k": 50}],
    "rerank_by": ["RRF"], "limit": 10}`,
  `{"queries": [{"rank_by": ["title", "BM25", "a"], "top_k": 9, "filters": ["year", "Lt", 1]},
     {"rank_by": ["vector", "ANN", [1, 0]], "top_k": 9, "filters": ["year", "Lt", 1]}],
    "rerank_by": ["RRF", {"rank_constant": 10, "weights": [2, 1]}], "limit": 10}`,
  `{"top_k": 5, "include_attributes": ["year", "read"],
    "limit": {"total": 5, "per": {"attributes": ["year", "read"], "limit": 2}}}`,
  `{"rank_by": ["title", "BM25", "a"], "include_attributes": true,
    "top_k": {"total": 5, "per": {"attributes": ["year"], "limit": 1}}}`,
  `{"rank_by": ["title", "BM25", "a"], "top_k": 5, "exclude_attributes": ["vector"],
    "rerank_by": {"model": "words", "attribute": "title", "query": "a walrus"}}`,
  `{"queries": [{"rank_by": ["title", "BM25", "a"], "top_k": 9, "include_attributes": ["body"]},
     {"rank_by": ["vector", "ANN", [1, 0]], "top_k": 9, "include_attributes": ["body"]}],
    "rerank_by": {"model": "m", "attribute": "body", "query": "a"}, "limit": 10}`,
  `{"aggregate_by": {"n": ["Count"], "years": ["Sum", "year"]}, "group_by": ["year"], "top_k": 7}`,
  `{"aggregate_by": {"n": ["Count"]}, "group_by": ["year", {"tags": ["ForEachUnique", "tags"]}],
    "top_k": 7}`,
  `{"aggregate_by": {"n": ["Count"]}, "filters": ["year", "Lt", 2000]}`,
];

test.each(SHOWN)("the builder shows %s, and builds it again", (text) => {
  const body = parseJsonText(text);
  const read = readRequest(body as Json, SCHEMA);
  if ("reason" in read) throw new Error(read.reason);
  const { body: built, problems } = buildRequest(read.model, SCHEMA);
  expect([...problems]).toEqual([]);
  expect(readRequest(built, SCHEMA)).toEqual(read);
});

test.each([
  [`{"rank_by": ["title", "BM25", "a"]}`, "top_k"],
  [`{"rank_by": ["titel", "asc"], "top_k": 1, "nothing": 2}`, "nothing"],
  [`{"rank_by": ["Attribute", "year"], "top_k": 1}`, "rank_by"],
  [
    `{"rank_by": ["Sum", [["title", "BM25", "a"], ["body", "BM25", "b"]]], "top_k": 1}`,
    "rank_by[1][1][2]",
  ],
  [`{"top_k": 1, "filters": ["year", "Eq", "x"]}`, "filters"],
  [`{"top_k": 1, "filters": ["year", "Lt", null]}`, "filters"],
  [`{"top_k": 1, "filters": ["nope", "Lt", 1]}`, "filters"],
  [`{"top_k": 1, "filters": ["And", [["year", "Lt", 1], ["nope", "Lt", 1]]]}`, "filters"],
  [
    `{"top_k": 1, "rerank_by": {"model": "m", "attribute": "title", "query": "a", "more": 1}}`,
    "rerank_by.more",
  ],
  [
    `{"top_k": 1, "rerank_by": {"model": 1, "attribute": "title", "query": "a"}}`,
    "rerank_by.model",
  ],
  [`{"top_k": 1, "rerank_by": ["RRF"]}`, "rerank_by"],
  [
    `{"queries": [{"top_k": 1, "filters": ["year", "Lt", 1]}, {"top_k": 1}],
      "rerank_by": ["RRF"], "limit": 1}`,
    "queries[1].filters",
  ],
  [
    `{"queries": [{"top_k": 1}, {"top_k": 2}], "rerank_by": ["RRF"], "limit": 1}`,
    "queries[1].top_k",
  ],
  [
    `{"aggregate_by": {"n": ["Count"]}, "group_by": [{"t": ["ForEachUnique", "tags"]}]}`,
    "group_by",
  ],
  [`{"top_k": 2, "limit": {"total": 1, "per": {"attributes": ["year"], "limit": 1}}}`, "limit"],
  [`{"limit": {"total": 1, "per": {"attributes": ["year", 1], "limit": 1}}}`, "per.attributes"],
  [
    `{"queries": [{"limit": {"total": 1, "per": {"attributes": ["year"], "limit": 1}}},
      {"top_k": 1}], "rerank_by": ["RRF"], "limit": 1}`,
    "queries[0].top_k",
  ],
  [`[]`, "JSON object"],
])("the builder says that it cannot show %s", (text, reason) => {
  expect(readRequest(parseJsonText(text) as Json, SCHEMA)).toEqual({
    reason: expect.stringContaining(reason),
  });
});

test("the first query waits for its words, and says so at their place", () => {
  const { problems } = buildRequest(firstQuery(SCHEMA), SCHEMA);
  expect([...problems]).toEqual([["rankings.0.query", "type what to look for"]]);
});

test("what was typed wrongly is told at its control", () => {
  const read = readRequest(parseJsonText(SHOWN[9]) as Json, SCHEMA);
  if ("reason" in read) throw new Error(read.reason);
  const wrong = {
    ...read.model,
    limit: "ten",
    offset: "-1",
    filter: { ...read.model.filter, parts: [] },
  };
  expect([...buildRequest(wrong, SCHEMA).problems.keys()].sort()).toEqual([
    "limit",
    "offset",
    "rankings.0.method",
  ]);
});

test("what a model reads, and what is counted for each value, must come back", () => {
  const read = readRequest(parseJsonText(SHOWN[0]) as Json, SCHEMA);
  if ("reason" in read) throw new Error(read.reason);
  const model = {
    ...read.model,
    limit: "1001",
    limitPer: { isOn: true, attributes: ["year"], limit: "2000" },
    rerank: { isOn: true, model: " ", attribute: "title", query: "" },
  };
  const bad = buildRequest(model, SCHEMA).problems;
  expect([...bad.keys()].sort()).toEqual([
    "limit",
    "limitPer",
    "limitPer.attributes",
    "rerank.attribute",
    "rerank.model",
    "rerank.query",
  ]);
  expect(bad.get("limit")).toBe("a model takes at most 1000 documents: type 1000 or less");
  const fused = { ...model, candidates: "501", rankings: [...model.rankings, ...model.rankings] };
  expect(buildRequest(fused, SCHEMA).problems.get("candidates")).toMatch("type 500 or less");
  const none = { ...model, limitPer: { ...model.limitPer, attributes: [] } };
  expect(buildRequest(none, SCHEMA).problems.get("limitPer.attributes")).toBe(
    "choose an attribute",
  );
  const good = {
    ...model,
    limit: "3",
    limitPer: { ...model.limitPer, limit: "3" },
    rerank: { ...model.rerank, model: "words", query: "a" },
    selection: { kind: "include" as const, names: ["title", "year"] },
  };
  expect([...buildRequest(good, SCHEMA).problems]).toEqual([]);
});
