/** Segments on their way to a store and back: checksums are made once and checked once. */

import { isDatabaseError } from "../base/errors.ts";
import type { SegmentId } from "../base/ids.ts";
import { checkData } from "../codec/columns-check.ts";
import { corrupt } from "../codec/columns-packing.ts";
import { ATTRIBUTE_INDEXES } from "./attribute-indexes.ts";
import { checkStoredDocuments } from "./documents/documents-section.ts";
import { BlockSource } from "./format/byte-source.ts";
import { layoutOf, SEGMENT_VERSIONS, sealBlock } from "./format/segment-format.ts";
import type { SegmentLayout } from "./format/segment-layout.ts";
import { checkIdOrder } from "./ids/id-order-section.ts";
import { checkSlots } from "./ids/id-section.ts";
import { OpenSegment } from "./segment-reader.ts";
import type { AttributeIndex } from "./view/attribute-index.ts";

/** Copies a segment's bytes with all checksums filled in, fit for a store. One pass over them. */
export function sealSegment(segment: OpenSegment): Uint8Array<ArrayBuffer> {
  return sealBlock(segment.block);
}

/** What segments of a store are read with: all that there is, unless a test says otherwise. */
export interface SegmentReaders {
  readonly versions?: readonly SegmentLayout[] | undefined;
  readonly indexes?: readonly AttributeIndex[] | undefined;
}

/**
 * Checks a segment that comes from a store before anything reads it: lengths, checksums, and that
 * the arrays agree with each other, so that no query can read past them. `block` starts at a
 * multiple of 8. Throws `corrupt`, `too_new` or `too_old`; the caller adds the object's name.
 */
export function verifySegment(
  block: Uint8Array,
  { versions = SEGMENT_VERSIONS, indexes = ATTRIBUTE_INDEXES }: SegmentReaders = {},
): void {
  const layout = layoutOf(block, versions);
  layout.verify(block);
  try {
    const source = new BlockSource({ arena: 0, offset: 0, bytes: block });
    const segment = new OpenSegment("" as SegmentId, block, source, { layout });
    const { documentCount } = segment;
    checkData(segment.ids, documentCount);
    checkSlots(segment.idSlots, documentCount);
    checkIdOrder(segment.sections(""), segment.ids);
    for (const attribute of segment.indexedAttributes) {
      const sections = segment.sections(attribute);
      for (const index of indexes) index.check(sections);
    }
    checkStoredDocuments(segment.sections(""));
  } catch (error) {
    if (isDatabaseError(error)) throw error;
    // The checksums are right, so the writer was wrong; the reader must not fall over it.
    throw corrupt("a segment", error instanceof Error ? error.message : String(error));
  }
}
