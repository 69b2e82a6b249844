import { expect, test } from "vitest";
import { comparedPhases, comparisonText } from "./phase-comparison.ts";
import type { QueryAnalysis } from "./plan-tree.ts";

function analysis(phases: Record<string, number>, rounds = 0, fresh = 0): QueryAnalysis {
  return {
    queries: [],
    reads: { rounds, loaded_bytes: rounds * 1000, store_bytes: 0 },
    performance: {
      cache_temperature: "hot",
      server_total_ms: 6,
      query_execution_ms: 5,
      exhaustive_search_count: fresh,
      approx_namespace_size: 9,
    },
    phases,
    steps: [],
  };
}

test("phases stand beside each other; those that took no time are left out", () => {
  const cold = analysis({ read_ms: 8, search_ms: 2, rerank_ms: 0 }, 2);
  const hot = analysis({ read_ms: 0, search_ms: 1, rerank_ms: 0 });
  expect(comparedPhases(cold, hot)).toEqual([
    { name: "read: bytes that were not in memory", first: "8.00 ms", again: "0.00 ms", share: 1 },
    { name: "search: filters, scores, documents", first: "2.00 ms", again: "1.00 ms", share: 0.25 },
  ]);
  expect(comparisonText(cold, hot)).toBe(
    "Cold: 5 ms to run, 6 ms in the server; 2,000 bytes were read in 2 rounds, one after the " +
      "other. Hot: 5 ms to run, 6 ms in the server; all was in memory.",
  );
});

test("one run is told by itself, and none by nothing", () => {
  expect(comparisonText(analysis({}, 1), undefined)).toMatch(/in 1 round, one after/);
  expect(comparedPhases(undefined, undefined)).toEqual([]);
  expect(comparisonText(undefined, undefined)).toBe("");
});

test("where all documents are in the log it is said that cold shows nothing", () => {
  expect(comparisonText(analysis({}, 0, 9), analysis({}, 0, 9))).toMatch(
    /9 documents are in the log/,
  );
});
