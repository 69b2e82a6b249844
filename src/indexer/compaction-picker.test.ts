import { expect, test } from "vitest";
import { MIB } from "../base/byte-sizes.ts";
import { seededRandom } from "../base/random.ts";
import { SEGMENT_TIER_FANOUT } from "../segment/size-tiers.ts";
import { type CompactionCandidate, pickCompaction } from "./compaction-picker.ts";

const MAX = 512 * MIB;

function segment(bytes: number, changes: Partial<CompactionCandidate> = {}): CompactionCandidate {
  return { bytes, documentCount: 100, liveCount: 100, isCurrent: true, ...changes };
}

test("a full tier is merged, and segments of other tiers are left alone", () => {
  const small = Array.from({ length: SEGMENT_TIER_FANOUT }, () => segment(3 * MIB));
  expect(pickCompaction(small.slice(1), MAX)).toBeUndefined();
  const picked = pickCompaction([segment(100 * MIB), ...small], MAX);
  expect(picked).toEqual({ kind: "merge", inputs: [1, 2, 3, 4, 5, 6, 7, 8] });
});

test("segments over half of the limit are never merged", () => {
  const large = Array.from({ length: 20 }, () => segment(300 * MIB));
  expect(pickCompaction(large, MAX)).toBeUndefined();
});

test("a merge keeps within the limit, but for two that have to be", () => {
  const halves = Array.from({ length: 8 }, () => segment(200 * MIB));
  expect(pickCompaction(halves, MAX)).toEqual({ kind: "merge", inputs: [0, 1] });
});

test("stale segments come first, all together, then one that is mostly deleted", () => {
  const stale = segment(MIB, { isCurrent: false });
  const deleted = segment(MIB, { liveCount: 30 });
  expect(pickCompaction([deleted, stale, segment(MIB), stale], MAX)).toEqual({
    kind: "rewrite",
    inputs: [1, 3],
  });
  expect(pickCompaction([segment(MIB), deleted, deleted], MAX)).toEqual({
    kind: "rewrite",
    inputs: [1],
  });
});

test("what is written and what is kept stays in proportion to what is ingested", () => {
  const random = seededRandom(9);
  let segments: CompactionCandidate[] = [];
  let ingested = 0;
  let written = 0;
  let most = 0;
  for (let step = 0; step < 4000; step++) {
    const bytes = MIB * (1 + random.below(32));
    ingested += bytes;
    written += bytes;
    segments.push(segment(bytes));
    for (;;) {
      const picked = pickCompaction(segments, MAX);
      if (picked === undefined) break;
      const inputs = new Set(picked.inputs);
      const merged = segments.reduce(
        (sum, { bytes: size }, i) => sum + (inputs.has(i) ? size : 0),
        0,
      );
      written += merged;
      segments = [...segments.filter((_, i) => !inputs.has(i)), segment(merged)];
    }
    most = Math.max(most, segments.length - ingested / (MAX / 2));
  }
  // One write into each tier from 1 MiB to the limit: log8(512) is 3.
  expect(written / ingested).toBeLessThan(4);
  // Seven of each of four tiers, beside the segments that are large enough.
  expect(most).toBeLessThan(4 * SEGMENT_TIER_FANOUT);
});
