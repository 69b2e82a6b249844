import { describe, expect, test } from "vitest";
import { isObjectKey } from "./object-store.ts";

describe("only safe names are keys", () => {
  test.each(["", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "a b", "a~", "ä", "a\\b"])(
    "%j is none",
    (key) => expect(isObjectKey(key)).toBe(false),
  );

  test.each(["a", "..-table/x", ".a", "a/...", "A-Z_0.9/b"])("%j is one", (key) => {
    expect(isObjectKey(key)).toBe(true);
  });
});
