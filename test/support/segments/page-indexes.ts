import type { AttributeIndex } from "../../../src/segment/attribute-index.ts";
import { ATTRIBUTE_INDEXES } from "../../../src/segment/attribute-indexes.ts";
import { TEXT_INDEX, textIndex } from "../../../src/segment/text/text-index.ts";
import type { PageExtent } from "../../../src/segment/text/text-pages.ts";

/** Few terms on each of many pages, however small the index is. */
export const SHORT_PAGES: PageExtent = {
  plainBytesMax: -1,
  pageBytesMin: 24,
  pagesMax: 1000,
  separatorBytesMax: 4,
};

/** All indexes, with terms on pages that are cut so; with bounds and bitmaps of short lists. */
export function pageIndexes(pages: PageExtent = SHORT_PAGES): AttributeIndex[] {
  const bitsets = { documentsMin: 1, documentsPerPosting: 2 };
  const paged = textIndex({ blockPostings: 2, bitsets, pages });
  return ATTRIBUTE_INDEXES.map((index) => (index === TEXT_INDEX ? paged : index));
}
