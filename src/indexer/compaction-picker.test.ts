import { expect, test } from "vitest";
import { MIB } from "../base/byte-sizes.ts";
import { seededRandom } from "../base/random.ts";
import { SEGMENT_TIER_FANOUT } from "../segment/size-tiers.ts";
import { type CompactionCandidate, pickCompaction } from "./compaction-picker.ts";

const MAX = 512 * MIB;

function segment(bytes: number, changes: Partial<CompactionCandidate> = {}): CompactionCandidate {
  return {
    bytes,
    documentCount: 100,
    liveCount: 100,
    isCurrent: true,
    isShared: false,
    ...changes,
  };
}

test("a full tier is merged, and segments of other tiers are left alone", () => {
  const small = Array.from({ length: SEGMENT_TIER_FANOUT }, () => segment(3 * MIB));
  expect(pickCompaction(small.slice(1), MAX, 0)?.kind).toBe("rest");
  const picked = pickCompaction([segment(100 * MIB), ...small], MAX, 0);
  expect(picked).toEqual({ kind: "merge", inputs: [1, 2, 3, 4, 5, 6, 7, 8] });
});

test("segments over half of the limit are never merged", () => {
  const large = Array.from({ length: 20 }, () => segment(300 * MIB));
  expect(pickCompaction(large, MAX, Number.POSITIVE_INFINITY)).toBeUndefined();
});

test("a merge keeps within the limit, but for two that have to be", () => {
  const halves = Array.from({ length: 8 }, () => segment(200 * MIB));
  expect(pickCompaction(halves, MAX, 0)).toEqual({ kind: "merge", inputs: [0, 1] });
});

test("segments that rest are merged where the smallest of them does not fit, too", () => {
  const picked = (...mibs: number[]) => {
    const segments = mibs.map((mib) => segment(mib * MIB));
    return pickCompaction(segments, MAX, 1e9)?.inputs;
  };
  expect(picked(300, 10, 190)).toEqual([0, 1, 2]);
  expect(picked(300, 30, 190)).toEqual([0, 2]);
  expect(picked(500, 300, 30, 190)).toEqual([1, 3]);
  // What is left beside the largest is not worth copying it.
  expect(picked(450, 40)).toBeUndefined();
  expect(picked(450, 40, 300)).toBeUndefined();
});

test("stale segments come first, all together, then one that is mostly deleted", () => {
  const stale = segment(MIB, { isCurrent: false });
  const deleted = segment(MIB, { liveCount: 30 });
  expect(pickCompaction([deleted, stale, segment(MIB), stale], MAX, 0)).toEqual({
    kind: "rewrite",
    inputs: [1, 3],
  });
  expect(pickCompaction([segment(MIB), deleted, deleted], MAX, 0)).toEqual({
    kind: "rewrite",
    inputs: [1],
  });
});

test("segments that rest are merged where the largest is worth it, after a while", () => {
  const sizes = [90, 3, 20, 600, 1, 0.01];
  const segments = sizes.map((size) => segment(size * MIB));
  const inputs = [0, 1, 2, 4, 5];
  const waitMs = Math.ceil(1000 + 30 * 114.01);
  expect(pickCompaction(segments, MAX, 0)).toEqual({ kind: "rest", inputs, forMs: waitMs });
  expect(pickCompaction(segments, MAX, waitMs - 1)).toEqual({ kind: "rest", inputs, forMs: 1 });
  for (const restedMs of [waitMs, Number.POSITIVE_INFINITY]) {
    expect(pickCompaction(segments, MAX, restedMs)).toEqual({ kind: "rest", inputs, forMs: 0 });
  }
  const lopsided = [segment(100 * MIB), segment(20 * MIB)];
  expect(pickCompaction(lopsided, MAX, Number.POSITIVE_INFINITY)).toBeUndefined();
  const three = { kind: "rest", inputs: [0, 1, 2], forMs: 0 };
  expect(pickCompaction([...lopsided, segment(5 * MIB)], MAX, 10_000)).toEqual(three);
  expect(pickCompaction([segment(400 * MIB), segment(200 * MIB)], MAX, 1e9)).toBeUndefined();
});

test("segments of others are left to them while they rest, but full tiers are merged", () => {
  const shared = Array.from({ length: 5 }, () => segment(3 * MIB, { isShared: true }));
  expect(pickCompaction([...shared, segment(MIB)], MAX, 1e9)).toBeUndefined();
  const own = [segment(MIB), segment(MIB)];
  const picked = { kind: "rest", inputs: [1, 6], forMs: 0 };
  expect(pickCompaction([shared[0], own[0], ...shared.slice(1), own[1]], MAX, 1e9)).toEqual(picked);
  const full = [...shared, ...own, segment(3 * MIB), segment(3 * MIB), segment(3 * MIB)];
  expect(pickCompaction(full, MAX, 0)).toEqual({
    kind: "merge",
    inputs: [0, 1, 2, 3, 4, 7, 8, 9],
  });
});

/** What becomes of segments that are ingested one after the other, resting so long after each. */
function simulate(sizes: readonly number[], bytesMax: number, restedMs: number) {
  let segments: CompactionCandidate[] = [];
  let ingested = 0;
  let written = 0;
  let most = 0;
  const settle = (rested: number) => {
    for (;;) {
      const picked = pickCompaction(segments, bytesMax, rested);
      if (picked === undefined || (picked.kind === "rest" && picked.forMs > 0)) break;
      const inputs = new Set(picked.inputs);
      const merged = segments.reduce(
        (sum, { bytes: size }, i) => sum + (inputs.has(i) ? size : 0),
        0,
      );
      written += merged;
      segments = [...segments.filter((_, i) => !inputs.has(i)), segment(merged)];
    }
  };
  for (const bytes of sizes) {
    ingested += bytes;
    written += bytes;
    segments.push(segment(bytes));
    settle(restedMs);
    most = Math.max(most, segments.length - ingested / (bytesMax / 2));
  }
  const amplification = written / ingested;
  settle(Number.POSITIVE_INFINITY);
  const atRest = { count: segments.length, amplification: written / ingested };
  return { amplification, most, atRest };
}

/** Ingests segments of 1 to 32 MiB. */
function ingest(stepCount: number, restedMs: number) {
  const random = seededRandom(9);
  const sizes = Array.from({ length: stepCount }, () => MIB * (1 + random.below(32)));
  return simulate(sizes, MAX, restedMs);
}

test("what is written and what is kept stays in proportion to what is ingested", () => {
  const { amplification, most } = ingest(4000, 0);
  // One write into each tier from 1 MiB to the limit: log8(512) is 3.
  expect(amplification).toBeLessThan(4);
  // Seven of each of four tiers, beside the segments that are large enough.
  expect(most).toBeLessThan(4 * SEGMENT_TIER_FANOUT);
});

test("where all segments rest few are kept, and what is written stays in proportion, too", () => {
  const { amplification, most } = ingest(4000, Number.POSITIVE_INFINITY);
  expect(amplification).toBeLessThan(12);
  expect(most).toBeLessThan(SEGMENT_TIER_FANOUT);
});

test("four GB of large steps end in few segments, each byte written less than three times", () => {
  const random = seededRandom(3);
  const counts: number[] = [];
  for (let run = 0; run < 200; run++) {
    const sizes: number[] = [];
    for (let left = 3900; left > 0; left -= sizes[sizes.length - 1] / MIB) {
      sizes.push(MIB * Math.min(left, 128 + random.below(385)));
    }
    const { amplification, atRest } = simulate(sizes, 960 * MIB, 0);
    // Nothing is merged while they come.
    expect(amplification).toBeLessThan(2);
    expect(atRest.amplification).toBeLessThan(3);
    counts.push(atRest.count);
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(7);
  expect(counts.reduce((sum, count) => sum + count) / counts.length).toBeLessThan(6);
});

test("four GB whose steps grow with the log are written less than twice", () => {
  const sizes = [20, 57, 155, 430, 778, 778, 778, 778, 126].map((mib) => mib * MIB);
  const { atRest } = simulate(sizes, 960 * MIB, 0);
  expect(atRest.count).toBeLessThanOrEqual(6);
  expect(atRest.amplification).toBeLessThan(2);
});
