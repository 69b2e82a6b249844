import { expect, test } from "vitest";
import { rowsText } from "./shown-rows.ts";

const SHOWN = {
  rows: [
    { id: 2n ** 64n - 1n, title: 'a "b", c', tags: ["x"], vector: "AACAPwAAAAA=" },
    { id: "k", title: "two\nlines" },
  ],
  columns: ["title", "tags", "vector"],
  vectorColumns: new Set(["vector"]),
};

test("JSON Lines have ids exact, vectors as numbers, and nothing of what is not there", () => {
  expect(rowsText("jsonl", SHOWN)).toBe(
    '{"id":18446744073709551615,"title":"a \\"b\\", c","tags":["x"],"vector":[1,0]}\n' +
      '{"id":"k","title":"two\\nlines"}\n',
  );
});

test("CSV quotes what would break its lines", () => {
  expect(rowsText("csv", SHOWN)).toBe(
    "id,title,tags,vector\r\n" +
      '18446744073709551615,"a ""b"", c","[""x""]","[1,0]"\r\n' +
      'k,"two\nlines",,\r\n',
  );
});
