import { expect, test } from "vitest";
import { formulaCount, rowsText } from "./shown-rows.ts";

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

test("CSV quotes empty texts, as imports read them, and leaves texts as they are", () => {
  const rows = [
    { id: "=1+1", title: "" },
    { id: 2, title: null },
    { id: 3, title: "=1+1" },
  ];
  expect(rowsText("csv", { rows, columns: ["title"], vectorColumns: new Set() })).toBe(
    'id,title\r\n=1+1,""\r\n2,\r\n3,=1+1\r\n',
  );
  expect(formulaCount({ rows, columns: ["title"] })).toBe(2);
  expect(formulaCount({ rows: [{ id: -1, n: -1 }], columns: ["n", "none"] })).toBe(0);
});

test("CSV quotes what would break its lines", () => {
  expect(rowsText("csv", SHOWN)).toBe(
    "id,title,tags,vector\r\n" +
      '18446744073709551615,"a ""b"", c","[""x""]","[1,0]"\r\n' +
      'k,"two\nlines",,\r\n',
  );
});
