import { expect, test } from "vitest";
import { readRequestSchema } from "../query/request-schema.ts";
import { QueryDraft } from "./query-draft.ts";

const SCHEMA = readRequestSchema({
  title: { type: "string", filterable: false, full_text_search: { tokenizer: "word_v3" } },
});

test("what is changed in the controls is in the JSON, and the other way", () => {
  const draft = new QueryDraft(SCHEMA, undefined);
  expect(draft.problems.value.get("rankings.0.query")).toBe("type what to look for");
  expect(draft.isUntouched.value).toBe(true);
  draft.editText('{"rank_by": ["title", "BM25", "walrus"], "top_k": 3}');
  expect(draft.isUntouched.value).toBe(false);
  const model = draft.model.value;
  expect(model).toMatchObject({ limit: "3", rankings: [{ ranking: { query: "walrus" } }] });
  if (model === undefined) return;
  draft.editModel({ ...model, limit: "4" });
  expect(draft.body.value).toEqual({ rank_by: ["title", "BM25", "walrus"], top_k: 4 });
  expect(draft.problems.value.size).toBe(0);
});

test("JSON that the controls cannot show stays as it is, with the reason", () => {
  const text = '{"rank_by": ["Attribute", "title"], "top_k": 3}';
  const draft = new QueryDraft(SCHEMA, text);
  expect(draft.text.value).toBe(text);
  expect(draft.model.value).toBeUndefined();
  expect(draft.reason.value).toMatch("rank_by");
  expect(draft.fault.value).toBeUndefined();
  draft.reset();
  expect(draft.reason.value).toBeUndefined();
});

test("text that is no JSON has its fault at its place", () => {
  const draft = new QueryDraft(SCHEMA, '{"top_k": 3,}');
  expect(draft.fault.value).toEqual({
    message: "expected a member's name in quotes",
    place: { start: 12, end: 13 },
  });
  expect(draft.body.value).toBeUndefined();
  draft.editText("[1]");
  expect(draft.fault.value?.message).toMatch("a query is a JSON object");
});
