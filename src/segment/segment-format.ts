/**
 * Layout of a segment: one block of bytes that is searched in place in memory and stored as it is.
 * Format version 1, little-endian:
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
 * | 36     | 4    | CRC-32 of bytes 0 to 36 and of 64 to the first section                 |
 * | 40     | 24   | zeros                                                                  |
 * | 64     | 24·S | directory: kind, name's offset and bytes, section's offset and bytes,  |
 * |        |      | CRC-32 of the section                                                  |
 * | …      |      | names of attributes in UTF-8, then zeros                               |
 * | 64·n   |      | sections, each at a multiple of 64 and padded with zeros to one        |
 *
 * Segments in memory are not sealed: checksums are made when the bytes leave for a store.
 */

import { crc32 } from "node:zlib";
import { DatabaseError } from "../base/errors.ts";
import type { PlannedBytes } from "../codec/columns-codec.ts";
import { alignUp, corrupt, encodeName, utf8Slice } from "../codec/columns-packing.ts";
import type { IdType } from "../model/attribute-type.ts";

/** Kinds of sections by their code in the directory. */
export const SECTION = {
  /** Ids (`id-section.ts`); without an attribute; always the first section. */
  ids: 1,
  /** A column (`columns-codec.ts`). */
  column: 2,
  /** Dense vectors at a fixed stride, nothing else (`vector-section.ts`). */
  vectors: 3,
  /** What there is to know about the dense vectors (`vector-section.ts`). */
  vectorColumn: 4,
  /** Distinct values (`dictionary-section.ts`). */
  dictionary: 5,
  /** Text index (`text-section.ts`) without its postings. */
  text: 6,
  /** Sparse vectors by dimension (`sparse-section.ts`) without their postings. */
  sparse: 7,
  /** Hash table of ids (`id-section.ts`); without an attribute; if there is one, the second. */
  idSlots: 8,
  /** Ordinals and frequencies of a text index's postings (`posting-section.ts`). */
  textOrdinals: 9,
  textNumbers: 10,
  /** Ordinals and weights of sparse vectors (`posting-section.ts`). */
  sparseOrdinals: 11,
  sparseNumbers: 12,
  /** Which ids may be here (`id-filter-section.ts`); in stored segments only. */
  idFilter: 13,
  /** Clusters of dense vectors (`cluster-section.ts`); in segments whose rows are in their order. */
  clusters: 14,
  /** Whole documents in blocks (`documents-section.ts`); in stored segments only. */
  documents: 15,
  /** Where those blocks are (`documents-section.ts`). */
  documentBlocks: 16,
} as const;

/** Code of a kind of section. */
export type SectionKind = (typeof SECTION)[keyof typeof SECTION];

/** A section that is planned but not written yet. */
export interface SectionPlan extends PlannedBytes {
  readonly kind: SectionKind;
  /** Empty where the section is about no attribute. */
  readonly attribute: string;
}

/** Facts in the header. */
export interface SegmentFacts {
  readonly documentCount: number;
  readonly idType: IdType;
  /** Of all documents, dead ones too; see `columns-size.ts`. */
  readonly logicalBytes: number;
}

/** A whole segment that is planned but not written yet. Written to a multiple of 64. */
export interface SegmentPlan extends PlannedBytes, SegmentFacts {}

/** One entry of the directory. */
export interface SectionEntry extends SectionSpan {
  readonly kind: SectionKind;
  readonly attribute: string;
}

/** Where a section is in the segment. */
export interface SectionSpan {
  readonly offset: number;
  /** A multiple of 64. */
  readonly bytes: number;
}

/** Sections begin at multiples of this; so does the segment itself. */
const SECTION_ALIGNMENT = 64;

const MAGIC = 0x47455354;
const VERSION = 1;
const HEADER_BYTES = 64;
const ENTRY_BYTES = 24;
const SEALED_AT = 32;
const CHECKSUM_AT = 36;
const ID_TYPES: readonly IdType[] = ["uint", "string", "uuid"];

/** Lays out sections behind a header and a directory. */
export function planBlock(facts: SegmentFacts, sections: readonly SectionPlan[]): SegmentPlan {
  const names = sections.map(({ attribute }) => encodeName(attribute));
  const namesAt = HEADER_BYTES + ENTRY_BYTES * sections.length;
  const nameBytes = names.reduce((sum, name) => sum + name.length, 0);
  const sectionsAt = alignUp(namesAt + nameBytes, SECTION_ALIGNMENT);
  const bytes = sections.reduce(
    (sum, section) => sum + alignUp(section.bytes, SECTION_ALIGNMENT),
    sectionsAt,
  );
  const writeTo = (target: Uint8Array) => {
    target.fill(0, 0, sectionsAt);
    const view = new DataView(target.buffer, target.byteOffset, sectionsAt);
    const idType = ID_TYPES.indexOf(facts.idType);
    const head = [MAGIC, VERSION, facts.documentCount, idType, sections.length, bytes];
    for (let i = 0; i < head.length; i++) view.setUint32(4 * i, head[i], true);
    view.setFloat64(24, facts.logicalBytes, true);
    let nameAt = namesAt;
    let at = sectionsAt;
    for (let i = 0; i < sections.length; i++) {
      const entryAt = HEADER_BYTES + ENTRY_BYTES * i;
      const end = at + alignUp(sections[i].bytes, SECTION_ALIGNMENT);
      const entry = [sections[i].kind, nameAt, names[i].length, at, end - at];
      for (let w = 0; w < entry.length; w++) view.setUint32(entryAt + 4 * w, entry[w], true);
      target.set(names[i], nameAt);
      sections[i].writeTo(target.subarray(at, end));
      target.fill(0, at + sections[i].bytes, end);
      nameAt += names[i].length;
      at = end;
    }
  };
  return { ...facts, bytes, writeTo };
}

/** Reads the header of a segment, or of its head, that this program wrote or verified. */
export function readFacts(head: Uint8Array): SegmentFacts & { readonly bytes: number } {
  const view = new DataView(head.buffer, head.byteOffset, HEADER_BYTES);
  return {
    documentCount: view.getUint32(8, true),
    idType: ID_TYPES[view.getUint32(12, true)],
    bytes: view.getUint32(20, true),
    logicalBytes: view.getFloat64(24, true),
  };
}

/**
 * The sections of ids, found without reading the directory: commits open them in each new segment.
 */
export function idSections(head: Uint8Array): {
  readonly ids: SectionSpan;
  readonly slots: SectionSpan | undefined;
} {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const hasSlots =
    view.getUint32(16, true) > 1 &&
    view.getUint32(HEADER_BYTES + ENTRY_BYTES, true) === SECTION.idSlots;
  return { ids: spanAt(view, 0), slots: hasSlots ? spanAt(view, 1) : undefined };
}

function spanAt(view: DataView, index: number): SectionSpan {
  const at = HEADER_BYTES + ENTRY_BYTES * index;
  return { offset: view.getUint32(at + 12, true), bytes: view.getUint32(at + 16, true) };
}

/** The head of a segment: all before its first section, from which the rest is found. */
export function headOf(block: Uint8Array): Uint8Array {
  return block.subarray(0, headEnd(block));
}

/** Reads the directory of a segment, or of its head, that this program wrote or verified. */
export function readDirectory(block: Uint8Array): SectionEntry[] {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const count = view.getUint32(16, true);
  return Array.from({ length: count }, (_, i) => {
    const at = HEADER_BYTES + ENTRY_BYTES * i;
    const nameAt = view.getUint32(at + 4, true);
    return {
      kind: view.getUint32(at, true) as SectionKind,
      attribute: utf8Slice(block, nameAt, nameAt + view.getUint32(at + 8, true)),
      offset: view.getUint32(at + 12, true),
      bytes: view.getUint32(at + 16, true),
    };
  });
}

/** Copies a segment with its checksums filled in: the form for stores. */
export function sealBlock(block: Uint8Array): Uint8Array<ArrayBuffer> {
  const sealed = new Uint8Array(block.length);
  sealed.set(block);
  sealInPlace(sealed);
  return sealed;
}

/** Fills in the checksums of a segment that nobody else sees yet. */
export function sealInPlace(sealed: Uint8Array<ArrayBuffer>): void {
  const view = new DataView(sealed.buffer, sealed.byteOffset, sealed.length);
  readDirectory(sealed).forEach(({ offset, bytes }, i) => {
    const sum = crc32(sealed.subarray(offset, offset + bytes));
    view.setUint32(HEADER_BYTES + ENTRY_BYTES * i + 20, sum, true);
  });
  view.setUint32(SEALED_AT, 1, true);
  view.setUint32(CHECKSUM_AT, headChecksum(sealed), true);
}

/**
 * Checks all lengths and checksums of a sealed segment from a store. Throws `corrupt`, `too_new` or
 * `too_old`; the caller adds the object's name.
 */
export function verifyBlock(block: Uint8Array): void {
  const what = "a segment";
  verifyHead(block);
  const { bytes } = readFacts(block);
  if (bytes !== block.length) throw corrupt(what, `it has ${block.length} bytes of ${bytes}`);
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  readDirectory(block).forEach(({ attribute, offset, bytes: length }, i) => {
    const expected = view.getUint32(HEADER_BYTES + ENTRY_BYTES * i + 20, true);
    if (crc32(block.subarray(offset, offset + length)) !== expected) {
      throw corrupt(what, `the checksum of section ${i} (\`${attribute}\`) is wrong`);
    }
  });
}

/**
 * Checks the head of a sealed segment from a store, or a block that begins with it: its checksum,
 * and that the sections which it names, ids first, lie one after the other to the segment's end.
 * Throws `corrupt` or `too_new`; the caller adds the object's name.
 */
export function verifyHead(block: Uint8Array): void {
  const what = "a segment";
  if (block.length < HEADER_BYTES) throw corrupt(what, `it has only ${block.length} bytes`);
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  if (view.getUint32(0, true) !== MAGIC) throw corrupt(what, "it does not begin with TSEG");
  checkVersion(view.getUint32(4, true));
  const bytes = view.getUint32(20, true);
  if (view.getUint32(SEALED_AT, true) !== 1) throw corrupt(what, "it was never sealed");
  const directoryEnd = HEADER_BYTES + ENTRY_BYTES * view.getUint32(16, true);
  if (directoryEnd > block.length) throw corrupt(what, "its directory does not fit in it");
  if (headEnd(block) > block.length) throw corrupt(what, "its names do not fit in it");
  if (headChecksum(block) !== view.getUint32(CHECKSUM_AT, true)) {
    throw corrupt(what, "the checksum of its header is wrong");
  }
  if (block.subarray(CHECKSUM_AT + 4, HEADER_BYTES).some((byte) => byte !== 0)) {
    throw corrupt(what, "its header has bytes that mean nothing");
  }
  if (readFacts(block).idType === undefined) throw corrupt(what, "its ids are of no known type");
  let end = headEnd(block);
  const directory = readDirectory(block);
  if (directory.at(0)?.kind !== SECTION.ids) throw corrupt(what, "it does not begin with ids");
  directory.forEach((entry, i) => {
    if (entry.bytes % SECTION_ALIGNMENT !== 0) {
      throw corrupt(what, `section ${i} has ${entry.bytes} bytes`);
    }
    if (entry.offset !== end || end + entry.bytes > bytes) {
      throw corrupt(what, `section ${i} is not where the one before it ends`);
    }
    end += entry.bytes;
  });
  if (end !== bytes) throw corrupt(what, "bytes follow its last section");
}

function checkVersion(version: number): void {
  if (version === VERSION) return;
  if (version < VERSION) throw corrupt("a segment", `its format version is ${version}`);
  throw new DatabaseError(
    "too_new",
    `cannot open a segment: format version ${version}, this server reads ${VERSION}`,
  );
}

/** CRC-32 of the header without its checksum, of the directory and of the names. */
function headChecksum(block: Uint8Array): number {
  const first = crc32(block.subarray(0, CHECKSUM_AT));
  return crc32(block.subarray(HEADER_BYTES, headEnd(block)), first);
}

/** Where the first section begins. */
function headEnd(block: Uint8Array): number {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const count = view.getUint32(16, true);
  let end = HEADER_BYTES + ENTRY_BYTES * count;
  for (let i = 0; i < count; i++) end += view.getUint32(HEADER_BYTES + ENTRY_BYTES * i + 8, true);
  return alignUp(end, SECTION_ALIGNMENT);
}
