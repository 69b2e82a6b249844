import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compatibilityPage, unknownDifferences } from "../../scripts/docs/compatibility.ts";

const PAGE = new URL("../../docs/compatibility.md", import.meta.url);

// TRAWL_RECORD_DOCS=1 writes the page anew.
test("docs/compatibility.md is what the reference makes of it", () => {
  const page = compatibilityPage();
  if (process.env.TRAWL_RECORD_DOCS === "1") writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, "utf8")).toBe(page);
});

test("what is said to differ is there", () => {
  expect(unknownDifferences()).toEqual([]);
});
