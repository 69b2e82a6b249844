import { expect, test } from "vitest";
import { completionsAt } from "./completions.ts";
import { cursorPlace } from "./cursor-place.ts";
import { readRequestSchema } from "./request-schema.ts";

const SCHEMA = readRequestSchema({
  id: { type: "uint" },
  title: { type: "string", filterable: false, full_text_search: { tokenizer: "word_v3" } },
  vector: { type: "[2]f32", ann: { distance_metric: "cosine_distance" } },
  year: { type: "int", filterable: true },
  tags: { type: "[]string", filterable: true },
});

/** Completions where `|` stands. */
function at(text: string): string[] {
  const offset = text.indexOf("|");
  const place = cursorPlace(text.replace("|", ""), offset);
  return completionsAt(place, SCHEMA)
    .map(({ label }) => label)
    .filter((label) => label.toLowerCase().startsWith(place.typed.toLowerCase()));
}

test.each([
  ['{"ra|', ["rank_by"]],
  ['{"rank_by": [], |', expect.not.arrayContaining(["rank_by"])],
  ['{"rank_by": ["|', expect.arrayContaining(["title", "vector", "id", "year", "Sum"])],
  [
    '{"rank_by": ["title", "|"]}',
    ["BM25", "ContainsAllTokens", "ContainsAnyToken", "ContainsTokenSequence"],
  ],
  ['{"rank_by": ["vector", "|"]}', ["ANN", "kNN"]],
  ['{"rank_by": ["year", "d|"]}', ["desc"]],
  ['{"rank_by": ["title", "BM25", "|"]}', []],
  ['{"rank_by": ["title", "BM25", "a", {"|', ["last_as_prefix"]],
  ['{"rank_by": ["title", "BM25", "a", {"last_as_prefix": t|', ["true"]],
  ['{"filters": ["|', ["id", "title", "year", "tags", "And", "Or", "Not"]],
  ['{"filters": ["And", [["year", "L|', ["Lt", "Lte"]],
  ['{"filters": ["tags", "C|', ["Contains", "ContainsAny"]],
  ['{"filters": ["year", "Eq", |', []],
  ['{"queries": [{"top_k": 1}, {"f|', ["filters"]],
  ['{"queries": [{"filters": ["|', ["id", "title", "year", "tags", "And", "Or", "Not"]],
  ['{"queries": [], "rerank_by": ["|', ["RRF"]],
  ['{"queries": [], "rerank_by": ["RRF", {"w|', ["weights"]],
  ['{"rerank_by": {"m|', ["model"]],
  ['{"rerank_by": {"model": "words", "attribute": "|', ["title"]],
  ['{"limit": {"total": 9, "per": {"attributes": ["y|', ["year"]],
  ['{"include_attributes": ["id", "t|', ["title", "tags"]],
  ['{"include_attributes": |', ["true", "false"]],
  ['{"aggregate_by": {"n": ["Sum", "|', ["year"]],
  ['{"compute_attributes": {"h": ["Highlight", "|', ["title"]],
  ['{"compute_attributes": {"h": ["Highlight", "title", {"fragment_by": "s|', ["sentence"]],
  ['{"consistency": {"level": "e|', ["eventual"]],
  ['{"nothing": [{"|', []],
  ["|", []],
])("%s", (text, labels) => {
  expect(at(text)).toEqual(labels);
});

test("escaped quotes and brackets in strings are no structure", () => {
  expect(at('{"filters": ["year", "Eq", "\\"]}"], "top|')).toEqual(["top_k"]);
});
