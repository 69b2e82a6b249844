import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/**
 * Compares like `toEqual`, but about ten times as fast for equal values. Node compares first; the
 * test runner compares only unequal values, to report the difference.
 */
export function expectEqual(found: unknown, expected: unknown, message?: string): void {
  if (isDeepStrictEqual(found, expected)) return;
  expect(found, message).toEqual(expected);
}
