import { expect, test } from "vitest";
import type { IndexBuild } from "../../model/index-build.ts";
import { indexState } from "./index-state.ts";

function retryMs(documentsDone: number, documentsTotal: number, elapsedMs: number) {
  const build: IndexBuild = { attribute: "t", index: "regex", documentsDone, documentsTotal };
  return indexState([build], elapsedMs)("t", "regex")?.retryAfterMs;
}

test("a client asks again when the index should be there", () => {
  expect(retryMs(0, 50_000, 0)).toBe(2_800);
  expect(retryMs(0, 50_000, 2_000)).toBe(800);
  expect(retryMs(40_000, 50_000, 0)).toBe(800);
  expect(retryMs(0, 1, 0)).toBeLessThan(400);
});

test("where that was wrong, it waits a part of the time that has gone by", () => {
  expect(retryMs(0, 50_000, 8_000)).toBe(1_000);
  expect(retryMs(0, 50_000, 2_799)).toBe(100);
  expect(retryMs(0, 1e9, 0)).toBe(10_000);
  expect(retryMs(0, 10, 3_600_000)).toBe(10_000);
});

test("other indexes are ready", () => {
  const builds = [{ attribute: "t", index: "regex", documentsDone: 1, documentsTotal: 2 }] as const;
  expect(indexState(builds, 0)("t", "glob")).toBeUndefined();
  expect(indexState(builds, 0)("u", "regex")).toBeUndefined();
});
