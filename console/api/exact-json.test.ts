import { expect, test } from "vitest";
import { parseExact, stringifyExact } from "./exact-json.ts";

test("whole numbers beyond 2^53 keep all their digits, both ways", () => {
  const text = '{"rows":[{"id":18446744073709551615},{"id":-9223372036854775808},{"id":7}]}';
  const parsed = parseExact(text) as { rows: { id: unknown }[] };
  expect(parsed.rows.map(({ id }) => id)).toEqual([2n ** 64n - 1n, -(2n ** 63n), 7]);
  expect(stringifyExact(parsed)).toBe(text);
});

test("other numbers, and digits in strings, are as JSON.parse has them", () => {
  const text =
    '[9007199254740991,0.1234567890123456789,1e300,12345678901234567890.5,"9007199254740993"]';
  expect(parseExact(text)).toEqual(JSON.parse(text));
});

test("what is no JSON is refused with its place", () => {
  expect(() => parseExact('{"a":}')).toThrow(SyntaxError);
  expect(() => parseExact('{"a":12345678901234567890,}')).toThrow(SyntaxError);
});

test("values are written as JSON.stringify writes them", () => {
  for (const value of [null, true, "a\n\"b'", [], {}, { a: undefined, b: [1, { c: 2 }] }]) {
    expect(stringifyExact(value)).toBe(JSON.stringify(value));
  }
  expect(stringifyExact({ a: undefined })).toBe("{}");
});
