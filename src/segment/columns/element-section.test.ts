import {
  attributeIndexConformance,
  INDEX_FULL,
  INDEX_USUAL,
} from "../../../test/conformance/attribute-index.ts";
import { effort } from "../../../test/support/effort.ts";
import { FILTERED, sortedIndexOf } from "../../../test/support/segments/filtered-case.ts";
import { bitmapOrdinals } from "../../codec/bitmap.ts";
import { type AttributeValue, compareScalars, type ScalarValue } from "../../model/value.ts";
import { DICTIONARY_INDEX } from "./dictionary-index.ts";
import { ELEMENT_NUMBERS_INDEX } from "./element-numbers-index.ts";
import type { SortedElements } from "./element-section.ts";

const EFFORT = effort({ usual: INDEX_USUAL, full: INDEX_FULL });

/** Entries as ordinals, keys, and what the bitmaps have. */
function shownElements(elements: SortedElements) {
  const { entryCount, keys, starts, partEnds, hasOrdinals } = elements;
  const parts = Array.from(partEnds, (end, part) => [
    end,
    ...bitmapOrdinals(elements.bitmap(part)),
  ]);
  const ordinals = hasOrdinals ? [...elements.entries(0, entryCount)] : undefined;
  return { keys: keys && Array.from(keys, Number), starts: [...starts], parts, ordinals };
}

/** The same of few documents; of numbers with keys, of others by all that there are. */
function expectedElements(
  values: readonly AttributeValue[],
  all: readonly ScalarValue[] | undefined,
) {
  const lists = values.map((value) => [...new Set((value ?? []) as ScalarValue[])]);
  const distinct = [...(all ?? new Set(lists.flat()))].sort(compareScalars);
  const runs = distinct.map((one) => lists.flatMap((list, o) => (list.includes(one) ? [o] : [])));
  const ordinals = runs.flat();
  const ends = runs.map((_, i) => runs.slice(0, i + 1).flat().length);
  const firsts = [0, ...ends.slice(0, -1)];
  const isExact = all !== undefined || distinct.length <= Math.max(16, ordinals.length / 32);
  const fences = firsts.map((_, i) => i * 128).filter((start) => start < ordinals.length);
  const starts = isExact ? firsts : fences;
  const keyOf = (entry: number) => distinct[ends.findIndex((end) => entry < end)];
  const words = Math.ceil(values.length / 32);
  const hasBitmaps = isExact && starts.length <= 64 && starts.length * words <= ordinals.length;
  const step = Math.max(Math.ceil(values.length / 8), Math.ceil(ordinals.length / 64));
  const even = ordinals.map((_, i) => (i + 1) * step).filter((end) => end < ordinals.length);
  const partEnds = hasBitmaps ? ends : [...even, ordinals.length];
  const parts = partEnds.map((end, part) => {
    const own = ordinals.slice(part === 0 ? 0 : partEnds[part - 1], end);
    return [end, ...[...new Set(own)].sort((a, b) => a - b)];
  });
  const keys = all === undefined ? starts.map((start) => Number(keyOf(start))) : undefined;
  return { keys, starts, parts, ordinals: hasBitmaps ? undefined : ordinals };
}

function hasElements(values: readonly AttributeValue[]): boolean {
  return values.some((value) => Array.isArray(value) && value.length > 0);
}

attributeIndexConformance({
  ...FILTERED,
  effort: EFFORT,
  index: sortedIndexOf("element numbers"),
  shown(view, { attribute }) {
    const elements = view.index(ELEMENT_NUMBERS_INDEX, attribute);
    return elements && shownElements(elements);
  },
  expected({ schema: { type, filterable }, values }) {
    const kinds = ["int", "uint", "float", "datetime", "bool"];
    if (!filterable || type.kind !== "array" || !kinds.includes(type.of)) return undefined;
    if (!hasElements(values)) return undefined;
    return expectedElements(values, type.of === "bool" ? [false, true] : undefined);
  },
});

attributeIndexConformance({
  ...FILTERED,
  effort: EFFORT,
  index: sortedIndexOf("dictionary"),
  shown(view, { attribute }) {
    const elements = view.index(DICTIONARY_INDEX, attribute)?.elements;
    return elements === undefined ? null : shownElements(elements);
  },
  expected({ schema: { type, ...options }, values }) {
    const isString = "of" in type && (type.of === "string" || type.of === "uuid");
    const { filterable, glob, regex, fuzzy } = options;
    if (!isString || !(filterable || glob || regex || fuzzy)) return undefined;
    if (type.kind !== "array" || !hasElements(values)) return null;
    return expectedElements(values, [
      ...new Set(values.flatMap((value) => value ?? [])),
    ] as string[]);
  },
});
