import { expect, test } from "vitest";
import { Outline } from "./outline.ts";

test("equal neighbours are one part", () => {
  const outline = new Outline();
  const text = outline.join(["a", "a", "a", "b", "a"], ", ", (part) => part);
  expect(outline.text(text)).toBe("a ×3, b, a");
});

test("parts over the bound are not looked at, however they are nested", () => {
  const outline = new Outline();
  let shown = 0;
  const nested = outline.join(Array(100).keys(), "; ", (i) => {
    const inner = outline.join(Array(100).keys(), ", ", (k) => {
      shown++;
      return `${i} ${k}`;
    });
    return `(${inner})`;
  });
  expect(shown).toBeLessThanOrEqual(256);
  expect(nested).toMatch(/, …\); …$/);
});

test("long texts are cut", () => {
  const outline = new Outline();
  expect(outline.text("é".repeat(5000))).toBe(`${"é".repeat(2000)}…`);
});
