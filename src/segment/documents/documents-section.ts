/**
 * Whole documents in blocks of consecutive ordinals, so that all attributes of one come with one
 * read. Dense vectors are left out: they lie by ordinal in a section of their own. Two sections:
 *
 * `documents`: the blocks end to end. A block holds its documents as columns (`columns-codec.ts`),
 * compressed with zstd where that is smaller.
 *
 * `documentBlocks`, packed (`columns-packing.ts`): count of attributes, then the name and the type
 * of each (text); first ordinals of the blocks and, last, the count of documents (u32); offsets of
 * the blocks and, last, their end (u32); for each block its size uncompressed, or 0 if it is not
 * compressed (u32).
 */

import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { KIB, MIB } from "../../base/byte-sizes.ts";
import { oneStep, runSteps } from "../../base/steps.ts";
import { checkOffsets } from "../../codec/columns-check.ts";
import { decodeColumns, encodeColumns } from "../../codec/columns-codec.ts";
import { firstOrdinals, gatherColumn } from "../../codec/columns-gather.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import { documentsBytes } from "../../codec/columns-size.ts";
import { sliceDocuments } from "../../codec/columns-slice.ts";
import { hasValue, type ValuePlace } from "../../codec/columns-value.ts";
import {
  type AttributeType,
  formatAttributeType,
  parseAttributeType,
} from "../../model/attribute-type.ts";
import type { Column, DocumentColumns } from "../../model/columns.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { ByteSource } from "../format/byte-source.ts";
import { DecodedDocuments } from "../format/decoded-documents.ts";
import type { SectionEntry, SectionPlan } from "../format/segment-layout.ts";
import type { StoredDocuments } from "./stored-documents.ts";

/** Documents that are stored and read together: what one far read may cost beyond its document. */
const DOCUMENT_BLOCK_BYTES = 16 * KIB;
/** Decoded documents that are kept of a segment that is read alone, as in a merge. */
const DECODED_SEGMENT_BYTES_MAX = 1 * MIB;

/** Kinds of the two sections; without an attribute, in stored segments only. */
export const DOCUMENT_SECTIONS = { documents: 15, blocks: 16 } as const;

/** Presence bitmaps are cut at whole bytes. */
const DOCUMENTS_STEP = 8;

/** Plans both sections for documents without dense vectors. */
export function planDocuments(documents: DocumentColumns): SectionPlan[] {
  const firsts: number[] = [];
  const offsets: number[] = [0];
  const rawBytes: number[] = [];
  const blocks: Uint8Array[] = [];
  for (let start = 0; start < documents.count; ) {
    const end = blockEnd(documents, start);
    const raw = encodeColumns(sliceDocuments(documents, start, end));
    const compressed = zstdCompressSync(raw);
    const isSmaller = compressed.length < raw.length;
    // What the library returns is the start of a buffer of 64 KiB, all of which would stay.
    const block = isSmaller ? new Uint8Array(compressed) : raw;
    blocks.push(block);
    firsts.push(start);
    rawBytes.push(isSmaller ? raw.length : 0);
    offsets.push((offsets.at(-1) ?? 0) + block.length);
    start = end;
  }
  const packer = new ArrayPacker();
  packer.word(documents.attributes.size);
  for (const [name, { type }] of documents.attributes) {
    packer.text(name);
    packer.text(formatAttributeType(type));
  }
  packer.array(Uint32Array.from([...firsts, documents.count]));
  packer.array(Uint32Array.from(offsets));
  packer.array(Uint32Array.from(rawBytes));
  return [
    section(DOCUMENT_SECTIONS.blocks, packer.bytes, (target) => packer.writeTo(target)),
    section(DOCUMENT_SECTIONS.documents, offsets.at(-1) ?? 0, (target) =>
      oneStep(() => {
        blocks.forEach((block, i) => {
          target.set(block, offsets[i]);
        });
      }),
    ),
  ];
}

/** Where the two sections of a stored segment are. */
export interface DocumentSections {
  readonly blocks: SectionEntry;
  readonly documents: SectionEntry;
}

/** Reads documents by ordinal. What was decoded last is kept, within a bound. */
export class DocumentsReader implements StoredDocuments {
  readonly #source: ByteSource;
  readonly #sections: DocumentSections;
  /** Copied out of the source, which may drop its bytes. */
  #index: BlockIndex | undefined;
  readonly #decoded: DecodedDocuments;
  /** Number of this reader there. */
  readonly #reader: number;

  constructor(source: ByteSource, sections: DocumentSections) {
    this.#source = source;
    this.#sections = sections;
    this.#decoded = source.decoded ?? new DecodedDocuments(DECODED_SEGMENT_BYTES_MAX);
    this.#reader = this.#decoded.addReader();
  }

  get attributes(): ReadonlyMap<string, AttributeType> {
    return this.#blockIndex().attributes;
  }

  place(attribute: string, ordinal: number): ValuePlace | undefined {
    const { firsts } = this.#blockIndex();
    const block = lastAtMost(firsts, ordinal);
    const column = this.#block(block).attributes.get(attribute);
    const index = ordinal - firsts[block];
    return column && hasValue(column, index) ? { column, ordinal: index } : undefined;
  }

  column(attribute: string): Column {
    const { attributes, firsts, offsets, rawBytes } = this.#blockIndex();
    const type = attributes.get(attribute);
    if (type === undefined) throw corrupt("documents", `none has \`${attribute}\``);
    const all = this.#bytes(0, offsets[rawBytes.length]);
    const parts = Array.from(rawBytes, (raw, block) => {
      const bytes = all.subarray(offsets[block], offsets[block + 1]);
      const decoded = decodeBlock(bytes, raw);
      checkCount(decoded, firsts[block + 1] - firsts[block]);
      const { attributes: columns, count } = decoded;
      return { column: columns.get(attribute), ordinals: firstOrdinals(count) };
    });
    return runSteps(gatherColumn(type, parts));
  }

  #block(block: number): DocumentColumns {
    const known = this.#decoded.get(this.#reader, block);
    if (known !== undefined) return known;
    const { firsts, offsets, rawBytes } = this.#blockIndex();
    const decoded = decodeBlock(this.#bytes(offsets[block], offsets[block + 1]), rawBytes[block]);
    checkCount(decoded, firsts[block + 1] - firsts[block]);
    this.#decoded.add(this.#reader, block, decoded, this.#sizeOf(block));
    return decoded;
  }

  /** Bytes of a block that is decoded. */
  #sizeOf(block: number): number {
    const { offsets, rawBytes } = this.#blockIndex();
    return rawBytes[block] === 0 ? offsets[block + 1] - offsets[block] : rawBytes[block];
  }

  #bytes(start: number, end: number): Uint8Array {
    const { offset } = this.#sections.documents;
    return this.#source.place(offset + start, offset + end).bytes;
  }

  #blockIndex(): BlockIndex {
    if (this.#index === undefined) {
      const { offset, bytes } = this.#sections.blocks;
      const section = this.#source.place(offset, offset + bytes).bytes;
      this.#index = openIndex(section, this.#sections.documents.bytes);
    }
    return this.#index;
  }
}

interface BlockIndex {
  readonly attributes: ReadonlyMap<string, AttributeType>;
  readonly firsts: Uint32Array;
  readonly offsets: Uint32Array;
  readonly rawBytes: Uint32Array;
}

/**
 * Throws `corrupt` if the sections of a segment from a store have documents without their index, or
 * the other way round, or blocks that do not lie in the section of documents. What is in a block is
 * checked when it is decoded.
 */
export function checkStoredDocuments(sections: AttributeSections): void {
  const documents = sections.entry(DOCUMENT_SECTIONS.documents);
  const blocks = sections.bytes(DOCUMENT_SECTIONS.blocks);
  if (blocks === undefined && documents === undefined) return;
  if (blocks === undefined || documents === undefined) {
    throw corrupt("a segment", "it has documents without their index, or the other way round");
  }
  const { firsts } = openIndex(blocks, documents.bytes);
  const count = firsts[firsts.length - 1];
  if (count === sections.documentCount) return;
  throw corrupt("an index of documents", `it has ${count} of ${sections.documentCount} documents`);
}

/** Checks that blocks follow each other within the section of documents. */
function openIndex(block: Uint8Array, documentsBytes: number): BlockIndex {
  const unpacker = new ArrayUnpacker(block, "an index of documents");
  const attributes = new Map<string, AttributeType>();
  for (let left = unpacker.word(); left > 0; left--) {
    const name = unpacker.text();
    const type = parseAttributeType(unpacker.text());
    if (type === undefined) throw corrupt("an index of documents", `\`${name}\` has no known type`);
    attributes.set(name, type);
  }
  const firsts = unpacker.u32().slice();
  const offsets = unpacker.u32().slice();
  const rawBytes = unpacker.u32().slice();
  checkOffsets(firsts, rawBytes.length, undefined);
  checkOffsets(offsets, rawBytes.length, undefined);
  if (offsets[rawBytes.length] > documentsBytes) {
    throw corrupt("an index of documents", "its blocks do not fit in the section");
  }
  return { attributes, firsts, offsets, rawBytes };
}

function checkCount({ count }: DocumentColumns, expected: number): void {
  if (count === expected) return;
  throw corrupt("a block of documents", `it has ${count} documents instead of ${expected}`);
}

/** Decodes to memory of its own. */
function decodeBlock(bytes: Uint8Array, rawBytes: number): DocumentColumns {
  if (rawBytes === 0) return decodeColumns(Uint8Array.from(bytes));
  let raw: Uint8Array;
  try {
    // The library takes no shared memory.
    raw = zstdDecompressSync(Uint8Array.from(bytes), { maxOutputLength: rawBytes });
  } catch (cause) {
    throw corrupt("a block of documents", cause instanceof Error ? cause.message : String(cause));
  }
  return decodeColumns(Uint8Array.from(raw));
}

/** Where the block that begins at `start` ends. */
function blockEnd(documents: DocumentColumns, start: number): number {
  let end = start;
  let bytes = 0;
  while (end < documents.count && bytes < DOCUMENT_BLOCK_BYTES) {
    const next = Math.min(end + DOCUMENTS_STEP, documents.count);
    bytes += documentsBytes(sliceDocuments(documents, end, next));
    end = next;
  }
  return end;
}

/** Index of the last element that is at most `value`, before the one at the end. */
function lastAtMost(ascending: Uint32Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle;
    else high = middle;
  }
  return low;
}

function section(
  kind: SectionPlan["kind"],
  bytes: number,
  writeTo: SectionPlan["writeTo"],
): SectionPlan {
  return { kind, attribute: "", bytes, writeTo };
}
