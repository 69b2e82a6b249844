/** Segments on their way to a store and back: checksums are made once and checked once. */

import { isDatabaseError } from "../base/errors.ts";
import type { SegmentId } from "../base/ids.ts";
import { checkColumn, checkData, checkOffsets } from "../codec/columns-check.ts";
import { corrupt } from "../codec/columns-packing.ts";
import { checkDocumentBlocks } from "./documents/documents-section.ts";
import { checkSlots } from "./ids/id-section.ts";
import type { PostingLists } from "./postings/posting-section.ts";
import type { SegmentColumn } from "./segment-column.ts";
import { readFacts, SECTION, sealBlock, verifyBlock } from "./segment-format.ts";
import { type OpenSegment, openSegment } from "./segment-reader.ts";

/** Copies a segment's bytes with all checksums filled in, fit for a store. One pass over them. */
export function sealSegment(segment: OpenSegment): Uint8Array<ArrayBuffer> {
  return sealBlock(segment.block);
}

/**
 * Checks a segment that comes from a store before anything reads it: lengths, checksums, and that
 * the arrays agree with each other, so that no query can read past them. `block` starts at a
 * multiple of 8. Throws `corrupt`, `too_new` or `too_old`; the caller adds the object's name.
 */
export function verifySegment(block: Uint8Array): void {
  verifyBlock(block);
  const { documentCount } = readFacts(block);
  try {
    const segment = openSegment("" as SegmentId, block, { arena: 0, offset: 0 });
    checkData(segment.ids, documentCount);
    checkSlots(segment.idSlots, documentCount);
    for (const attribute of segment.attributes) checkAttribute(segment, attribute);
    checkStoredDocuments(segment);
  } catch (error) {
    if (isDatabaseError(error)) throw error;
    // The checksums are right, so the writer was wrong; the reader must not fall over it.
    throw corrupt("a segment", error instanceof Error ? error.message : String(error));
  }
}

/** Of whole documents only where they are: each block is checked when it is decoded. */
function checkStoredDocuments(segment: OpenSegment): void {
  const blocks = segment.entry(SECTION.documentBlocks, "");
  const documents = segment.entry(SECTION.documents, "");
  if (blocks === undefined && documents === undefined) return;
  if (blocks === undefined || documents === undefined) {
    throw corrupt("a segment", "it has documents without their index, or the other way round");
  }
  const section = segment.block.subarray(blocks.offset, blocks.offset + blocks.bytes);
  checkDocumentBlocks(section, documents.bytes, segment.documentCount);
}

function checkAttribute(segment: OpenSegment, attribute: string): void {
  const view = segment.column(attribute);
  if (view !== undefined) checkView(view, segment.documentCount);
  const text = segment.textIndex(attribute);
  if (text !== undefined) {
    checkPostings(text.lists, segment.documentCount);
    if (text.lengths.length !== segment.documentCount) {
      throw corrupt("a text index", `it has ${text.lengths.length} lengths`);
    }
    checkPresence(text.presence, segment.documentCount);
  }
  const clusters = segment.clusters(attribute);
  const { type } = view?.placed ?? {};
  if (clusters !== undefined && clusters.dimensions !== type?.dimensions) {
    throw corrupt("clusters", "their dimensions are not those of the vectors");
  }
  const sparse = segment.sparseLists(attribute);
  if (sparse !== undefined) checkPostings(sparse, segment.documentCount);
}

function checkView(view: SegmentColumn, documentCount: number): void {
  const { column, placed } = view;
  if (column.count !== documentCount) {
    throw corrupt("a column", `it has ${column.count} values for ${documentCount} documents`);
  }
  if (placed !== undefined) {
    const { vectors, description } = placed;
    const isWhole = vectors.bytes.length >= documentCount * vectors.strideBytes;
    if (!isWhole || description.inverseNorms.length !== documentCount) {
      throw corrupt("dense vectors", "there are not as many as documents");
    }
    checkPresence(description.presence, documentCount);
    return;
  }
  checkColumn(column);
  const { dictionary } = view;
  if (dictionary === undefined) return;
  const { data } = column;
  const codeCount = data.kind === "array" ? data.offsets[documentCount] : documentCount;
  const isWithin = dictionary.codes.every((code) => code < Math.max(1, dictionary.size));
  if (dictionary.codes.length !== codeCount || !isWithin) {
    throw corrupt("a dictionary", "its codes do not fit its values");
  }
}

function checkPresence(presence: Uint8Array | undefined, documentCount: number): void {
  if (presence === undefined || presence.length === (documentCount + 7) >> 3) return;
  throw corrupt("a bitmap", `it has ${presence.length} bytes for ${documentCount} documents`);
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
