import { expect, test } from "vitest";
import { pickRangeAccess, type SortedShape, sortedPays } from "./pick-access.ts";

/** A million documents, all with a value, and milestones at each eighth. */
const SHAPE: SortedShape = {
  documentCount: 1_000_000,
  entryCount: 1_000_000,
  milestones: Uint32Array.from([1, 2, 3, 4, 5, 6, 7], (i) => i * 125_000),
  hasOrdinals: true,
  isAscending: false,
};
/** Half have a value. */
const HALF = { ...SHAPE, entryCount: 500_000, milestones: Uint32Array.of(250_000, 500_000) };

const cut = (from: number, to = from) => ({ from, to, place: undefined });
const access = (shape: SortedShape, start: number, end: number) => {
  const { milestones, entries, bitmaps } = pickRangeAccess(shape, {
    start: cut(start),
    end: cut(end),
  });
  return [milestones?.map((milestone) => milestone.entries), entries, bitmaps];
};

test("a range is read entry by entry, or from the milestones next to its ends", () => {
  expect(access(SHAPE, 70_000, 80_000)).toEqual([undefined, 10_000, 0]);
  expect(access(SHAPE, 10_000, 110_000)).toEqual([[0, 125_000], 25_000, 1]);
  expect(access(SHAPE, 0, 500_000)).toEqual([[0, 500_000], 0, 1]);
  expect(access(SHAPE, 240_000, 510_000)).toEqual([[250_000, 500_000], 20_000, 2]);
  // The bitmap of all is known without reading it, and so is that of none.
  expect(access(SHAPE, 990_000, 1_000_000)).toEqual([undefined, 10_000, 0]);
  expect(access(SHAPE, 10, 999_990)).toEqual([[0, 1_000_000], 20, 1]);
  expect(access(HALF, 10, 499_990)).toEqual([[0, 500_000], 20, 1]);
  expect(access(HALF, 440_000, 500_000)).toEqual([undefined, 60_000, 0]);
});

test("where there are no ordinals all is read from bitmaps", () => {
  const bits = { ...SHAPE, milestones: Uint32Array.of(10, 600_000), hasOrdinals: false };
  expect(access(bits, 0, 10)).toEqual([[0, 10], 0, 1]);
  expect(access(bits, 10, 600_000)).toEqual([[10, 600_000], 0, 2]);
  expect(access(bits, 600_000, 1_000_000)).toEqual([[600_000, 1_000_000], 0, 2]);
});

test("entries that are their ordinals are a run of bits", () => {
  const range = { start: cut(10), end: cut(640_010) };
  const run = pickRangeAccess({ ...SHAPE, isAscending: true }, range);
  expect(run).toMatchObject({ isRun: true, milestones: undefined, entries: 20_000, bitmaps: 0 });
  expect(pickRangeAccess(SHAPE, range).isRun).toBe(false);
});

test("a cut that only values can tell costs the farther of its ends", () => {
  const range = { start: cut(0), end: cut(124_900, 125_020) };
  expect(pickRangeAccess(SHAPE, range)).toMatchObject({ entries: 100, bitmaps: 1 });
});

test("values are compared where that costs less", () => {
  const range = (entries: number) =>
    pickRangeAccess(SHAPE, { start: cut(60_000), end: cut(60_000 + entries) });
  const pays = (accesses: number, values: number, valueCost: number) =>
    sortedPays(SHAPE, Array(accesses).fill(range(1000)), { values, valueCost });
  expect(pays(1, 1_000_000, 2)).toBe(true);
  expect(pays(1, 501, 2)).toBe(true);
  expect(pays(1, 500, 2)).toBe(false);
  // To look for each value of a list takes as long as to set 3,000 bits.
  expect(pays(100, 1_000_000, 2)).toBe(true);
  expect(pays(600, 1_000_000, 2)).toBe(false);
  expect(pays(600, 1_000_000, 40)).toBe(true);
  expect(pays(0, 32, 2)).toBe(true);
});
