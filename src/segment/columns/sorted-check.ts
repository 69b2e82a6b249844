/** Checks sorted values (`sorted-section.ts`) that come from a store. */

import { assert } from "../../base/assert.ts";
import { runSteps } from "../../base/steps.ts";
import { bitmapWords, hasBit, setBit } from "../../codec/bitmap.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import {
  compareWords,
  isSameWords,
  type SortableData,
  type SortWords,
  sortOrdinals,
  sortWords,
} from "./sort-words.ts";
import { isPresent, presentOrdinals, type SortableValues } from "./sorted-build.ts";
import type { SortedEntries } from "./sorted-entries.ts";
import type { SortedValues } from "./sorted-section.ts";

/** Throws `corrupt` unless sorted values, all in memory, are just those of the attribute. */
export function checkSorted(sorted: SortedValues, values: SortableValues): void {
  const by = runSteps(sortWords(values.data));
  if (by === undefined) throw corrupt("sorted values", "one of them is no number");
  const { keys, starts, milestones, entryCount, bitmapCount } = sorted;
  const isRising = (numbers: Uint32Array): boolean =>
    numbers.every((number, i) => number <= entryCount && (i === 0 || number > numbers[i - 1]));
  const isWhole = starts[0] === 0 && starts.length === keys.length && starts.at(-1) !== entryCount;
  if (!isWhole || !isRising(starts) || !isRising(milestones)) {
    throw corrupt("sorted values", "their directory contradicts itself");
  }
  if (bitmapCount < milestones.length || milestones[0] === 0) {
    throw corrupt("sorted values", "bitmaps are missing");
  }
  const ordinals = entriesOf(sorted, by, values);
  checkOrder(ordinals, by, values);
  checkKeys(sorted, ordinals, { by, data: values.data });
  checkBitmaps(sorted, ordinals);
}

/** All entries; where they are not stored, as they would be. */
function entriesOf(sorted: SortedValues, by: SortWords, values: SortableValues): Uint32Array {
  const { entryCount, ordinalCount, isExact, starts, milestones } = sorted;
  const present = runSteps(presentOrdinals(values));
  if (present.length !== entryCount) {
    throw corrupt("sorted values", `there are ${entryCount} for ${present.length} documents`);
  }
  if (ordinalCount > 0) {
    if (ordinalCount < entryCount) throw corrupt("sorted values", "some are missing");
    return sorted.entries(0, entryCount);
  }
  const isPlaced = starts.every((start) => start === 0 || milestones.includes(start));
  if (!isPlaced || !isExact) throw corrupt("sorted values", "their ordinals are missing");
  return runSteps(sortOrdinals(by, present));
}

/** Rising by value and then by ordinal, as many as there are: each is there once. */
function checkOrder(ordinals: Uint32Array, by: SortWords, values: SortableValues): void {
  const { presence, count } = values;
  let last = -1;
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i];
    if (ordinal >= count || !isPresent(presence, ordinal)) {
      throw corrupt("sorted values", `ordinal ${ordinal} of ${count} has none`);
    }
    const order = i === 0 ? -1 : compareWords(by, last, ordinal);
    if (order > 0 || (order === 0 && last >= ordinal)) {
      throw corrupt("sorted values", `entry ${i} is not in order`);
    }
    last = ordinal;
  }
}

function checkKeys(
  { keys, starts, isExact }: SortedValues,
  ordinals: Uint32Array,
  { by, data }: { readonly by: SortWords; readonly data: SortableData },
): void {
  const areKeys = starts.every((start, i) => keys[i] === data.values[ordinals[start]]);
  if (!areKeys) throw corrupt("sorted values", "a key is not its entry's value");
  if (!isExact) return;
  let key = 0;
  for (let i = 1; i < ordinals.length; i++) {
    if (starts[key + 1] === i) key++;
    if (isSameWords(by, ordinals[i - 1], ordinals[i]) !== starts[key] < i) {
      throw corrupt("sorted values", "a value has no key, or several");
    }
  }
}

/** Throws `corrupt` unless the bitmaps of milestones are those of the entries, each of which is once. */
export function checkBitmaps(sorted: SortedEntries, ordinals: Uint32Array): void {
  const { milestones, documentCount } = sorted;
  const expected = new Uint32Array(bitmapWords(documentCount));
  let entry = 0;
  milestones.forEach((milestone, m) => {
    for (; entry < milestone; entry++) {
      assert(!hasBit(expected, ordinals[entry]), "an entry is there twice");
      setBit(expected, ordinals[entry]);
    }
    const bitmap = sorted.bitmap(m);
    if (!expected.every((word, w) => word === bitmap[w])) {
      throw corrupt("sorted values", `the bitmap of ${milestone} entries has others`);
    }
  });
}
