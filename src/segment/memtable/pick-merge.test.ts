import { expect, test } from "vitest";
import { KIB } from "../../base/byte-sizes.ts";
import { pickMerge } from "./pick-merge.ts";

const LIMITS = { documentsMax: 10_000, bytesMax: 1024 * KIB };

test("a mostly dead segment is written anew, also a large one", () => {
  const half = { bytes: 1000 * KIB, documentCount: 1000, liveCount: 500 };
  const less = { ...half, liveCount: 499 };
  expect(pickMerge([half, half], LIMITS)).toBe(undefined);
  expect(pickMerge([half, less], LIMITS)).toEqual([1]);
  expect(pickMerge([{ ...less, bytes: 1e9 }], LIMITS)).toBe(undefined);
});

test("a full tier goes before a mostly dead segment", () => {
  const one = { bytes: KIB, documentCount: 10, liveCount: 10 };
  const deleted = { bytes: 500 * KIB, documentCount: 10, liveCount: 1 };
  expect(pickMerge([deleted, ...Array(8).fill(one)], LIMITS)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});
