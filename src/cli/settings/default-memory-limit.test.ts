import { expect, test } from "vitest";
import { GIB, MIB } from "../../base/byte-sizes.ts";
import { defaultMemoryLimit, memoryUse } from "./default-memory-limit.ts";

test.each([GIB, 2 * GIB, 8 * GIB, 24 * GIB])("of %d bytes the default leaves room", (bytes) => {
  const limit = defaultMemoryLimit(bytes);
  expect(memoryUse(limit)).toBeLessThanOrEqual(bytes);
  expect(memoryUse(limit + MIB)).toBeGreaterThan(bytes);
});

test("a small machine gets the minimum", () => {
  expect(defaultMemoryLimit(512 * MIB)).toBe(256 * MIB);
});
