/** What a segment has in order: numbers by value, strings by the codes of their dictionary, ids. */

import { assert } from "../../base/assert.ts";
import type { Ordinal } from "../../base/ids.ts";
import { DICTIONARY_INDEX, SORTED_CODES } from "../../segment/columns/dictionary-index.ts";
import type { SortedEntries } from "../../segment/columns/sorted-entries.ts";
import {
  SORTED_NUMBERS,
  SORTED_NUMBERS_INDEX,
} from "../../segment/columns/sorted-numbers-index.ts";
import type { SortedValues } from "../../segment/columns/sorted-section.ts";
import { FENCE_ENTRIES, ID_ORDER } from "../../segment/ids/id-order-section.ts";
import type { DictionaryView, SegmentView } from "../../segment/view/segment-view.ts";
import type { EntryKeys, SortedKey } from "./sorted-cut.ts";

/** Sections that tell, without being read, what there is. */
const KINDS = [SORTED_NUMBERS, SORTED_CODES];
const DIRECTORIES = KINDS.map(({ directory }) => ({ sections: [directory] }));
const ORDINALS = KINDS.map(({ ordinals }) => ({ sections: [ordinals] }));

/** The documents of a segment in the order of an attribute or of ids. */
export interface SortedSource {
  readonly sorted: SortedEntries;
  readonly keys: EntryKeys;
  /** Whose codes are sorted; undefined for numbers and ids. */
  readonly dictionary: DictionaryView | undefined;
  /** Whether each entry is its ordinal, so that there is nothing to read of them. */
  readonly isAscending: boolean;
  /** Reads what entries are sorted by, and the column or the ids when it is asked first. */
  readonly valueAt: (ordinal: number) => SortedKey;
}

/** Tells, without reading anything, whether a segment has an attribute, or ids, in order. */
export function hasSorted(attribute: string, view: SegmentView): boolean {
  if (attribute === "id") return view.hasIndex(ID_ORDER, "");
  return DIRECTORIES.some((kinds) => view.hasIndex(kinds, attribute));
}

/** The same of their ordinals, which attributes of few values do not have. */
export function hasEntries(attribute: string, view: SegmentView): boolean {
  if (attribute === "id") return hasSorted(attribute, view);
  return ORDINALS.some((kinds) => view.hasIndex(kinds, attribute));
}

/** Undefined where a segment has nothing in order of an attribute. Throws `BytesMissing`. */
export function sortedSource(attribute: string, view: SegmentView): SortedSource | undefined {
  if (attribute === "id") return idSource(view);
  const numbers = view.index(SORTED_NUMBERS_INDEX, attribute);
  if (numbers !== undefined) {
    const valueAt = numberReader(attribute, view);
    const keys = keysOf(numbers);
    return { sorted: numbers, keys, dictionary: undefined, isAscending: false, valueAt };
  }
  const dictionary = view.index(DICTIONARY_INDEX, attribute);
  if (dictionary?.sorted === undefined) return undefined;
  const { sorted } = dictionary;
  const valueAt = (ordinal: number): SortedKey => dictionary.codes[ordinal];
  return { sorted, keys: keysOf(sorted), dictionary, isAscending: false, valueAt };
}

function keysOf({ keys, starts, isExact, entryCount }: SortedValues): EntryKeys {
  return {
    entryCount,
    keyCount: keys.length,
    isExact,
    keyAt: (index) => keys[index],
    startOf: (index) => starts[index],
  };
}

function numberReader(attribute: string, view: SegmentView): (ordinal: number) => SortedKey {
  let values: ArrayLike<SortedKey> | undefined;
  return (ordinal) => {
    if (values === undefined) {
      const data = view.column(attribute)?.column.data;
      assert(data !== undefined && "values" in data, "sorted values without a column");
      values = data.values;
    }
    return values[ordinal];
  };
}

/** No id is twice, so each is a value of its own; they are looked for where they are. */
function idSource(view: SegmentView): SortedSource | undefined {
  const order = view.index(ID_ORDER, "");
  if (order === undefined) return undefined;
  const { entryCount, fences, isAscending } = order;
  const valueAt = (ordinal: number): SortedKey => view.idOf(ordinal as Ordinal);
  const keys: EntryKeys = isAscending
    ? { entryCount, keyCount: entryCount, isExact: true, keyAt: valueAt, startOf: (i) => i }
    : {
        entryCount,
        keyCount: fences.length,
        isExact: false,
        keyAt: (index) => valueAt(fences[index]),
        startOf: (index) => index * FENCE_ENTRIES,
      };
  return { sorted: order, keys, dictionary: undefined, isAscending, valueAt };
}
