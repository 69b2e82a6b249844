/** How much of a long suite runs: `npm test` tries a share of the cases, heavy runs try all. */

/**
 * Gives `full` in heavy runs (TRAWL_TEST_FULL, set by vitest.config.ts), else `usual`. A test
 * file that calls it, and imports it from here itself, is part of both.
 */
export function effort<T>({ usual, full }: { readonly usual: T; readonly full: T }): T {
  return process.env.TRAWL_TEST_FULL === "1" ? full : usual;
}
