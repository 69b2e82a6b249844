import { expect, test } from "vitest";
import { clip, hasMoreCodePoints } from "./bounded-text.ts";

test("code points are counted, not UTF-16 units", () => {
  expect(hasMoreCodePoints("", 0)).toBe(false);
  expect(hasMoreCodePoints("abc", 3)).toBe(false);
  expect(hasMoreCodePoints("abcd", 3)).toBe(true);
  expect(hasMoreCodePoints("🐡🐡🐡", 3)).toBe(false);
  expect(hasMoreCodePoints("🐡🐡🐡🐡", 3)).toBe(true);
  expect(hasMoreCodePoints("a\ud83d\ud83d", 2)).toBe(true);
  expect(hasMoreCodePoints("🐡a", 1)).toBe(true);
});

test("the count stops at the limit, whatever the length", () => {
  const long = "y".repeat(2 ** 28);
  // Reading all of it a thousand times would take minutes, more than a test may.
  for (let i = 0; i < 1000; i++) expect(hasMoreCodePoints(long, 128)).toBe(true);
});

test("a clipped text has at most so many units and no half of a code point", () => {
  expect(clip("short")).toBe("short");
  expect(clip("y".repeat(100))).toBe("y".repeat(100));
  expect(clip("y".repeat(101))).toBe(`${"y".repeat(100)}…`);
  expect(clip("abcdef", 3)).toBe("abc…");
  expect(clip("ab🐡cd", 3)).toBe("ab…");
  expect(clip("ab🐡cd", 4)).toBe("ab🐡…");
});
