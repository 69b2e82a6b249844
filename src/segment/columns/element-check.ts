/** Checks sorted elements (`element-section.ts`) that come from a store. */

import { runSteps } from "../../base/steps.ts";
import { bitmapWords } from "../../codec/bitmap.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import {
  codeStarts,
  type ElementEntries,
  type ElementValues,
  elementKeys,
  endsOf,
  partBitmaps,
  sortedEntries,
} from "./element-build.ts";
import type { SortedElements } from "./element-section.ts";
import { isSameWords } from "./sort-words.ts";

/** Throws `corrupt` unless sorted elements, all in memory, are just those of the attribute. */
export function checkElements(elements: SortedElements, values: ElementValues): void {
  const entries = runSteps(sortedEntries(values));
  if (entries === undefined) throw corrupt("sorted elements", "there are none, or no numbers");
  const { ordinals } = entries;
  const { entryCount, hasOrdinals, partEnds, documentCount } = elements;
  if (entryCount !== ordinals.length) {
    throw corrupt("sorted elements", `there are ${entryCount} for ${ordinals.length}`);
  }
  const isRising = partEnds.every(
    (end, i) => end <= entryCount && (i === 0 || end >= partEnds[i - 1]),
  );
  if (!isRising || partEnds.at(-1) !== entryCount) {
    throw corrupt("sorted elements", "their parts are not all of them");
  }
  const bitmapsAt = hasOrdinals ? entryCount : 0;
  if (elements.wordCount < bitmapsAt + partEnds.length * bitmapWords(documentCount)) {
    throw corrupt("sorted elements", "some are missing");
  }
  checkKeys(elements, values, entries);
  if (hasOrdinals) {
    const stored = elements.entries(0, entryCount);
    if (!areSame(stored, ordinals)) throw corrupt("sorted elements", "an entry is another one");
  } else if (!elements.isExact || !areSame(partEnds, endsOf(elements.starts, entryCount))) {
    throw corrupt("sorted elements", "their ordinals are missing");
  }
  const expected = runSteps(partBitmaps(partEnds, ordinals, documentCount));
  partEnds.forEach((_, part) => {
    const bitmap = elements.bitmap(part);
    const start = part * bitmap.length;
    if (!areSame(bitmap, expected.subarray(start, start + bitmap.length))) {
      throw corrupt("sorted elements", `the bitmap of part ${part} has others`);
    }
  });
}

function checkKeys(
  { keys, starts, isExact, entryCount }: SortedElements,
  { data, codeCount }: ElementValues,
  { by, positions }: ElementEntries,
): void {
  const wrong = corrupt("sorted elements", "their keys are not those of their entries");
  if (codeCount !== undefined) {
    const expected = runSteps(codeStarts(by, positions, codeCount));
    if (keys !== undefined || !isExact || !areSame(starts, expected)) throw wrong;
    return;
  }
  const isRising = starts.every(
    (start, i) => start < entryCount && (i === 0 || start > starts[i - 1]),
  );
  if (starts[0] !== 0 || !isRising) throw wrong;
  const expected = runSteps(elementKeys(data, positions, starts));
  if (keys?.constructor !== expected?.constructor || !areSame(keys, expected)) throw wrong;
  if (!isExact) return;
  let key = 0;
  for (let i = 1; i < entryCount; i++) {
    if (starts[key + 1] === i) key++;
    if (isSameWords(by, positions[i - 1], positions[i]) !== starts[key] < i) throw wrong;
  }
}

function areSame(
  a: ArrayLike<number | bigint> | undefined,
  b: ArrayLike<number | bigint> | undefined,
): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
