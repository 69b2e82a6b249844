import { expect, test } from "vitest";
import { clippedText, pairsText, printable, tableText } from "./table-text.ts";

test("columns are as wide as their widest cell", () => {
  const columns = [{ title: "NAME" }, { title: "COUNT", align: "right" }, { title: "X" }] as const;
  const rows = [
    ["a", "1", ""],
    ["längerer", "1,000", "y"],
  ];
  expect(tableText(columns, rows)).toBe(
    "NAME      COUNT  X\na             1\nlängerer  1,000  y\n",
  );
});

test("pairs stand below each other", () => {
  expect(
    pairsText([
      ["a", "1"],
      ["name", ""],
    ]),
  ).toBe("a     1\nname\n");
});

test("what would move the cursor is shown", () => {
  expect(printable("a\u001b[2Jb\nc\u202ed")).toBe("a\\u001b[2Jb⏎c\\u202ed");
  expect(tableText([{ title: "T" }], [["\u0007"]])).toBe("T\n\\u0007\n");
});

test("long texts are clipped by characters", () => {
  expect(clippedText("abcdef", 6)).toBe("abcdef");
  expect(clippedText("abcdef", 4)).toBe("abc…");
  expect(clippedText("🐋🐋🐋🐋", 3)).toBe("🐋🐋…");
});
