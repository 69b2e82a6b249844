import { expect, test } from "vitest";
import { KIB } from "../base/byte-sizes.ts";
import { seededRandom } from "../base/random.ts";
import { pickFullTier, type TierSegment } from "./size-tiers.ts";

const LIMITS = { documentsMax: 10_000, bytesMax: 1024 * KIB };

/** Segments of these sizes, one document per KiB, all alive. */
function live(...kibs: number[]): TierSegment[] {
  return kibs.map((kib) => ({ bytes: kib * KIB, documentCount: kib, liveCount: kib }));
}

test("nothing is merged while no tier is full", () => {
  expect(pickFullTier([], LIMITS)).toBe(undefined);
  expect(pickFullTier(live(1, 1, 1, 1, 1, 1, 1), LIMITS)).toBe(undefined);
  expect(pickFullTier(live(1, 1, 1, 1, 60, 60, 60, 60, 60, 500, 500, 500), LIMITS)).toBe(undefined);
});

test("a full tier is merged, the lowest first, and nothing of other tiers", () => {
  expect(pickFullTier(live(100, 1, 1, 1, 1, 1, 1, 1, 1), LIMITS)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const two = live(70, 70, 70, 70, 70, 70, 70, 70, 1, 1, 1, 1, 1, 1, 1, 1);
  expect(pickFullTier(two, LIMITS)).toEqual([8, 9, 10, 11, 12, 13, 14, 15]);
});

test("a merge stays within its limits: the smallest that fit", () => {
  const large = live(400, 300, 260, 350, 450, 500, 490, 480);
  expect(pickFullTier(large, { ...LIMITS, bytesMax: 1000 * KIB })).toEqual([1, 2, 3]);
  expect(pickFullTier(live(1, 1, 1, 1, 1, 1, 1, 1), { ...LIMITS, documentsMax: 3 })).toEqual([
    0, 1, 2,
  ]);
  expect(pickFullTier(live(4, 4, 4, 4, 4, 4, 4, 4), { ...LIMITS, documentsMax: 7 })).toBe(
    undefined,
  );
});

test("segments over half of the limit stay, however many there are", () => {
  expect(pickFullTier(live(...Array.from({ length: 30 }, () => 600)), LIMITS)).toBe(undefined);
});

test("many one-document commits are copied a few times each and leave few segments", () => {
  const commits = 20_000;
  const random = seededRandom(7);
  let segments: TierSegment[] = [];
  let copied = 0;
  let most = 0;
  for (let i = 0; i < commits; i++) {
    const bytes = 1000 + random.below(3000);
    segments.push({ bytes, documentCount: 1, liveCount: 1 });
    for (;;) {
      const picked = pickFullTier(segments, { documentsMax: 5000, bytesMax: 10_000_000 });
      if (picked === undefined) break;
      const inputs = picked.map((index) => segments[index]);
      const sum = (key: keyof TierSegment) => inputs.reduce((total, s) => total + s[key], 0);
      copied += sum("documentCount");
      const documentCount = sum("documentCount");
      segments = segments.filter((_, index) => !picked.includes(index));
      segments.push({ bytes: sum("bytes"), documentCount, liveCount: documentCount });
    }
    most = Math.max(most, segments.length);
  }
  expect(copied / commits).toBeLessThan(5);
  expect(most).toBeLessThan(45);
});
