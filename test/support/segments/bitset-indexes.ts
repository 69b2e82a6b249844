import { ATTRIBUTE_INDEXES } from "../../../src/segment/attribute-indexes.ts";
import type { BitsetExtent } from "../../../src/segment/postings/bitset-section.ts";
import { BLOCK_POSTINGS } from "../../../src/segment/postings/block-section.ts";
import { TEXT_INDEX, textIndex } from "../../../src/segment/text/text-index.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";

/** All indexes, with bitmaps of so many terms. */
export function bitsetIndexes(bitsets: BitsetExtent): AttributeIndex[] {
  return ATTRIBUTE_INDEXES.map((index) =>
    index === TEXT_INDEX ? textIndex({ blockPostings: BLOCK_POSTINGS, bitsets }) : index,
  );
}
