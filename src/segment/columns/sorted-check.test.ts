import { expect, test } from "vitest";
import { isDatabaseError } from "../../base/errors.ts";
import { runSteps } from "../../base/steps.ts";
import { bitmapWords } from "../../codec/bitmap.ts";
import type { SortableData } from "./sort-words.ts";
import { buildSorted } from "./sorted-build.ts";
import { checkSorted } from "./sorted-check.ts";
import type { SortedArrays, SortedValues } from "./sorted-section.ts";

const COUNT = 640;

/** Of 10 values, each of which has a milestone, of 18, or of 640; every 64th document has none. */
function valuesOf(distinct: number) {
  const values = BigInt64Array.from(
    { length: COUNT },
    (_, o) => BigInt((o * 7919) % distinct) - 5n,
  );
  const presence = new Uint8Array(COUNT / 8).fill(0xff);
  for (let o = 0; o < COUNT; o += 64) presence[o >> 3] &= ~(1 << (o & 7));
  const data: SortableData = { kind: "i64", values };
  return { data, presence, count: COUNT };
}

function built(distinct: number): SortedArrays {
  const sorted = runSteps(buildSorted(valuesOf(distinct)));
  if (sorted === undefined) throw new Error("nothing was sorted");
  return sorted;
}

function viewOf({ ordinals = new Uint32Array(0), bitmaps, ...sorted }: SortedArrays): SortedValues {
  const words = bitmapWords(COUNT);
  return {
    ...sorted,
    documentCount: COUNT,
    ordinalCount: ordinals.length,
    bitmapCount: bitmaps.length / words,
    entries: (start, end) => ordinals.subarray(start, end),
    peekEntries: (start, end) => ordinals.subarray(start, end),
    bitmap: (index) => bitmaps.subarray(index * words, (index + 1) * words),
  };
}

test.each([10, 18, 640])("of %i values all that does not agree with them is found", (distinct) => {
  const values = valuesOf(distinct);
  const good = built(distinct);
  const isGood = (sorted: Partial<SortedArrays>): boolean => {
    try {
      checkSorted(viewOf({ ...good, ...sorted }), values);
      return true;
    } catch (error) {
      if (isDatabaseError(error) && error.code === "corrupt") return false;
      throw error;
    }
  };
  const changed = (array: Uint32Array, at: number, value: number): Uint32Array =>
    array.with(at, value);
  expect(isGood({})).toBe(true);
  expect(isGood({ entryCount: good.entryCount - 1 })).toBe(false);
  // Keys of all values may be taken for those of some entries.
  expect(isGood({ isExact: !good.isExact })).toBe(distinct === 18);
  expect(isGood({ keys: (good.keys as BigInt64Array).with(1, 99n) })).toBe(false);
  expect(isGood({ keys: (good.keys as BigInt64Array).slice(1) })).toBe(false);
  for (let at = 0; at < good.starts.length; at++) {
    expect(isGood({ starts: changed(good.starts, at, good.starts[at] + 1) })).toBe(false);
  }
  for (let at = 0; at < good.milestones.length; at++) {
    const milestone = good.milestones[at];
    expect(isGood({ milestones: changed(good.milestones, at, milestone - 1) })).toBe(false);
    expect(isGood({ bitmaps: changed(good.bitmaps, at * 20, ~good.bitmaps[at * 20]) })).toBe(false);
  }
  const { ordinals } = good;
  expect(ordinals === undefined).toBe(distinct === 10);
  if (ordinals === undefined) return;
  for (const at of [0, 1, 127, 128, good.entryCount - 2]) {
    const [a, b] = [ordinals[at], ordinals[at + 1]];
    expect(isGood({ ordinals: ordinals.with(at, b).with(at + 1, a) })).toBe(false);
    expect(isGood({ ordinals: ordinals.with(at, b) })).toBe(false);
    expect(isGood({ ordinals: ordinals.with(at, COUNT) })).toBe(false);
    expect(isGood({ ordinals: ordinals.with(at, 64) })).toBe(false);
  }
  expect(isGood({ ordinals: ordinals.slice(1) })).toBe(false);
});
