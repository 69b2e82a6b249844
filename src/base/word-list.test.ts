import { expect, test } from "vitest";
import { WordList } from "./word-list.ts";

test("a list keeps what was added as it grows, and nothing once it is cleared", () => {
  const list = new WordList();
  const added = Array.from({ length: 1_000 }, (_, i) => 2 ** 32 - 1 - i);
  for (const word of added) list.add(word);
  expect(list.count).toBe(1_000);
  expect([...list.words]).toEqual(added);
  list.clear();
  expect([...list.words]).toEqual([]);
  list.add(7);
  expect([...list.words]).toEqual([7]);
});
