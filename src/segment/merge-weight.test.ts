import { expect, test } from "vitest";
import { mergeWeight } from "./merge-weight.ts";

test("vectors and codes count half, whatever has them, and all else as it is", () => {
  const section = (kind: number, bytes: number) => ({ kind, attribute: "a", offset: 0, bytes });
  const entries = [section(1, 100), section(4, 50), section(15, 1_000)];
  expect(mergeWeight({ bytes: 2_000, entries })).toBe(2_000);
  const coded = [3, 17, 21, 24, 33].map((kind) => section(kind, 1_000));
  expect(mergeWeight({ bytes: 7_000, entries: [...entries, ...coded] })).toBe(4_500);
});
