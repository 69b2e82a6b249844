import { expect, test } from "vitest";
import { matchesAtOnce, walkLimit } from "./walk-limit.ts";

const SHARE = 1 / 3;
const LARGE = { rows: 100_000, clusters: 1_563, dimensions: 768 };
const MANY = { rows: 1_000_000, clusters: 16_400, dimensions: 128 };

test.each([
  { matches: 4_097, size: LARGE, unasked: 149, most: 670 },
  { matches: 8_000, size: LARGE, unasked: 291, most: 1_308 },
  { matches: 50_000, size: LARGE, unasked: 1_817, most: 8_178 },
  { matches: 4_097, size: MANY, unasked: 87, most: 390 },
  { matches: 10_000, size: MANY, unasked: 211, most: 951 },
  // Of smaller clusters each costs less.
  { matches: 4_097, size: { ...LARGE, clusters: 6_250 }, unasked: 193, most: 868 },
])("a walk through $matches of $size.rows vectors may look into $most clusters", (of) => {
  const limit = walkLimit(of.size, of.matches, SHARE);
  expect(Math.round(limit?.unasked ?? 0)).toBe(of.unasked);
  expect(Math.round(limit?.most ?? 0)).toBe(of.most);
});

test("all of it follows the share, and the matches", () => {
  const limit = walkLimit(MANY, 5_000, SHARE) ?? expect.unreachable();
  expect(walkLimit(MANY, 5_000, 2 * SHARE)).toEqual({ ...limit, unasked: 2 * limit.unasked });
  const twice = { unasked: 2 * limit.unasked, most: 2 * limit.most };
  expect(walkLimit(MANY, 10_000, SHARE)).toEqual(twice);
});

test("where clusters are many, more matches are looked at without a walk", () => {
  expect(matchesAtOnce(LARGE)).toBe(266);
  expect(matchesAtOnce(MANY)).toBe(6_452);
  expect(matchesAtOnce({ ...MANY, clusters: 0 })).toBe(0);
});

test("where byte codes are hundreds of MiB, there is no choice", () => {
  const dimensions = 768;
  const rows = 342_392;
  const size = { rows, clusters: 5_000, dimensions };
  expect(matchesAtOnce(size)).toBe(851);
  expect(walkLimit(size, 10_000, SHARE)).toBeDefined();
  expect(matchesAtOnce({ ...size, rows: rows + 1 })).toBe(0);
  expect(walkLimit({ ...size, rows: rows + 1 }, 10_000, SHARE)).toBeUndefined();
});
