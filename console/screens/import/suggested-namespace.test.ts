import { expect, test } from "vitest";
import { nameFault } from "../../api/reachable-name.ts";
import { suggestedNamespace } from "./suggested-namespace.ts";

test.each([
  ["artworks.csv", "artworks"],
  ["artworks.csv.gz", "artworks"],
  ["My Films (2024).xlsx.csv", "My-Films-2024"],
  ["Æther café.jsonl", "ther-cafe"],
  [".csv", ""],
  ["電影.csv", ""],
  [`${"x".repeat(300)}.csv`, "x".repeat(64)],
])("%s becomes %s", (file, name) => {
  expect(suggestedNamespace(file)).toBe(name);
  if (name !== "") expect(nameFault(name)).toBeUndefined();
});
