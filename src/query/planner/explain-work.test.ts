import { expect, test } from "vitest";
import { newWorkStats } from "../operator/work-stats.ts";
import { explainReads, explainWork } from "./explain-work.ts";

test("what was not done is left out", () => {
  expect(explainWork(newWorkStats())).toBe("Work: none");
  expect(explainWork({ ...newWorkStats(), documentsScanned: 7, bytesReturned: 8 })).toBe(
    "Work: 7 documents scanned, 8 bytes returned",
  );
});

test("filters tell whether they compared values or took those that lie together", () => {
  const work = { ...newWorkStats(), documentsScanned: 9, valuesCompared: 9, entriesTouched: 2 };
  expect(explainWork(work)).toBe(
    "Work: 9 documents scanned, 9 values compared, 2 entries of sorted values touched",
  );
});

test("reads are told where there were any", () => {
  expect(explainReads({ rounds: 0, loadedBytes: 0, storeBytes: 0 })).toBe(
    "Reads: none, all was in memory",
  );
  expect(explainReads({ rounds: 2, loadedBytes: 9, storeBytes: 12 })).toBe(
    "Reads: 2 rounds, 9 bytes loaded, 12 bytes of the store",
  );
});
