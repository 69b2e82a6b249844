/** Comparisons of long arrays in tests. */

import { expect } from "vitest";

/**
 * Expects `found` to have exactly the elements of `wanted`, as `toEqual` does. A hundred times as
 * fast: `toEqual` takes about a microsecond for each element.
 */
export function expectElements<T extends number | bigint | string>(
  found: ArrayLike<T>,
  wanted: ArrayLike<T>,
  where?: string,
): void {
  let at = 0;
  while (at < wanted.length && Object.is(found[at], wanted[at])) at++;
  if (found.length !== wanted.length || at < wanted.length) expect(found, where).toEqual(wanted);
}
