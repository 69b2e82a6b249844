import { expect, test } from "vitest";
import { StringCodes } from "./string-codes.ts";

test("strings have codes in the order in which they are asked for", () => {
  const codes = new StringCodes();
  expect(["b", "a", "b", "", "a"].map((text) => codes.codeOf(text))).toEqual([0, 1, 0, 2, 1]);
  expect([0, 1, 2].map((code) => codes.stringOf(code))).toEqual(["b", "a", ""]);
  expect(codes.size).toBe(3);
});

test("many strings have codes, whichever are hashed alike", () => {
  const codes = new StringCodes();
  const texts = Array.from({ length: 100_000 }, (_, i) => `${i % 2 === 0 ? "aa" : "bB"}${i >> 1}`);
  for (const [code, text] of texts.entries()) {
    if (codes.codeOf(text) !== code) expect.fail(`${text} has code ${codes.codeOf(text)}`);
  }
  for (const [code, text] of texts.entries()) {
    if (codes.codeOf(text) !== code || codes.stringOf(code) !== text) expect.fail(text);
  }
  expect(codes.size).toBe(texts.length);
});
