/** Dictionaries: the distinct values of an attribute, for filters and for ordering. */

import type { Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { Column } from "../../model/columns.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import type {
  AttributeIndex,
  AttributeValues,
  IndexedSegment,
  MergedValues,
} from "../attribute-index.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { DictionaryView } from "../segment-view.ts";
import { COLUMN_INDEX } from "./column-index.ts";
import {
  buildDictionary,
  DICTIONARY_SECTION,
  type Dictionary,
  type DictionaryPart,
  dictionaryView,
  mergeDictionaries,
  openDictionary,
  planDictionary,
  wantsDictionary,
} from "./dictionary-section.ts";
import { buildSorted, SORTED_DOCUMENTS_MIN, type SortableValues } from "./sorted-build.ts";
import { checkSorted } from "./sorted-check.ts";
import { openSorted, planSorted, type SortedValues } from "./sorted-section.ts";

/** A dictionary as queries see it, and as it is. */
export interface OpenedDictionary extends DictionaryView {
  readonly arrays: Dictionary;
  /** The codes of scalars in order, if the segment has them. */
  readonly sorted: SortedValues | undefined;
}

/** Kinds of the sections of sorted codes (`sorted-section.ts`). */
export const SORTED_CODES = { directory: 43, ordinals: 44, bitmaps: 45 };

const SECTIONS = [DICTIONARY_SECTION, ...Object.values(SORTED_CODES)];

/** Of strings and uuids, and arrays of them, that are filterable, glob, regex or fuzzy. */
export const DICTIONARY_INDEX = dictionaryIndex(SORTED_DOCUMENTS_MIN);

/**
 * Dictionaries with sorted codes in segments with so many documents or more; it reads those of all
 * others. Segments whose dictionaries have none are current, and get them by their next merge.
 */
export function dictionaryIndex(sortedMin: number): AttributeIndex<OpenedDictionary> {
  return {
    name: "dictionary",
    sections: SECTIONS,
    option: "filterable",
    isWanted: wantsDictionary,
    isCurrent: (sections, type, schema) =>
      (sections.entry(DICTIONARY_SECTION) !== undefined) === wantsDictionary(type, schema),
    madeBy,
    *build(values: AttributeValues) {
      return yield* plan(values, yield* buildDictionary(values.column), sortedMin);
    },
    *merge(values: MergedValues) {
      return yield* plan(values, yield* merge(values), sortedMin);
    },
    open,
    check,
    touch: (sections) => sections.touch(SECTIONS),
  };
}

/** Each option for itself: they also say which columns are stored. */
function madeBy({ filterable, glob, regex, fuzzy }: AttributeSchema): unknown[] {
  return [[filterable, glob === true, regex === true, fuzzy === true].map(Number).join("")];
}

/** Both are read together: a filter that finds a value's code looks where it is in order. */
function open(sections: AttributeSections): OpenedDictionary | undefined {
  const { directory } = SORTED_CODES;
  if (sections.entry(directory) !== undefined) sections.touch([DICTIONARY_SECTION, directory]);
  const section = sections.bytes(DICTIONARY_SECTION);
  if (section === undefined) return undefined;
  const arrays = openDictionary(section);
  return { ...dictionaryView(arrays), arrays, sorted: openSorted(sections, SORTED_CODES) };
}

/** The dictionary, and its codes in order where that is worth it. */
function* plan(
  { attribute, column }: { readonly attribute: string; readonly column: Column },
  dictionary: Dictionary,
  sortedMin: number,
): Steps<SectionPlan[]> {
  const plans = [planDictionary(attribute, dictionary)];
  const { count } = column;
  if (count < sortedMin || column.data.kind === "array") return plans;
  const sorted = yield* buildSorted(codesOf(column, dictionary));
  return sorted === undefined ? plans : [...plans, ...planSorted(attribute, sorted, SORTED_CODES)];
}

function codesOf({ presence, count }: Column, { codes }: Dictionary): SortableValues {
  return { data: { kind: "code", values: codes }, presence, count };
}

function* merge({ attribute, column, inputs }: MergedValues): Steps<Dictionary> {
  const parts: DictionaryPart[] = [];
  for (const { view, ordinals } of inputs) {
    const part = partOf(view, ordinals, { attribute, column });
    if (part === undefined) return yield* buildDictionary(column);
    parts.push(part);
  }
  return yield* mergeDictionaries(parts);
}

/** Undefined if a segment has values and no dictionary to join. */
function partOf(
  view: IndexedSegment,
  ordinals: Uint32Array,
  merged: { readonly attribute: string; readonly column: Column },
): DictionaryPart | undefined {
  const column = view.column(merged.attribute)?.column;
  if (column === undefined) return absentPart(merged.column, ordinals.length);
  const dictionary = view.index(DICTIONARY_INDEX, merged.attribute)?.arrays;
  if (dictionary === undefined) return undefined;
  const { data } = column;
  if (data.kind !== "array") return { dictionary, positions: ordinals, column };
  const positions: number[] = [];
  for (const ordinal of ordinals) {
    for (let e = data.offsets[ordinal]; e < data.offsets[ordinal + 1]; e++) positions.push(e);
  }
  return { dictionary, positions: Uint32Array.from(positions), column: undefined };
}

/** The part of a segment where none of `count` documents has a value. */
function absentPart(column: Column, count: number): DictionaryPart {
  const { data } = column;
  const isArray = data.kind === "array";
  const kind = isArray ? data.elements.kind : data.kind;
  const bytes = new Uint8Array(0);
  const values =
    kind === "uuid"
      ? { kind, bytes }
      : { kind: "string" as const, offsets: new Uint32Array(1), bytes };
  // Scalars have a code for every document, arrays only for every element.
  const positions = new Uint32Array(isArray ? 0 : count);
  return { dictionary: { values, codes: new Uint32Array(1) }, positions, column: undefined };
}

function check(sections: AttributeSections): void {
  const opened = open(sections);
  const column = COLUMN_INDEX.open(sections);
  if (opened === undefined || column === undefined) return;
  const { data } = column;
  const { arrays, size } = opened;
  const { documentCount } = sections;
  const codeCount = data.kind === "array" ? data.offsets[documentCount] : documentCount;
  const isWithin = arrays.codes.every((code) => code < Math.max(1, size));
  if (arrays.codes.length !== codeCount || !isWithin) {
    throw corrupt("a dictionary", "its codes do not fit its values");
  }
  const { sorted } = opened;
  if (sorted !== undefined) checkSorted(sorted, codesOf(column, arrays));
}
