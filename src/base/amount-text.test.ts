import { expect, test } from "vitest";
import { countedText, countText, sizeText } from "./amount-text.ts";

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [-1_234_567, "-1,234,567"],
  [1234.5678, "1,234.5678"],
  [18_446_744_073_709_551_615n, "18,446,744,073,709,551,615"],
])("the count %s", (count, text) => {
  expect(countText(count)).toBe(text);
});

test.each([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_024, "1.0 KiB"],
  [1_536, "1.5 KiB"],
  [1_048_575, "1.0 MiB"],
  [24_536_000, "23.4 MiB"],
  [2 ** 50, "1.0 PiB"],
  [2 ** 60, "1024.0 PiB"],
])("the size %d", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test("one is singular", () => {
  expect([0, 1, 2000].map((count) => countedText(count, "row"))).toEqual([
    "0 rows",
    "1 row",
    "2,000 rows",
  ]);
  expect(countedText(2, "query", "queries")).toBe("2 queries");
});
