/**
 * The dictionary of an attribute: its distinct values, sorted, and the code of each value. Packed
 * (`columns-packing.ts`): 0 for strings or 1 for uuids; the values as offsets and bytes, or as 16
 * bytes each; the codes.
 */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { StringCodes } from "../../base/string-codes.ts";
import { ArrayPacker, ArrayUnpacker } from "../../codec/columns-packing.ts";
import { hasValue } from "../../codec/columns-value.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column, ColumnData } from "../../model/columns.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import { formatUuid, UUID_BYTES } from "../../model/uuid.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import {
  byteStringReader,
  codeOf,
  fromByteStrings,
  latin1,
  lowerBound,
  mergeSorted,
  type SortedStrings,
  StringCollector,
  sortInSteps,
  stringAt,
  stringCount,
} from "../postings/term-section.ts";
import type { DictionaryView } from "../view/segment-view.ts";

/** A dictionary as arrays. */
export interface Dictionary {
  readonly values: DictionaryValues;
  /** By ordinal, or by element for arrays. */
  readonly codes: Uint32Array;
}

type DictionaryValues =
  | ({ readonly kind: "string" } & SortedStrings)
  | { readonly kind: "uuid"; readonly bytes: Uint8Array };

/** One input of a merge. */
export interface DictionaryPart {
  readonly dictionary: Dictionary;
  /** Positions in `codes` of the values that live on, in their new order. */
  readonly positions: Uint32Array;
  /** The column, if positions are ordinals, some of which may have no value. */
  readonly column: Column | undefined;
}

const UUIDS = 1;
/** Values that one step of a build takes: less than a millisecond. */
const STEP_VALUES = 2048;

/** Codes that one step looks at. */
const STEP_POSITIONS = 65_536;

/** Kind of the section of a dictionary. */
export const DICTIONARY_SECTION = 5;

/** Tells whether an attribute's values are kept in a dictionary. */
export function wantsDictionary(type: AttributeType, schema: AttributeSchema | undefined): boolean {
  if (schema === undefined || (type.kind !== "scalar" && type.kind !== "array")) return false;
  if (type.of !== "string" && type.of !== "uuid") return false;
  const { filterable, glob, regex, fuzzy } = schema;
  return filterable || glob === true || regex === true || fuzzy === true;
}

/** Builds the dictionary of a column of strings or uuids, or of arrays of them. */
export function* buildDictionary(column: Column): Steps<Dictionary> {
  const isArray = column.data.kind === "array";
  const data = column.data.kind === "array" ? column.data.elements : column.data;
  const [start, end] =
    column.data.kind === "array"
      ? [column.data.offsets[0], column.data.offsets[column.count]]
      : [0, column.count];
  const valueAt = valueReader(data, start, end);
  const firstCodes = new StringCodes();
  const codes = new Uint32Array(end - start);
  for (let i = start; i < end; i++) {
    if (i % STEP_VALUES === 0) yield;
    if (!isArray && !hasValue(column, i)) continue;
    codes[i - start] = firstCodes.codeOf(valueAt(i));
  }
  const sorted = yield* sortInSteps(firstCodes.strings);
  const finalCodes = new Uint32Array(sorted.length);
  for (let code = 0; code < sorted.length; code++) {
    if (code % STEP_VALUES === 0) yield;
    finalCodes[firstCodes.codeOf(sorted[code])] = code;
  }
  for (let i = 0; i < codes.length; i++) {
    if (i % STEP_POSITIONS === 0) yield;
    codes[i] = finalCodes[codes[i]] ?? 0;
  }
  return { values: dictionaryValues(data.kind, yield* fromByteStrings(sorted)), codes };
}

/** Joins dictionaries of one attribute, keeping only values that are in use. */
export function* mergeDictionaries(parts: readonly DictionaryPart[]): Steps<Dictionary> {
  const kind = parts[0].dictionary.values.kind;
  const tables = parts.map(({ dictionary }) => sortedOf(dictionary.values));
  const newCodes: Uint32Array[] = [];
  for (let p = 0; p < parts.length; p++) {
    const { dictionary, positions, column } = parts[p];
    const used = new Uint32Array(stringCount(tables[p]));
    for (let i = 0; i < positions.length; i++) {
      if (i % STEP_POSITIONS === 0) yield;
      if (column === undefined || hasValue(column, positions[i])) {
        used[dictionary.codes[positions[i]]] = 1;
      }
    }
    newCodes.push(used);
  }
  const values = new StringCollector();
  yield* mergeSorted(tables, (merged) => {
    let isUsed = false;
    for (let m = 0; m < merged.tableCount; m++) {
      const part = merged.tables[m];
      const code = merged.codes[part];
      if (newCodes[part][code] === 0) continue;
      newCodes[part][code] = values.count;
      isUsed = true;
    }
    if (isUsed) values.add(tables[merged.tables[0]], merged.codes[merged.tables[0]]);
    return merged.tableCount;
  });
  let count = 0;
  for (const { positions } of parts) count += positions.length;
  const codes = new Uint32Array(count);
  let at = 0;
  for (let p = 0; p < parts.length; p++) {
    const { dictionary, positions } = parts[p];
    for (let i = 0; i < positions.length; i++) {
      if (i % STEP_POSITIONS === 0) yield;
      codes[at++] = newCodes[p][dictionary.codes[positions[i]]] ?? 0;
    }
  }
  return { values: dictionaryValues(kind, yield* values.finish()), codes };
}

/** Plans the section of a dictionary. */
export function planDictionary(attribute: string, dictionary: Dictionary): SectionPlan {
  const { values, codes } = dictionary;
  const packer = new ArrayPacker();
  packer.word(values.kind === "uuid" ? UUIDS : 0);
  if (values.kind === "string") packer.array(values.offsets);
  packer.array(values.bytes);
  packer.array(codes);
  return packedSection(DICTIONARY_SECTION, attribute, packer);
}

/** Opens the section of a dictionary. */
export function openDictionary(block: Uint8Array): Dictionary {
  const unpacker = new ArrayUnpacker(block, "a dictionary");
  const isUuid = unpacker.word() === UUIDS;
  const values: DictionaryValues = isUuid
    ? { kind: "uuid", bytes: unpacker.u8() }
    : { kind: "string", offsets: unpacker.u32(), bytes: unpacker.u8() };
  return { values, codes: unpacker.u32() };
}

/** What queries see of a dictionary. */
export function dictionaryView({ values, codes }: Dictionary): DictionaryView {
  if (values.kind === "uuid") return uuidView(values.bytes, codes);
  return {
    size: stringCount(values),
    codes,
    value: (code) => stringAt(values, code),
    lowerBound: (value) => lowerBound(values, value),
    codeOf: (value) => codeOf(values, value),
  };
}

function uuidView(bytes: Uint8Array, codes: Uint32Array): DictionaryView {
  const size = bytes.length / UUID_BYTES;
  const value = (code: number) => formatUuid(bytes, code * UUID_BYTES);
  const firstAtLeast = (wanted: string) => {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      // Their text is ASCII, so that the language's own order is that of the bytes.
      if (value(middle) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const exactly = (wanted: string) => {
    const code = firstAtLeast(wanted);
    return code < size && value(code) === wanted ? code : -1;
  };
  return { size, codes, value, lowerBound: firstAtLeast, codeOf: exactly };
}

function dictionaryValues(kind: string, strings: SortedStrings): DictionaryValues {
  return kind === "uuid" ? { kind: "uuid", bytes: strings.bytes } : { kind: "string", ...strings };
}

function sortedOf(values: DictionaryValues): SortedStrings {
  if (values.kind === "string") return values;
  const offsets = new Uint32Array(values.bytes.length / UUID_BYTES + 1);
  for (let i = 0; i < offsets.length; i++) offsets[i] = i * UUID_BYTES;
  return { offsets, bytes: values.bytes };
}

/** Reads values `start` to `end`, in their order, as byte strings (see `term-section.ts`). */
function valueReader(data: ColumnData, start: number, end: number): (i: number) => string {
  if (data.kind === "uuid") {
    const joined = latin1(data.bytes.subarray(start * UUID_BYTES, end * UUID_BYTES));
    return (i) => joined.substring((i - start) * UUID_BYTES, (i - start + 1) * UUID_BYTES);
  }
  assert(data.kind === "string", `no dictionary is of kind ${data.kind}`);
  return byteStringReader(data, end);
}
