import { ATTRIBUTE_INDEXES } from "../../../src/segment/attribute-indexes.ts";
import {
  DICTIONARY_INDEX,
  dictionaryIndex,
} from "../../../src/segment/columns/dictionary-index.ts";
import {
  ELEMENT_NUMBERS_INDEX,
  elementNumbersIndex,
} from "../../../src/segment/columns/element-numbers-index.ts";
import {
  SORTED_NUMBERS_INDEX,
  sortedNumbersIndex,
} from "../../../src/segment/columns/sorted-numbers-index.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";

/**
 * All indexes, with sorted values in segments of so many documents, and trigrams of so many
 * strings; infinity: without them.
 */
export function sortedIndexes(documentsMin: number, trigramMin = documentsMin): AttributeIndex[] {
  return ATTRIBUTE_INDEXES.map((index) => {
    if (index === DICTIONARY_INDEX) return dictionaryIndex({ sortedMin: documentsMin, trigramMin });
    if (index === ELEMENT_NUMBERS_INDEX) return elementNumbersIndex(documentsMin);
    return index === SORTED_NUMBERS_INDEX ? sortedNumbersIndex(documentsMin) : index;
  });
}
