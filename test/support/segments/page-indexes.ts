import { ATTRIBUTE_INDEXES } from "../../../src/segment/attribute-indexes.ts";
import { TEXT_INDEX, type TextExtent, textIndex } from "../../../src/segment/text/text-index.ts";
import type { PageExtent } from "../../../src/segment/text/text-pages.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";

/** Few terms on each of many pages, however small the index is. */
export const SHORT_PAGES: PageExtent = {
  plainBytesMax: -1,
  pageBytesMin: 24,
  pagesMax: 1000,
  separatorBytesMax: 4,
};

/** Bounds and bitmaps even of short lists, and positions even of few documents. */
const SHORT_LISTS = {
  blockPostings: 2,
  bitsets: { documentsMin: 1, documentsPerPosting: 2 },
  positions: { documentsMin: 1 },
};

/** All indexes, with terms on pages that are cut so, and so much beside postings. */
export function pageIndexes(
  pages: PageExtent = SHORT_PAGES,
  beside: Partial<Omit<TextExtent, "pages">> = SHORT_LISTS,
): AttributeIndex[] {
  const paged = textIndex({ ...beside, pages });
  return ATTRIBUTE_INDEXES.map((index) => (index === TEXT_INDEX ? paged : index));
}
