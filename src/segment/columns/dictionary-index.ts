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

/** A dictionary as queries see it, and as it is. */
export interface OpenedDictionary extends DictionaryView {
  readonly arrays: Dictionary;
}

/** Of strings and uuids, and arrays of them, that are filterable, glob, regex or fuzzy. */
export const DICTIONARY_INDEX: AttributeIndex<OpenedDictionary> = {
  name: "dictionary",
  sections: [DICTIONARY_SECTION],
  option: "filterable",
  isWanted: wantsDictionary,
  isCurrent: (sections, type, schema) =>
    (sections.entry(DICTIONARY_SECTION) !== undefined) === wantsDictionary(type, schema),
  madeBy,
  *build({ attribute, column }: AttributeValues) {
    return [planDictionary(attribute, yield* buildDictionary(column))];
  },
  merge,
  open,
  check,
  touch: (sections) => sections.touch([DICTIONARY_SECTION]),
};

/** Each option for itself: they also say which columns are stored. */
function madeBy({ filterable, glob, regex, fuzzy }: AttributeSchema): unknown[] {
  return [[filterable, glob === true, regex === true, fuzzy === true].map(Number).join("")];
}

function open(sections: AttributeSections): OpenedDictionary | undefined {
  const section = sections.bytes(DICTIONARY_SECTION);
  if (section === undefined) return undefined;
  const arrays = openDictionary(section);
  return { ...dictionaryView(arrays), arrays };
}

function* merge({ attribute, column, inputs }: MergedValues): Steps<SectionPlan[]> {
  const parts: DictionaryPart[] = [];
  for (const { view, ordinals } of inputs) {
    const part = partOf(view, ordinals, { attribute, column });
    if (part === undefined) {
      return [planDictionary(attribute, yield* buildDictionary(column))];
    }
    parts.push(part);
  }
  return [planDictionary(attribute, yield* mergeDictionaries(parts))];
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
}
