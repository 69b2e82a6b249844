import { ATTRIBUTE_INDEXES } from "../../../src/segment/attribute-indexes.ts";
import { BITSETS } from "../../../src/segment/postings/bitset-section.ts";
import { SPARSE_INDEX, sparseIndex } from "../../../src/segment/sparse/sparse-index.ts";
import { TEXT_INDEX, textIndex } from "../../../src/segment/text/text-index.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";

/** All indexes, with bounds of so many postings each; infinity: without bounds, as they once were. */
export function blockIndexes(blockPostings: number): AttributeIndex[] {
  return ATTRIBUTE_INDEXES.map((index) => {
    if (index === TEXT_INDEX) return textIndex({ blockPostings, bitsets: BITSETS });
    return index === SPARSE_INDEX ? sparseIndex(blockPostings) : index;
  });
}
