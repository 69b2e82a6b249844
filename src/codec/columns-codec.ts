/**
 * Columns ↔ bytes, for WAL records and segments alike. Packed as `columns-packing.ts` draws it;
 * decoding makes views, also over shared memory. The words and arrays of a column, in order:
 *
 * - type, as schemas spell it (text);
 * - count of documents (word);
 * - 1 and the presence bitmap, or 0 if all documents have a value (word, array);
 * - its data: the arrays of its `ColumnData` in the order of their declaration. What kind of data
 *   it is follows from the type.
 *
 * Documents (format version 1): version, count, code of the id type, count of attributes (words),
 * the ids' data, then for each attribute its name (text) and column.
 */

import { DatabaseError } from "../base/errors.ts";
import { FORMAT_VERSIONS } from "../base/format-versions.ts";
import { Pace } from "../base/pace.ts";
import { joinPieces, PIECE_BYTES_MIN, type Pieces } from "../base/pieces.ts";
import { runSteps, type Steps } from "../base/steps.ts";
import type { IdType } from "../model/attribute-type.ts";
import { formatAttributeType, parseAttributeType } from "../model/attribute-type.ts";
import type { Column, ColumnData, DocumentColumns } from "../model/columns.ts";
import { checkDocuments } from "./columns-check.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "./columns-packing.ts";
import { sliceData } from "./columns-slice.ts";
import { dataFrom, idAttributeType } from "./columns-value.ts";

const VERSION = FORMAT_VERSIONS.columns.newest;
/** Values of columns that one step packs: a loop moves their offsets. */
const VALUES_PER_STEP = 131_072;
/** Cost of a column apart from its values, in moved offsets that take as long. */
const COLUMN_WORK_VALUES = 1024;
const ID_TYPES: readonly IdType[] = ["uint", "string", "uuid"];

/** Bytes that are planned but not written yet. */
export interface PlannedBytes {
  /** How many; a multiple of 16. */
  readonly bytes: number;
  /** Writes them all to the start of `target`, which lies at a multiple of 16, in steps. */
  writeTo(target: Uint8Array): Steps<void>;
}

/**
 * Encodes documents to pieces, of which the large ones are views of the documents' own arrays: they
 * must not change until the pieces are written. A multiple of 16 bytes.
 */
export function* encodeColumnPieces(documents: DocumentColumns): Steps<Pieces> {
  const packer = yield* packColumns(documents);
  if (packer.bytes > PIECE_BYTES_MIN) return yield* packer.pieces();
  const bytes = new Uint8Array(packer.bytes);
  yield* packer.writeTo(bytes);
  return [bytes];
}

/** Encodes documents to bytes of their own. */
export function encodeColumns(documents: DocumentColumns): Uint8Array {
  return joinPieces(runSteps(encodeColumnPieces(documents)));
}

function* packColumns(documents: DocumentColumns): Steps<ArrayPacker> {
  const pace = new Pace(VALUES_PER_STEP);
  const packer = new ArrayPacker();
  packer.word(VERSION);
  packer.word(documents.count);
  packer.word(ID_TYPES.indexOf(documents.idType));
  packer.word(documents.attributes.size);
  packData(packer, documents.ids, documents.count);
  for (const [name, column] of documents.attributes) {
    packer.text(name);
    packColumn(packer, column);
    if (pace.isDue(COLUMN_WORK_VALUES + column.count)) yield;
  }
  return packer;
}

/**
 * Decodes documents and checks that all lengths and offsets agree; UTF-8 is not validated again.
 * Copies only if the bytes do not lie at a multiple of 8 in their buffer.
 */
export function decodeColumns(bytes: Uint8Array): DocumentColumns {
  const what = "documents";
  const block = bytes.byteOffset % 8 === 0 ? bytes : Uint8Array.from(bytes);
  const unpacker = new ArrayUnpacker(block, what);
  const version = unpacker.word();
  if (version === 0) throw corrupt(what, "their format version is 0");
  if (version > VERSION) {
    throw new DatabaseError(
      "too_new",
      `cannot decode ${what}: format version ${version}, this server reads ${VERSION}`,
    );
  }
  const count = unpacker.word();
  const idType = ID_TYPES[unpacker.word()];
  if (idType === undefined) throw corrupt(what, "unknown type of ids");
  const attributeCount = unpacker.word();
  const ids = dataFrom(idAttributeType(idType), unpacker);
  const attributes = new Map<string, Column>();
  for (let i = 0; i < attributeCount; i++) {
    const name = unpacker.text();
    attributes.set(name, unpackColumn(unpacker));
  }
  const documents: DocumentColumns = { count, idType, ids, attributes };
  if (!unpacker.done || attributes.size !== attributeCount) {
    throw corrupt(what, "their attributes are not those that were counted");
  }
  checkDocuments(documents);
  return documents;
}

/** Plans the encoding of one column. */
export function planColumn(column: Column): PlannedBytes {
  const packer = new ArrayPacker();
  packColumn(packer, column);
  return packer;
}

/** Opens one column as views, trusting its offsets; cheap at any size. */
export function openColumn(block: Uint8Array): Column {
  return unpackColumn(new ArrayUnpacker(block, "a column"));
}

/** Adds the arrays of `count` values to a packer; `dataFrom` needs to know only their type. */
export function packData(packer: ArrayPacker, data: ColumnData, count: number): void {
  switch (data.kind) {
    case "string":
      packStrings(packer, data, count);
      return;
    case "uuid":
      packer.array(data.bytes);
      return;
    case "array": {
      packer.array(fromZero(data.offsets, count));
      const [start, end] = [data.offsets[0], data.offsets[count]];
      packData(packer, sliceData(data.elements, start, end), end - start);
      return;
    }
    case "multi_vector": {
      packer.array(fromZero(data.offsets, count));
      const [start, end] = [data.offsets[0], data.offsets[count]];
      packer.array(data.values.subarray(start * data.dimensions, end * data.dimensions));
      return;
    }
    case "sparse": {
      packer.array(fromZero(data.offsets, count));
      const [start, end] = [data.offsets[0], data.offsets[count]];
      packStrings(
        packer,
        {
          offsets: data.names.offsets.subarray(start, end + 1),
          bytes: data.names.bytes,
        },
        end - start,
      );
      packer.array(data.weights.subarray(start, end));
      return;
    }
    default:
      packer.array(data.values);
  }
}

function packColumn(packer: ArrayPacker, column: Column): void {
  packer.text(formatAttributeType(column.type));
  packer.word(column.count);
  packer.word(column.presence === undefined ? 0 : 1);
  if (column.presence !== undefined) packer.array(column.presence);
  packData(packer, column.data, column.count);
}

function unpackColumn(unpacker: ArrayUnpacker): Column {
  const spelling = unpacker.text();
  const type = parseAttributeType(spelling);
  if (type === undefined) throw corrupt("a column", `there is no type \`${spelling}\``);
  const count = unpacker.word();
  const hasPresence = unpacker.word() === 1;
  const presence = hasPresence ? unpacker.u8() : undefined;
  const data = dataFrom(type, unpacker);
  return presence === undefined ? { type, count, data } : { type, count, presence, data };
}

function packStrings(
  packer: ArrayPacker,
  strings: { readonly offsets: Uint32Array; readonly bytes: Uint8Array },
  count: number,
): void {
  packer.array(fromZero(strings.offsets, count));
  packer.array(strings.bytes.subarray(strings.offsets[0], strings.offsets[count]));
}

/** The first `count` + 1 offsets, counted from the first of them. */
function fromZero(offsets: Uint32Array, count: number): Uint32Array {
  const used = offsets.subarray(0, count + 1);
  const base = used[0];
  if (base === 0) return used;
  // A loop, as a function that is called for each of a million takes five times as long.
  const moved = new Uint32Array(used.length);
  for (let i = 0; i < moved.length; i++) moved[i] = used[i] - base;
  return moved;
}
