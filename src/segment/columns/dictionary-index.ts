/** Dictionaries: the distinct values of an attribute, for filters and for ordering. */

import { Pace } from "../../base/pace.ts";
import type { Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { Column } from "../../model/columns.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import { stringCount } from "../postings/term-section.ts";
import type {
  AttributeIndex,
  AttributeValues,
  IndexedSegment,
  MergedValues,
} from "../view/attribute-index.ts";
import type { DictionaryView } from "../view/segment-view.ts";
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
import { buildElements, type ElementValues } from "./element-build.ts";
import { checkElements } from "./element-check.ts";
import { openElements, planElements, type SortedElements } from "./element-section.ts";
import { buildSorted, SORTED_DOCUMENTS_MIN, type SortableValues } from "./sorted-build.ts";
import { checkSorted } from "./sorted-check.ts";
import { openSorted, planSorted, type SortedValues } from "./sorted-section.ts";
import { buildTrigrams, checkTrigrams, TRIGRAM_STRINGS_MIN } from "./trigram-build.ts";
import {
  openTrigrams,
  planTrigrams,
  TRIGRAM_SECTIONS,
  type TrigramView,
} from "./trigram-section.ts";

/** Documents and elements whose positions one step lists. */
const POSITIONS_PER_STEP = 65_536;

/** A dictionary as queries see it, and as it is. */
export interface OpenedDictionary extends DictionaryView {
  readonly arrays: Dictionary;
  /** The codes of scalars in order, if the segment has them. */
  readonly sorted: SortedValues | undefined;
  /** The codes of elements in order, if the segment has them. */
  readonly elements: SortedElements | undefined;
  /** Which strings have which trigrams, if the segment has that. */
  readonly trigrams: TrigramView | undefined;
}

/** Kinds of the sections of sorted codes (`sorted-section.ts`). */
export const SORTED_CODES = { directory: 43, ordinals: 44, bitmaps: 45 };

/** Kinds of the sections of sorted codes of elements (`element-section.ts`). */
export const ELEMENT_CODES = { directory: 61, entries: 62 };

const SECTIONS = [
  DICTIONARY_SECTION,
  ...Object.values(SORTED_CODES),
  ...Object.values(ELEMENT_CODES),
  ...Object.values(TRIGRAM_SECTIONS),
];

/** What a dictionary is to have beside its values. */
export interface DictionaryExtent {
  /** Documents from which on its codes are sorted. */
  readonly sortedMin: number;
  /** Distinct strings from which on it has their trigrams, where patterns are looked for. */
  readonly trigramMin: number;
}

/** Of strings and uuids, and arrays of them, that are filterable, glob, regex or fuzzy. */
export const DICTIONARY_INDEX = dictionaryIndex({
  sortedMin: SORTED_DOCUMENTS_MIN,
  trigramMin: TRIGRAM_STRINGS_MIN,
});

/**
 * Dictionaries with sorted codes and trigrams where they are large enough; it reads those of all
 * others. Segments whose dictionaries have none are current, and get them by their next merge.
 */
export function dictionaryIndex(extent: DictionaryExtent): AttributeIndex<OpenedDictionary> {
  return {
    name: "dictionary",
    sections: SECTIONS,
    option: "filterable",
    isWanted: wantsDictionary,
    isCurrent: (sections, type, schema) =>
      (sections.entry(DICTIONARY_SECTION) !== undefined) === wantsDictionary(type, schema),
    madeBy,
    *build(values: AttributeValues) {
      return yield* plan(values, yield* buildDictionary(values.column), extent);
    },
    *merge(values: MergedValues) {
      return yield* plan(values, yield* merge(values), extent);
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

/** Read together with both directories: a filter that finds a value looks where it is in order. */
function open(sections: AttributeSections): OpenedDictionary | undefined {
  sections.touch([
    DICTIONARY_SECTION,
    SORTED_CODES.directory,
    ELEMENT_CODES.directory,
    TRIGRAM_SECTIONS.directory,
  ]);
  const section = sections.bytes(DICTIONARY_SECTION);
  if (section === undefined) return undefined;
  const arrays = openDictionary(section);
  const view = dictionaryView(arrays);
  const sorted = openSorted(sections, SORTED_CODES);
  const elements = openElements(sections, ELEMENT_CODES);
  return { ...view, arrays, sorted, elements, trigrams: openTrigrams(sections, view.size) };
}

/** The dictionary, its codes in order and its trigrams, where those are worth it. */
function* plan(
  { attribute, column, schema }: Pick<AttributeValues, "attribute" | "column" | "schema">,
  dictionary: Dictionary,
  { sortedMin, trigramMin }: DictionaryExtent,
): Steps<SectionPlan[]> {
  const plans = [planDictionary(attribute, dictionary)];
  if (column.count >= sortedMin) plans.push(...(yield* planOrder(attribute, column, dictionary)));
  const { values } = dictionary;
  if (values.kind !== "string" || !wantsTrigrams(schema) || stringCount(values) < trigramMin) {
    return plans;
  }
  const trigrams = yield* buildTrigrams(values);
  return trigrams === undefined ? plans : [...plans, ...planTrigrams(attribute, trigrams)];
}

function* planOrder(
  attribute: string,
  column: Column,
  dictionary: Dictionary,
): Steps<SectionPlan[]> {
  if (column.data.kind === "array") {
    const elements = yield* buildElements(elementsOf(column, column.data.offsets, dictionary));
    return elements === undefined ? [] : planElements(attribute, elements, ELEMENT_CODES);
  }
  const sorted = yield* buildSorted(codesOf(column, dictionary));
  return sorted === undefined ? [] : planSorted(attribute, sorted, SORTED_CODES);
}

/** Of attributes that are declared to be searched by pattern; what is filterable alone is not. */
function wantsTrigrams(schema: AttributeSchema | undefined): boolean {
  return schema?.glob === true || schema?.regex === true || schema?.fuzzy === true;
}

function codesOf({ presence, count }: Column, { codes }: Dictionary): SortableValues {
  return { data: { kind: "code", values: codes }, presence, count };
}

function elementsOf(
  { presence, count }: Column,
  offsets: Uint32Array,
  { codes, values }: Dictionary,
): ElementValues {
  const codeCount = dictionaryView({ codes, values }).size;
  return { data: { kind: "code", values: codes }, offsets, presence, count, codeCount };
}

function* merge({ attribute, column, inputs }: MergedValues): Steps<Dictionary> {
  const parts: DictionaryPart[] = [];
  for (const { view, ordinals } of inputs) {
    const part = yield* partOf(view, ordinals, { attribute, column });
    if (part === undefined) return yield* buildDictionary(column);
    parts.push(part);
  }
  return yield* mergeDictionaries(parts);
}

/** Undefined if a segment has values and no dictionary to join. */
function* partOf(
  view: IndexedSegment,
  ordinals: Uint32Array,
  merged: { readonly attribute: string; readonly column: Column },
): Steps<DictionaryPart | undefined> {
  const column = view.column(merged.attribute)?.column;
  if (column === undefined) return absentPart(merged.column, ordinals.length);
  const dictionary = view.index(DICTIONARY_INDEX, merged.attribute)?.arrays;
  if (dictionary === undefined) return undefined;
  const { data } = column;
  if (data.kind !== "array") return { dictionary, positions: ordinals, column };
  const positions = yield* elementPositions(data.offsets, ordinals);
  return { dictionary, positions, column: undefined };
}

/** Positions of the elements of some documents' arrays. */
function* elementPositions(offsets: Uint32Array, ordinals: Uint32Array): Steps<Uint32Array> {
  const pace = new Pace(POSITIONS_PER_STEP);
  let count = 0;
  for (const ordinal of ordinals) {
    count += offsets[ordinal + 1] - offsets[ordinal];
    if (pace.isDue(1)) yield;
  }
  const positions = new Uint32Array(count);
  let at = 0;
  for (const ordinal of ordinals) {
    const end = offsets[ordinal + 1];
    for (let e = offsets[ordinal]; e < end; e++) {
      positions[at++] = e;
      if (pace.isDue(1)) yield;
    }
    if (pace.isDue(1)) yield;
  }
  return positions;
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
  checkOrderOfElements(opened, column);
  const { trigrams } = opened;
  if (trigrams === undefined) return;
  const { values } = arrays;
  if (values.kind !== "string") throw corrupt("trigrams", "there are no strings");
  const lists = sections.bytes(TRIGRAM_SECTIONS.lists);
  checkTrigrams(trigrams, lists ?? new Uint8Array(0), values);
}

function checkOrderOfElements({ elements, arrays }: OpenedDictionary, column: Column): void {
  if (elements === undefined) return;
  const { data } = column;
  if (data.kind !== "array") throw corrupt("sorted elements", "there are no arrays");
  checkElements(elements, elementsOf(column, data.offsets, arrays));
}
