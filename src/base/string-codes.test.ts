import { expect, test } from "vitest";
import { StringCodes } from "./string-codes.ts";

test("strings have codes in the order in which they are asked for", () => {
  const codes = new StringCodes();
  expect(["b", "a", "b", "", "a"].map((text) => codes.codeOf(text))).toEqual([0, 1, 0, 2, 1]);
  expect([0, 1, 2].map((code) => codes.stringOf(code))).toEqual(["b", "a", ""]);
  expect(codes.size).toBe(3);
});
