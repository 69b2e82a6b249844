import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import type { IndexBuild } from "../model/index-build.ts";
import {
  backlogSize,
  FOLD_PAUSE_MS,
  FOLD_REST_MS,
  type IndexedState,
  indexStatus,
  isFoldDue,
} from "./index-status.ts";

const LIMITS = {
  indexTailBytes: 16_000,
  indexTailEntries: 100,
  foldBytesMin: 2_000,
  foldDocumentsMin: 50,
};
const EMPTY = { entryCount: 0, bytes: 0, documentCount: 0 };
const LARGE = { documentCount: 600, logicalBytes: 60_000, builds: [], isReindexing: false };

function state(log: Partial<IndexedState["log"]>, rest: Partial<IndexedState> = {}): IndexedState {
  return { ...LARGE, log: { ...EMPTY, ...log }, ...rest };
}

function build(documentsDone: number, documentsTotal: number): IndexBuild {
  return { attribute: "t", index: "full_text_search", documentsDone, documentsTotal };
}

test("how much of a log waits", () => {
  const sizeOf = (log: Partial<IndexedState["log"]>, rest: Partial<IndexedState> = {}) =>
    backlogSize(state(log, rest), LIMITS);
  const tiny = { documentCount: 49, logicalBytes: 1_999 };
  expect(sizeOf({})).toBe("none");
  expect(sizeOf({ entryCount: 1, bytes: 1, documentCount: 1 })).toBe("small");
  expect(sizeOf({ entryCount: 1, bytes: 1 })).toBe("none"); // Only deletions.
  expect(sizeOf({ entryCount: 99, bytes: 1_999, documentCount: 49 }, tiny)).toBe("none");
  expect(sizeOf({ entryCount: 1, bytes: 2_000, documentCount: 1 }, tiny)).toBe("ample");
  expect(sizeOf({ entryCount: 1, bytes: 1, documentCount: 50 })).toBe("ample");
  expect(sizeOf({ entryCount: 100, bytes: 100, documentCount: 1 }, tiny)).toBe("long");
  expect(sizeOf({ entryCount: 1, bytes: 16_000, documentCount: 1 })).toBe("long");
});

test("when a log is folded", () => {
  const quiet = { quietMs: FOLD_PAUSE_MS, foldedMs: Number.POSITIVE_INFINITY };
  const busy = { ...quiet, quietMs: FOLD_PAUSE_MS - 1 };
  const again = { ...quiet, foldedMs: FOLD_REST_MS - 1 };
  const due = (["none", "small", "ample", "long"] as const).map((size) =>
    [quiet, busy, again].map((since) => isFoldDue(size, since)),
  );
  expect(due).toEqual([
    [false, false, false],
    [true, false, false],
    [true, false, true],
    [true, true, true],
  ]);
});

test("documents that wait in the log are told", () => {
  const status = indexStatus(state({ entryCount: 2, bytes: 300, documentCount: 3 }), LIMITS);
  expect(status).toEqual({ isUpToDate: false, unindexedBytes: 300, unindexedCount: 3 });
});

test("a tiny namespace is up to date, and none of it is indexed", () => {
  const tiny = { documentCount: 3, logicalBytes: 90 };
  const status = indexStatus(state({ entryCount: 2, bytes: 300, documentCount: 3 }, tiny), LIMITS);
  expect(status).toEqual({ isUpToDate: true, unindexedBytes: 0, unindexedCount: 3 });
});

test("an index that is being built counts the documents that lack it", () => {
  const builds = [build(500, 600), build(100, 600)];
  const status = indexStatus(
    state({ entryCount: 1, bytes: 9, documentCount: 1 }, { builds }),
    LIMITS,
  );
  expect(status).toEqual({ isUpToDate: false, unindexedBytes: 50_000, unindexedCount: 500 });
  const anew = indexStatus(state({}, { isReindexing: true }), LIMITS);
  expect(anew).toEqual({ isUpToDate: false, unindexedBytes: 60_000, unindexedCount: 600 });
});

test("up to date: nothing is built, and all of a larger namespace is in indexes", () => {
  const random = seededRandom(22);
  for (let round = 0; round < 2_000; round++) {
    const documentCount = random.below(120);
    const log = {
      entryCount: random.below(130),
      bytes: random.below(3) * random.below(9_000),
      documentCount: random.below(documentCount + 1),
    };
    const builds = random.below(3) === 0 ? [build(random.below(9), 9 + random.below(99))] : [];
    const isReindexing = random.below(9) === 0;
    const logicalBytes = documentCount * random.below(80);
    const all = { documentCount, logicalBytes, log, builds, isReindexing };
    const status = indexStatus(all, LIMITS);
    expect(status.unindexedCount).toBeLessThanOrEqual(documentCount);
    if (!status.isUpToDate) continue;
    expect(builds.length === 0 && !isReindexing).toBe(true);
    const isTiny = documentCount < LIMITS.foldDocumentsMin && logicalBytes < LIMITS.foldBytesMin;
    if (!isTiny) expect(status.unindexedCount).toBe(0);
  }
});
