/**
 * Layout of a segment of format version 1: one block of bytes that is searched in place in memory
 * and stored as it is. Little-endian:
 *
 * | offset | size | meaning                                                                |
 * |--------|------|------------------------------------------------------------------------|
 * | 0      | 4    | magic "TSEG"                                                           |
 * | 4      | 4    | format version                                                         |
 * | 8      | 4    | count of documents                                                     |
 * | 12     | 4    | type of ids: 0 uint, 1 string, 2 uuid                                  |
 * | 16     | 4    | count of sections S                                                    |
 * | 20     | 4    | bytes of the whole segment                                             |
 * | 24     | 8    | logical bytes of all documents (f64)                                   |
 * | 32     | 4    | 1 if sealed, that is if the checksums are filled in                    |
 * | 36     | 4    | CRC-32 of bytes 0 to 36 and of 64 to the end of the head               |
 * | 40     | 24   | zeros                                                                  |
 * | 64     | 24·S | directory: kind, name's offset and bytes, section's offset and bytes,  |
 * |        |      | CRC-32 of the section                                                  |
 * | …      |      | names of attributes in UTF-8, then zeros                               |
 * | 64·n   |      | sections that are in the head                                          |
 * | 64·n   |      | all other sections, ids first                                          |
 *
 * Each section is at a multiple of 64 and padded with zeros to one. The head ends where ids begin.
 * Segments in memory are not sealed: checksums are made when the bytes leave for a store.
 */

import { crc32 } from "node:zlib";
import { KIB } from "../../base/byte-sizes.ts";
import { Pace } from "../../base/pace.ts";
import type { Steps } from "../../base/steps.ts";
import { alignUp, corrupt, encodeName, utf8Slice } from "../../codec/columns-packing.ts";
import type { IdType } from "../../model/attribute-type.ts";
import {
  SECTION_ALIGNMENT,
  SEGMENT_MAGIC,
  type SectionEntry,
  type SectionPlace,
  type SectionPlan,
  type SegmentFacts,
  type SegmentLayout,
  type SegmentPlan,
} from "./segment-layout.ts";

const HEADER_BYTES = 64;
const ENTRY_BYTES = 24;
const SEALED_AT = 32;
const CHECKSUM_AT = 36;
const ID_TYPES: readonly IdType[] = ["uint", "string", "uuid"];
/** Bytes of small sections that one step writes; large ones pause inside. */
const STEP_BYTES = 512 * KIB;
/** Kind of the section that every segment begins with (`ids/id-section.ts`). */
const FIRST_KIND = 1;

/** Format version 1. */
export const VERSION_1: SegmentLayout = {
  version: 1,
  plan,
  facts,
  headBytes,
  sectionAt,
  directory,
  seal,
  verifyHead,
  verify,
};

function plan(of: SegmentFacts, sections: readonly SectionPlan[]): SegmentPlan {
  const names = sections.map(({ attribute }) => encodeName(attribute));
  const namesAt = HEADER_BYTES + ENTRY_BYTES * sections.length;
  const nameBytes = names.reduce((sum, name) => sum + name.length, 0);
  const sectionsAt = alignUp(namesAt + nameBytes, SECTION_ALIGNMENT);
  const offsets = new Array<number>(sections.length);
  let bytes = sectionsAt;
  for (const isInHead of [true, false]) {
    for (let i = 0; i < sections.length; i++) {
      if ((sections[i].isInHead ?? false) !== isInHead) continue;
      offsets[i] = bytes;
      bytes += alignUp(sections[i].bytes, SECTION_ALIGNMENT);
    }
  }
  const layout = { ...of, sections, names, namesAt, sectionsAt, offsets, bytes };
  return { ...of, bytes, writeTo: (target) => writeSegment(layout, target) };
}

/** What a segment is written by. */
interface PlannedLayout extends SegmentFacts {
  readonly sections: readonly SectionPlan[];
  /** Of the sections' attributes. */
  readonly names: readonly Uint8Array[];
  readonly namesAt: number;
  readonly sectionsAt: number;
  /** Where each section begins. */
  readonly offsets: readonly number[];
  /** Of the whole segment. */
  readonly bytes: number;
}

function* writeSegment(of: PlannedLayout, target: Uint8Array): Steps<void> {
  const { sections, names, sectionsAt, offsets } = of;
  target.fill(0, 0, sectionsAt);
  const view = new DataView(target.buffer, target.byteOffset, sectionsAt);
  const idType = ID_TYPES.indexOf(of.idType);
  const head = [
    SEGMENT_MAGIC,
    VERSION_1.version,
    of.documentCount,
    idType,
    sections.length,
    of.bytes,
  ];
  for (let i = 0; i < head.length; i++) view.setUint32(4 * i, head[i], true);
  view.setFloat64(24, of.logicalBytes, true);
  let nameAt = of.namesAt;
  const pace = new Pace(STEP_BYTES);
  for (let i = 0; i < sections.length; i++) {
    if (pace.isDue(sections[i].bytes)) yield;
    const entryAt = HEADER_BYTES + ENTRY_BYTES * i;
    const at = offsets[i];
    const end = at + alignUp(sections[i].bytes, SECTION_ALIGNMENT);
    const entry = [sections[i].kind, nameAt, names[i].length, at, end - at];
    for (let w = 0; w < entry.length; w++) view.setUint32(entryAt + 4 * w, entry[w], true);
    target.set(names[i], nameAt);
    yield* sections[i].writeTo(target.subarray(at, end));
    target.fill(0, at + sections[i].bytes, end);
    nameAt += names[i].length;
  }
}

function facts(head: Uint8Array): SegmentFacts & { readonly bytes: number } {
  const view = new DataView(head.buffer, head.byteOffset, HEADER_BYTES);
  return {
    documentCount: view.getUint32(8, true),
    idType: ID_TYPES[view.getUint32(12, true)],
    bytes: view.getUint32(20, true),
    logicalBytes: view.getFloat64(24, true),
  };
}

/** Ids are the first section of the directory, and the first one that is not in the head. */
function headBytes(head: Uint8Array): number {
  return sectionAt(head, 0)?.offset ?? namesEnd(head);
}

/** Where the first section begins. */
function namesEnd(head: Uint8Array): number {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const count = view.getUint32(16, true);
  let end = HEADER_BYTES + ENTRY_BYTES * count;
  for (let i = 0; i < count; i++) end += view.getUint32(HEADER_BYTES + ENTRY_BYTES * i + 8, true);
  return alignUp(end, SECTION_ALIGNMENT);
}

function sectionAt(head: Uint8Array, index: number): SectionPlace | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  if (index >= view.getUint32(16, true)) return undefined;
  const at = HEADER_BYTES + ENTRY_BYTES * index;
  return {
    kind: view.getUint32(at, true),
    offset: view.getUint32(at + 12, true),
    bytes: view.getUint32(at + 16, true),
  };
}

function directory(head: Uint8Array): SectionEntry[] {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const count = view.getUint32(16, true);
  return Array.from({ length: count }, (_, i) => {
    const at = HEADER_BYTES + ENTRY_BYTES * i;
    const nameAt = view.getUint32(at + 4, true);
    return {
      kind: view.getUint32(at, true),
      attribute: utf8Slice(head, nameAt, nameAt + view.getUint32(at + 8, true)),
      offset: view.getUint32(at + 12, true),
      bytes: view.getUint32(at + 16, true),
    };
  });
}

function seal(segment: Uint8Array): void {
  const view = new DataView(segment.buffer, segment.byteOffset, segment.length);
  directory(segment).forEach(({ offset, bytes }, i) => {
    const sum = crc32(segment.subarray(offset, offset + bytes));
    view.setUint32(HEADER_BYTES + ENTRY_BYTES * i + 20, sum, true);
  });
  view.setUint32(SEALED_AT, 1, true);
  view.setUint32(CHECKSUM_AT, headChecksum(segment), true);
}

function verify(segment: Uint8Array): void {
  const what = "a segment";
  verifyHead(segment);
  const { bytes } = facts(segment);
  if (bytes !== segment.length) throw corrupt(what, `it has ${segment.length} bytes of ${bytes}`);
  const view = new DataView(segment.buffer, segment.byteOffset, segment.length);
  directory(segment).forEach(({ attribute, offset, bytes: length }, i) => {
    const expected = view.getUint32(HEADER_BYTES + ENTRY_BYTES * i + 20, true);
    if (crc32(segment.subarray(offset, offset + length)) !== expected) {
      throw corrupt(what, `the checksum of section ${i} (\`${attribute}\`) is wrong`);
    }
  });
}

/**
 * Checks the checksum of the head, and that the sections which it names, ids first, lie one after
 * the other to the segment's end.
 */
function verifyHead(block: Uint8Array): void {
  const what = "a segment";
  if (block.length < HEADER_BYTES) throw corrupt(what, `it has only ${block.length} bytes`);
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  if (view.getUint32(SEALED_AT, true) !== 1) throw corrupt(what, "it was never sealed");
  const directoryEnd = HEADER_BYTES + ENTRY_BYTES * view.getUint32(16, true);
  if (directoryEnd > block.length) throw corrupt(what, "its directory does not fit in it");
  const headEnd = headBytes(block);
  if (namesEnd(block) > headEnd) throw corrupt(what, "its names do not fit in it");
  if (headEnd > block.length) throw corrupt(what, "it ends early");
  if (headChecksum(block) !== view.getUint32(CHECKSUM_AT, true)) {
    throw corrupt(what, "the checksum of its header is wrong");
  }
  if (block.subarray(CHECKSUM_AT + 4, HEADER_BYTES).some((byte) => byte !== 0)) {
    throw corrupt(what, "its header has bytes that mean nothing");
  }
  const { idType, bytes } = facts(block);
  if (idType === undefined) throw corrupt(what, "its ids are of no known type");
  verifySections(block, bytes);
}

/** Checks that sections lie one after the other, those of the head first, to the segment's end. */
function verifySections(block: Uint8Array, bytes: number): void {
  const what = "a segment";
  const sections = directory(block);
  if (sections.at(0)?.kind !== FIRST_KIND) throw corrupt(what, "it does not begin with ids");
  const headEnd = headBytes(block);
  let end = namesEnd(block);
  for (const isInHead of [true, false]) {
    sections.forEach((entry, i) => {
      if (entry.offset < headEnd !== isInHead) return;
      if (entry.bytes % SECTION_ALIGNMENT !== 0) {
        throw corrupt(what, `section ${i} has ${entry.bytes} bytes`);
      }
      if (entry.offset !== end || end + entry.bytes > bytes) {
        throw corrupt(what, `section ${i} is not where the one before it ends`);
      }
      end += entry.bytes;
    });
    if (isInHead && end !== headEnd) throw corrupt(what, "its head is longer than what is in it");
  }
  if (end !== bytes) throw corrupt(what, "bytes follow its last section");
}

/** CRC-32 of the header without its checksum, of the directory and of the names. */
function headChecksum(block: Uint8Array): number {
  const first = crc32(block.subarray(0, CHECKSUM_AT));
  return crc32(block.subarray(HEADER_BYTES, headBytes(block)), first);
}
