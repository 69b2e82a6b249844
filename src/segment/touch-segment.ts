/** Looks at what most queries look at, so that it is loaded before them. */

import { ATTRIBUTE_INDEXES } from "./attribute-indexes.ts";
import { DOCUMENT_SECTIONS } from "./documents/documents-section.ts";
import { attemptAll } from "./format/bytes-missing.ts";
import { ID_FILTER_SECTION } from "./ids/id-filter-section.ts";
import { ID_ORDER } from "./ids/id-order-section.ts";
import { ID_SECTIONS } from "./ids/id-section.ts";
import type { OpenSegment } from "./segment-reader.ts";

/**
 * Sections about no attribute that most queries need; of documents a query reads some blocks, of
 * the order of ids some entries.
 */
const NEEDED_SECTIONS = [
  ID_SECTIONS.ids,
  ID_SECTIONS.slots,
  ID_FILTER_SECTION,
  ...ID_ORDER.sections,
  DOCUMENT_SECTIONS.blocks,
];

/**
 * Looks at what queries read in parts, such as postings, by the ranges that they read. Throws
 * `BytesMissing` for all of it.
 */
export function touchParts(view: OpenSegment): void {
  const attributes = view.indexedAttributes.map((name) => view.sections(name));
  attemptAll(
    attributes.flatMap((sections) =>
      ATTRIBUTE_INDEXES.map((index) => () => index.touchParts?.(sections)),
    ),
  );
}

/**
 * Looks at ids and at what each index says that most queries need: all vectors, but not single
 * postings and documents. Throws `BytesMissing` for all of it.
 */
export function touchSegment(view: OpenSegment, indexes = ATTRIBUTE_INDEXES): void {
  const attributes = view.indexedAttributes.map((name) => view.sections(name));
  attemptAll([
    () => view.sections("").touch(NEEDED_SECTIONS),
    ...attributes.flatMap((sections) => indexes.map((index) => () => index.touch(sections))),
  ]);
}
