/** How much of a long suite runs: `npm test` tries a share of the cases, heavy runs try all. */

/**
 * Gives `full` in heavy runs (TRAWL_TEST_FULL, set by vitest.config.ts), else `usual`. A test file
 * that imports this file itself is part of both.
 */
export function effort<T>({ usual, full }: { readonly usual: T; readonly full: T }): T {
  return process.env.TRAWL_TEST_FULL === "1" ? full : usual;
}

/**
 * Gives how many cases of the same kind are tried, as `effort` does. Of these, TRAWL_TEST_SHARE
 * makes a heavy run try a share, but no fewer than `usual`.
 */
export function cases(counts: { readonly usual: number; readonly full: number }): number {
  const share = Number(process.env.TRAWL_TEST_SHARE ?? 1);
  return Math.min(counts.full, Math.max(counts.usual, Math.ceil(share * effort(counts))));
}
