import { expect, test } from "vitest";
import { isDatabaseError } from "../../base/errors.ts";
import { runSteps } from "../../base/steps.ts";
import { bitmapWords } from "../../codec/bitmap.ts";
import { buildElements, type ElementValues } from "./element-build.ts";
import { checkElements } from "./element-check.ts";
import type { ElementArrays, SortedElements } from "./element-section.ts";

const COUNT = 640;
const WORDS = bitmapWords(COUNT);

/** Of 10 values, each of which has a bitmap, of 50, or of 900; every 64th document has no array. */
function valuesOf(distinct: number): ElementValues {
  const offsets = new Uint32Array(COUNT + 1);
  const presence = new Uint8Array(COUNT / 8).fill(0xff);
  const elements: number[] = [];
  for (let o = 0; o < COUNT; o++) {
    if (o % 64 === 0) presence[o >> 3] &= ~(1 << (o & 7));
    else for (let e = 0; e < o % 5; e++) elements.push((o * 7919 + e * 31) % distinct);
    // The last element again.
    if (o % 10 === 3) elements.push(elements[elements.length - 1]);
    offsets[o + 1] = elements.length;
  }
  const values = BigInt64Array.from(elements, (element) => BigInt(element) - 5n);
  return { data: { kind: "i64", values }, offsets, presence, count: COUNT, codeCount: undefined };
}

/** The same as codes, of which some are of no element. */
function codesOf(distinct: number): ElementValues {
  const { data, ...values } = valuesOf(distinct);
  const codes = Uint32Array.from([...data.values], (value) => 2 * (Number(value) + 5));
  return { ...values, data: { kind: "code", values: codes }, codeCount: 2 * distinct + 1 };
}

function built(values: ElementValues): ElementArrays {
  const elements = runSteps(buildElements(values));
  if (elements === undefined) throw new Error("nothing was sorted");
  return elements;
}

function viewOf({ ordinals, bitmaps, ...elements }: ElementArrays): SortedElements {
  return {
    ...elements,
    documentCount: COUNT,
    wordCount: ordinals.length + bitmaps.length,
    entries: (start, end) => ordinals.subarray(start, end),
    bitmap: (index) => bitmaps.subarray(index * WORDS, (index + 1) * WORDS),
  };
}

test.each([
  ["10 numbers", valuesOf(10), true, false],
  ["50 numbers", valuesOf(50), false, true],
  ["900 numbers", valuesOf(900), false, true],
  ["10 codes", codesOf(10), true, false],
  ["900 codes", codesOf(900), true, true],
])("of %s all that does not agree with them is found", (_, values, isExact, hasOrdinals) => {
  const good = built(values);
  expect(good).toMatchObject({ isExact, hasOrdinals });
  const isGood = (elements: Partial<ElementArrays>): boolean => {
    try {
      checkElements(viewOf({ ...good, ...elements }), values);
      return true;
    } catch (error) {
      if (isDatabaseError(error) && error.code === "corrupt") return false;
      throw error;
    }
  };
  const { keys, starts, partEnds, ordinals, bitmaps, entryCount } = good;
  expect(isGood({})).toBe(true);
  expect(isGood({ entryCount: entryCount - 1 })).toBe(false);
  expect(isGood({ hasOrdinals: !hasOrdinals })).toBe(false);
  expect(isGood({ partEnds: partEnds.slice(0, -1) })).toBe(false);
  expect(isGood({ bitmaps: bitmaps.subarray(0, -1) })).toBe(false);
  expect(isGood({ starts: starts.slice(0, -1) })).toBe(false);
  if (keys instanceof BigInt64Array) {
    expect(isGood({ keys: keys.with(keys.length - 1, 9999n) })).toBe(false);
    expect(isGood({ keys: new BigUint64Array(keys.buffer) })).toBe(false);
    expect(isGood({ keys: undefined })).toBe(false);
    if (isExact)
      expect(isGood({ keys: keys.slice(0, -1), starts: starts.slice(0, -1) })).toBe(false);
  } else {
    expect(isGood({ isExact: false })).toBe(false);
    expect(isGood({ keys: new BigInt64Array(starts.length) })).toBe(false);
  }
  // Keys of some entries may be those of others with the same element.
  for (let at = 0; isExact && at < starts.length; at += 7) {
    expect(isGood({ starts: starts.with(at, starts[at] + 1) })).toBe(false);
  }
  for (let at = 0; at < partEnds.length; at++) {
    expect(isGood({ partEnds: partEnds.with(at, entryCount + 1) })).toBe(false);
    expect(isGood({ bitmaps: bitmaps.with(at * WORDS, ~bitmaps[at * WORDS]) })).toBe(false);
    if (!hasOrdinals) expect(isGood({ partEnds: partEnds.with(at, partEnds[at] + 1) })).toBe(false);
  }
  for (const at of hasOrdinals ? [0, 1, 127, 128, entryCount - 2] : []) {
    const [a, b] = [ordinals[at], ordinals[at + 1]];
    expect(isGood({ ordinals: ordinals.with(at, b).with(at + 1, a) })).toBe(a === b);
    expect(isGood({ ordinals: ordinals.with(at, COUNT) })).toBe(false);
  }
});
