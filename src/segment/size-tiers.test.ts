import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { pickMerge, type TierSegment } from "./size-tiers.ts";

const KIB = 1024;
const LIMITS = { documentsMax: 10_000, bytesMax: 1024 * KIB };

/** Segments of these sizes, one document per KiB, all alive. */
function alive(...kibs: number[]): TierSegment[] {
  return kibs.map((kib) => ({ bytes: kib * KIB, documentCount: kib, liveCount: kib }));
}

test("nothing is merged while no tier is full", () => {
  expect(pickMerge([], LIMITS)).toBe(undefined);
  expect(pickMerge(alive(1, 1, 1, 1, 1, 1, 1), LIMITS)).toBe(undefined);
  expect(pickMerge(alive(1, 1, 1, 1, 60, 60, 60, 60, 60, 500, 500, 500), LIMITS)).toBe(undefined);
});

test("a full tier is merged, the lowest first, and nothing of other tiers", () => {
  expect(pickMerge(alive(100, 1, 1, 1, 1, 1, 1, 1, 1), LIMITS)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const two = alive(70, 70, 70, 70, 70, 70, 70, 70, 1, 1, 1, 1, 1, 1, 1, 1);
  expect(pickMerge(two, LIMITS)).toEqual([8, 9, 10, 11, 12, 13, 14, 15]);
});

test("a merge stays within its limits: the smallest that fit", () => {
  const large = alive(400, 300, 260, 350, 450, 500, 490, 480);
  expect(pickMerge(large, { ...LIMITS, bytesMax: 1000 * KIB })).toEqual([1, 2, 3]);
  expect(pickMerge(alive(1, 1, 1, 1, 1, 1, 1, 1), { ...LIMITS, documentsMax: 3 })).toEqual([
    0, 1, 2,
  ]);
  expect(pickMerge(alive(4, 4, 4, 4, 4, 4, 4, 4), { ...LIMITS, documentsMax: 7 })).toBe(undefined);
});

test("segments over half of the limit stay, however many there are", () => {
  expect(pickMerge(alive(...Array.from({ length: 30 }, () => 600)), LIMITS)).toBe(undefined);
});

test("a mostly dead segment is written anew, also a large one", () => {
  const half = { bytes: 1000 * KIB, documentCount: 1000, liveCount: 500 };
  const less = { ...half, liveCount: 499 };
  expect(pickMerge([half, half], LIMITS)).toBe(undefined);
  expect(pickMerge([half, less], LIMITS)).toEqual([1]);
  expect(pickMerge([{ ...less, bytes: 1e9 }], LIMITS)).toBe(undefined);
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
      const picked = pickMerge(segments, { documentsMax: 5000, bytesMax: 10_000_000 });
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
