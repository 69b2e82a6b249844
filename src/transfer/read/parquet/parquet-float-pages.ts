/**
 * Reads columns of lists of floats, which embeddings are, from the pages of a Parquet file straight
 * into views of floats. The general reader makes an array of numbers of each list, which takes most
 * of the time of an import; what is unusual in any way is left to it.
 */

import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  type PageHeader,
  readOffsetIndex,
} from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { decompressPage } from "hyparquet/src/datapage.js";
import { byteStreamSplit, readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { readPlain } from "hyparquet/src/plain.js";
import type { CellValue } from "../source-row.ts";
import { type FloatListColumn, FloatLists, type FloatPage, type Floats } from "./float-lists.ts";

type RowGroup = FileMetaData["row_groups"][number];
type ColumnChunk = RowGroup["columns"][number];
type ColumnMetaData = NonNullable<ColumnChunk["meta_data"]>;

/** Rows of a group, counted from its start. */
export interface GroupRows {
  readonly group: RowGroup;
  readonly start: number;
  readonly end: number;
}

/** Where the bytes come from, and what unpacks them. */
export interface PageSource {
  readonly file: AsyncBuffer;
  readonly compressors: Compressors;
}

/** The chunk of a column, and how its pages are packed. */
export interface FloatChunk {
  readonly column: FloatListColumn;
  readonly codec: ColumnMetaData["codec"];
  readonly compressors: Compressors;
}

/** Pages of a chunk, the dictionary's before them. */
interface ChunkPages {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Row of the group with which the first of them begins. */
  readonly firstRow: number;
}

/**
 * The lists of these rows; undefined where they are for the general reader, which also says what is
 * wrong with them. Faults of pages are those that it throws.
 */
export async function readFloatLists(
  { file, compressors }: PageSource,
  column: FloatListColumn,
  rows: GroupRows,
): Promise<CellValue[] | undefined> {
  const { start, end } = rows;
  const path = column.path.join("\0");
  const chunk = rows.group.columns.find(
    ({ meta_data }) => meta_data?.path_in_schema.join("\0") === path,
  );
  const codec = chunk?.meta_data?.codec;
  if (chunk === undefined || codec === undefined || chunk.file_path) return undefined;
  const { bytes, firstRow } = await chunkPages(file, chunk, rows);
  const lists = floatListsOf(bytes, { column, codec, compressors });
  if (lists === undefined || lists.length < end - firstRow) return undefined;
  return lists.slice(start - firstRow, end - firstRow);
}

/** The lists of pages that follow each other; undefined where these are for the general reader. */
export function floatListsOf(
  bytes: Uint8Array<ArrayBuffer>,
  chunk: FloatChunk,
): CellValue[] | undefined {
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  const lists = new FloatLists(chunk.column);
  let dictionary: Floats | undefined;
  // Some writers leave a byte behind the last page.
  while (reader.offset < bytes.length - 1) {
    const header = parquetHeader(reader);
    const page = bytes.subarray(reader.offset, reader.offset + header.compressed_page_size);
    reader.offset += header.compressed_page_size;
    if (header.type === "DICTIONARY_PAGE") {
      dictionary = dictionaryOf(page, header, chunk);
    } else {
      const floats = floatPageOf(page, { header, chunk, dictionary });
      if (floats === undefined || !lists.add(floats)) return undefined;
    }
  }
  return lists.rows;
}

async function chunkPages(
  file: AsyncBuffer,
  { meta_data, offset_index_offset, offset_index_length }: ColumnChunk,
  { group, start, end }: GroupRows,
): Promise<ChunkPages> {
  const { dictionary_page_offset, data_page_offset, total_compressed_size } =
    meta_data as ColumnMetaData;
  const chunkStart = Number(dictionary_page_offset || data_page_offset);
  const chunkEnd = chunkStart + Number(total_compressed_size);
  const slice = async (from: number, to: number) => new Uint8Array(await file.slice(from, to));
  const isWhole = start === 0 && end === Number(group.num_rows);
  if (isWhole || !offset_index_offset || !offset_index_length) {
    return { bytes: await slice(chunkStart, chunkEnd), firstRow: 0 };
  }
  const indexStart = Number(offset_index_offset);
  const index = await slice(indexStart, indexStart + offset_index_length);
  const view = new DataView(index.buffer, index.byteOffset, index.length);
  const { page_locations: pages } = readOffsetIndex({ view, offset: 0 });
  const first = pages.findLastIndex(({ first_row_index }) => Number(first_row_index) <= start);
  const last = pages.findLast(({ first_row_index }) => Number(first_row_index) < end);
  if (first === -1 || last === undefined) {
    return { bytes: await slice(chunkStart, chunkEnd), firstRow: 0 };
  }
  const dictionary = await slice(chunkStart, Number(pages[0].offset));
  const data = await slice(
    Number(pages[first].offset),
    Number(last.offset) + last.compressed_page_size,
  );
  const bytes = new Uint8Array(dictionary.length + data.length);
  bytes.set(dictionary);
  bytes.set(data, dictionary.length);
  return { bytes, firstRow: Number(pages[first].first_row_index) };
}

function dictionaryOf(page: Uint8Array, header: PageHeader, chunk: FloatChunk): Floats {
  const { codec, compressors, column } = chunk;
  const bytes = decompressPage(page, header.uncompressed_page_size, codec, compressors);
  const count = header.dictionary_page_header?.num_values ?? 0;
  return floatsOf(readPlain(readerOf(bytes), column.type, count, undefined), column);
}

interface PageInChunk {
  readonly header: PageHeader;
  readonly chunk: FloatChunk;
  readonly dictionary: Floats | undefined;
}

function floatPageOf(page: Uint8Array, inChunk: PageInChunk): FloatPage | undefined {
  const { header } = inChunk;
  if (header.type === "DATA_PAGE") return firstVersion(page, inChunk);
  return header.type === "DATA_PAGE_V2" ? secondVersion(page, inChunk) : undefined;
}

/** Levels with their lengths before them, packed with the values. */
function firstVersion(page: Uint8Array, inChunk: PageInChunk): FloatPage | undefined {
  const { chunk, header } = inChunk;
  const head = header.data_page_header;
  if (head === undefined) return undefined;
  const { codec, compressors, column } = chunk;
  const reader = readerOf(decompressPage(page, header.uncompressed_page_size, codec, compressors));
  const repetition = new Uint8Array(head.num_values);
  readRleBitPackedHybrid(reader, 1, repetition);
  const definition = new Uint8Array(head.num_values);
  readRleBitPackedHybrid(reader, bitWidth(column.valueLevel), definition);
  return pageWith({ repetition, definition, encoding: head.encoding }, reader, inChunk);
}

/** Levels that are not packed, whose lengths are in the header. */
function secondVersion(page: Uint8Array, inChunk: PageInChunk): FloatPage | undefined {
  const { chunk, header } = inChunk;
  const head = header.data_page_header_v2;
  if (head === undefined) return undefined;
  const { codec, compressors, column } = chunk;
  const { repetition_levels_byte_length, definition_levels_byte_length, num_values } = head;
  const levels = readerOf(page);
  const repetition = new Uint8Array(num_values);
  readRleBitPackedHybrid(levels, 1, repetition, repetition_levels_byte_length);
  const definition = new Uint8Array(num_values);
  const width = bitWidth(column.valueLevel);
  readRleBitPackedHybrid(levels, width, definition, definition_levels_byte_length);
  const levelBytes = repetition_levels_byte_length + definition_levels_byte_length;
  const packed = page.subarray(levelBytes);
  const unpackedBytes = header.uncompressed_page_size - levelBytes;
  const values =
    head.is_compressed === false
      ? packed
      : decompressPage(packed, unpackedBytes, codec, compressors);
  return pageWith({ repetition, definition, encoding: head.encoding }, readerOf(values), inChunk);
}

interface PageLevels {
  readonly repetition: Uint8Array;
  readonly definition: Uint8Array;
  readonly encoding: string;
}

function pageWith(
  { repetition, definition, encoding }: PageLevels,
  reader: ReturnType<typeof readerOf>,
  { chunk: { column }, dictionary }: PageInChunk,
): FloatPage | undefined {
  let count = 0;
  for (let i = 0; i < definition.length; i++) if (definition[i] === column.valueLevel) count++;
  const isFull = count === definition.length;
  const page = { repetition, definition: isFull ? undefined : definition };
  switch (encoding) {
    case "PLAIN":
      return {
        ...page,
        values: floatsOf(readPlain(reader, column.type, count, undefined), column),
      };
    case "BYTE_STREAM_SPLIT":
      return {
        ...page,
        values: floatsOf(byteStreamSplit(reader, count, column.type, undefined), column),
      };
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY": {
      const values = dictionary && lookedUp(reader, count, dictionary);
      return values && { ...page, values };
    }
    default:
      return undefined;
  }
}

/** Undefined if a value is not in the dictionary. */
function lookedUp(
  reader: ReturnType<typeof readerOf>,
  count: number,
  dictionary: Floats,
): Floats | undefined {
  const indexes = new Int32Array(count);
  const width = count === 0 ? 0 : reader.view.getUint8(reader.offset++);
  if (width > 0) {
    readRleBitPackedHybrid(reader, width, indexes, reader.view.byteLength - reader.offset);
  }
  const isDouble = dictionary instanceof Float64Array;
  const values = isDouble ? new Float64Array(count) : new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const index = indexes[i];
    if (index < 0 || index >= dictionary.length) return undefined;
    values[i] = dictionary[index];
  }
  return values;
}

/** No values at all come as an empty array of any kind. */
function floatsOf(values: ArrayLike<unknown>, { type }: FloatListColumn): Floats {
  if (values instanceof Float32Array || values instanceof Float64Array) return values;
  return type === "DOUBLE" ? new Float64Array(0) : new Float32Array(0);
}

function readerOf(bytes: Uint8Array) {
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
}

function bitWidth(level: number): number {
  return 32 - Math.clz32(level);
}
