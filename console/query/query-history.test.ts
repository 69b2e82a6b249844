import { expect, test } from "vitest";
import {
  HISTORY_MAX,
  KEPT_CHARS_MAX,
  NAMED_MAX,
  type NamedQuery,
  namingFault,
  type PastQuery,
  readHistory,
  readNamed,
  withNamed,
  withQuery,
} from "./query-history.ts";

test("the last queries are kept, each once, the newest first", () => {
  let history: PastQuery[] = [];
  for (let i = 0; i < 60; i++) history = withQuery(history, { text: `{"top_k": ${i}}`, atMs: i });
  expect(history).toHaveLength(HISTORY_MAX);
  history = withQuery(history, { text: '{"top_k": 40}', atMs: 99 });
  expect(history).toHaveLength(HISTORY_MAX);
  expect(history.slice(0, 2)).toEqual([
    { text: '{"top_k": 40}', atMs: 99 },
    { text: '{"top_k": 59}', atMs: 59 },
  ]);
  expect(readHistory(JSON.stringify(history))).toEqual(history);
  expect(withQuery(history, { text: "x".repeat(KEPT_CHARS_MAX + 1), atMs: 1 })).toEqual(history);
});

test("queries with names are kept by name", () => {
  const b = { name: "b", text: "{}" };
  const all = withNamed(withNamed([b], { name: "a", text: "{}" }), { name: "b", text: "[]" });
  expect(all).toEqual([
    { name: "a", text: "{}" },
    { name: "b", text: "[]" },
  ]);
  expect(readNamed(JSON.stringify(all))).toEqual(all);
  expect(namingFault(all, b)).toBeUndefined();
  expect(namingFault(all, { name: " ", text: "{}" })).toMatch("Type a name");
  expect(namingFault(all, { name: "c", text: "x".repeat(KEPT_CHARS_MAX + 1) })).toMatch("not kept");
  const many: NamedQuery[] = Array.from({ length: NAMED_MAX }, (_, i) => ({
    name: `${i}`,
    text: "",
  }));
  expect(namingFault(many, b)).toMatch("delete one first");
});

test.each([null, "", "{", "{}", "[1, {}]", '[{"text": 1}]'])("stored %s is nothing", (stored) => {
  expect([readHistory(stored), readNamed(stored)]).toEqual([[], []]);
});
