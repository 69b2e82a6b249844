import { expect, test } from "vitest";
import { parseJsonText } from "./json-source.ts";
import { printJson } from "./print-literal.ts";

test("what fits a line is in one, and integers keep their digits", () => {
  expect(printJson({ id: 2n ** 60n, vector: [0.5, 1] })).toBe(
    '{"id": 1152921504606846976, "vector": [0.5, 1]}',
  );
});

test("what does not is broken at its members, and lists of numbers fill lines", () => {
  const vector = Array.from({ length: 30 }, (_, i) => i / 8);
  const text = printJson({ id: 7, rows: [{ title: "x".repeat(90) }], vector });
  expect(text.split("\n").slice(0, 7)).toEqual([
    "{",
    '  "id": 7,',
    '  "rows": [',
    "    {",
    `      "title": "${"x".repeat(90)}"`,
    "    }",
    "  ],",
  ]);
  const numbers = text.split("\n").slice(8, -2);
  expect(numbers.length).toBeLessThan(4);
  for (const line of numbers) expect(line.length).toBeLessThanOrEqual(88);
  expect(parseJsonText(text)).toEqual({ id: 7, rows: [{ title: "x".repeat(90) }], vector });
});
