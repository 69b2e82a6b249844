import {
  attributeIndexConformance,
  INDEX_FULL,
  INDEX_USUAL,
} from "../../../test/conformance/attribute-index.ts";
import { effort } from "../../../test/support/effort.ts";
import { FILTERED, sortedIndexOf } from "../../../test/support/segments/filtered-case.ts";
import { bitmapOrdinals } from "../../codec/bitmap.ts";
import { compareStrings } from "../../model/value.ts";
import { DICTIONARY_INDEX } from "./dictionary-index.ts";
import { SORTED_NUMBERS_INDEX } from "./sorted-numbers-index.ts";
import type { SortedValues } from "./sorted-section.ts";

const EFFORT = effort({ usual: INDEX_USUAL, full: INDEX_FULL });

/** Entries as ordinals, keys, and what the bitmaps have. */
function shownSorted(sorted: SortedValues) {
  const { entryCount, milestones } = sorted;
  const keys = [...sorted.keys].map((key, i) => [Number(key), sorted.starts[i]]);
  const bitmaps = Array.from(milestones, (_, m) => [...bitmapOrdinals(sorted.bitmap(m))]);
  return { entryCount, keys, milestones: [...milestones], bitmaps };
}

/** Few values: a key and a milestone for each, as small segments have them. */
function expectedSorted(values: readonly (number | null)[]) {
  const ordinals = values.flatMap((value, o) => (value === null ? [] : [o]));
  const numberOf = (ordinal: number): number => values[ordinal] ?? Number.NaN;
  ordinals.sort((a, b) => numberOf(a) - numberOf(b) || a - b);
  const firsts = ordinals.flatMap((o, i) =>
    i > 0 && numberOf(o) === numberOf(ordinals[i - 1]) ? [] : [i],
  );
  const isFew = firsts.length <= 16;
  const starts = isFew ? firsts : [0];
  const part = Math.ceil(ordinals.length / 8);
  const parts = [1, 2, 3, 4, 5, 6, 7].map((i) => i * part).filter((m) => m < ordinals.length);
  const milestones = isFew ? firsts.slice(1) : parts;
  if (ordinals.length < values.length) milestones.push(ordinals.length);
  return {
    entryCount: ordinals.length,
    keys: starts.map((start) => [numberOf(ordinals[start]), start]),
    milestones,
    bitmaps: milestones.map((m) => ordinals.slice(0, m).sort((a, b) => a - b)),
  };
}

attributeIndexConformance({
  ...FILTERED,
  effort: EFFORT,
  index: sortedIndexOf("sorted numbers"),
  shown(view, { attribute }) {
    const sorted = view.index(SORTED_NUMBERS_INDEX, attribute);
    return sorted && shownSorted(sorted);
  },
  expected({ schema: { type, filterable }, values }) {
    const kinds = ["int", "uint", "float", "datetime", "bool"];
    if (!filterable || type.kind !== "scalar" || !kinds.includes(type.of)) return undefined;
    return expectedSorted(values.map((value) => (value === null ? null : Number(value))));
  },
});

attributeIndexConformance({
  ...FILTERED,
  effort: EFFORT,
  index: sortedIndexOf("dictionary"),
  shown(view, { attribute }) {
    const sorted = view.index(DICTIONARY_INDEX, attribute)?.sorted;
    return sorted === undefined ? null : shownSorted(sorted);
  },
  expected({ schema: { type, ...options }, values }) {
    const isString = "of" in type && (type.of === "string" || type.of === "uuid");
    const { filterable, glob, regex, fuzzy } = options;
    if (!isString || !(filterable || glob || regex || fuzzy)) return undefined;
    if (type.kind === "array") return null;
    const distinct = [...new Set(values.flatMap((value) => value ?? []) as string[])];
    distinct.sort(compareStrings);
    return expectedSorted(
      values.map((value) => (value === null ? null : distinct.indexOf(value as string))),
    );
  },
});
