/** Segments on their way to a store and back: checksums are made once and checked once. */

import { isDatabaseError } from "../base/errors.ts";
import type { SegmentId } from "../base/ids.ts";
import { checkColumn, checkData, checkOffsets } from "../codec/columns-check.ts";
import { corrupt } from "../codec/columns-packing.ts";
import type { PostingLists } from "./posting-section.ts";
import { readDirectory, readFacts, SECTION, sealBlock, verifyBlock } from "./segment-format.ts";
import { type OpenSegment, openSegment } from "./segment-reader.ts";

/** Copies a segment's bytes with all checksums filled in, fit for a store. One pass over them. */
export function sealSegment(segment: OpenSegment): Uint8Array<ArrayBuffer> {
  return sealBlock(segment.block);
}

/**
 * Checks a segment that comes from a store before anything reads it: lengths, checksums, and that the
 * arrays agree with each other, so that no query can read past them. `block` starts at a multiple of 8.
 * Throws `corrupt`, `too_new` or `too_old`; the caller adds the object's name.
 */
export function verifySegment(block: Uint8Array): void {
  verifyBlock(block);
  const { documentCount, idType } = readFacts(block);
  if (idType === undefined || readDirectory(block).at(0)?.kind !== SECTION.ids) {
    throw corrupt("a segment", "it has no ids, or none of a known type");
  }
  try {
    const segment = openSegment("" as SegmentId, block, { arena: 0, offset: 0 });
    checkData(segment.ids, documentCount);
    for (const attribute of segment.attributes) checkAttribute(segment, attribute);
  } catch (error) {
    if (isDatabaseError(error)) throw error;
    // The checksums are right, so the writer was wrong; the reader must not fall over it.
    throw corrupt("a segment", error instanceof Error ? error.message : String(error));
  }
}

function checkAttribute(segment: OpenSegment, attribute: string): void {
  const view = segment.column(attribute);
  if (view !== undefined) {
    const { column } = view;
    if (column.count !== segment.documentCount) {
      throw corrupt("a segment", `attribute \`${attribute}\` has ${column.count} values`);
    }
    checkColumn(column);
  }
  const text = segment.textIndex(attribute);
  if (text !== undefined) {
    checkPostings(text.lists, segment.documentCount);
    if (text.lengths.length !== segment.documentCount) {
      throw corrupt("a text index", `it has ${text.lengths.length} lengths`);
    }
  }
  const sparse = segment.sparseLists(attribute);
  if (sparse !== undefined) checkPostings(sparse, segment.documentCount);
}

function checkPostings(lists: PostingLists, documentCount: number): void {
  const { strings, starts, ordinals, numbers } = lists;
  const count = starts.length - 1;
  checkOffsets(strings.offsets, count, strings.bytes.length);
  checkOffsets(starts, count, ordinals.length);
  const isWithin = ordinals.every((ordinal) => ordinal < documentCount);
  if (!isWithin || numbers.length !== ordinals.length) {
    throw corrupt("posting lists", "they do not fit the documents");
  }
}
