import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/**
 * Compares like `toEqual`. The comparison of Node takes a tenth of the time; that of the runner is
 * asked only if it fails, and shows what differs.
 */
export function expectEqual(found: unknown, expected: unknown, message?: string): void {
  if (isDeepStrictEqual(found, expected)) return;
  expect(found, message).toEqual(expected);
}
