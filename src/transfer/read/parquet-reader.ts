/** Parquet files, one group of rows after the other. */

import { type FileHandle, open } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import {
  type Compressors,
  type FileMetaData,
  type ParquetScan,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
} from "hyparquet";
import { GIB, MIB } from "../../base/byte-sizes.ts";
import { formatDatetime } from "../../model/datetime.ts";
import { parquetColumnForm } from "./parquet-column.ts";
import {
  type CellValue,
  FileFault,
  type ReadPosition,
  type RowReader,
  type SourceColumn,
  type SourceRow,
} from "./source-row.ts";

/**
 * Unpacked bytes of a group of rows that is read as a whole, as it must be where the file has no
 * index of pages. Its values take some three times as many while they are read.
 */
const GROUP_BYTES_MAX = GIB;
/** Unpacked bytes that are read at once where pages can be found. */
const WINDOW_BYTES = 64 * MIB;
/** Rows that are handed on at once. */
const ROWS_AT_ONCE = 1000;

/** What the library does not unpack by itself, but Node does. */
const COMPRESSORS: Compressors = {
  GZIP: (input) => gunzipSync(input),
  ZSTD: (input) => zstdDecompressSync(input),
  BROTLI: (input) => brotliDecompressSync(input),
};

/** Values that JavaScript has no exact form for are made texts at once. */
const PARSERS = {
  timestampFromMilliseconds: (ms: bigint) => datetimeOf(ms, 1n),
  timestampFromMicroseconds: (micros: bigint) => datetimeOf(micros, 1000n),
  timestampFromNanoseconds: (nanos: bigint) => datetimeOf(nanos, 1_000_000n),
  dateFromDays: (days: number) =>
    typeof days === "number" ? formatDatetime(BigInt(days) * 86_400_000n) : undefined,
  jsonFromBytes: (bytes: Uint8Array) => bytes && Buffer.from(bytes).toString(),
};

/** See the file's head. */
export class ParquetReader implements RowReader {
  readonly #name: string;
  #bytesRead = 0;
  /** What was read last: a sample and the import after it begin with the same rows. */
  #kept: { start: number; end: number; values: readonly ArrayLike<unknown>[] } | undefined;
  #opened: { readonly file: FileHandle; readonly metadata: FileMetaData } | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Bytes taken from the disk so far. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  async columns(): Promise<readonly SourceColumn[]> {
    const { metadata } = await this.#open();
    return parquetSchema(metadata).children.map((child) => ({
      name: child.element.name,
      ...parquetColumnForm(child),
    }));
  }

  async *rows(from: ReadPosition): AsyncGenerator<readonly SourceRow[]> {
    const { metadata } = await this.#open();
    const columns = await this.columns();
    try {
      let groupStart = 0;
      for (const group of metadata.row_groups) {
        const groupEnd = groupStart + Number(group.num_rows);
        const bytes = Number(group.total_byte_size);
        let start = Math.max(groupStart, from.rows);
        const isIndexed = group.columns.every((column) => column.offset_index_offset !== undefined);
        if (start < groupEnd && !isIndexed && bytes > GROUP_BYTES_MAX) {
          throw new Error(groupTooLarge(bytes));
        }
        const windows = isIndexed ? Math.max(1, Math.ceil(bytes / WINDOW_BYTES)) : 1;
        const windowRows = Math.ceil((groupEnd - groupStart) / windows);
        for (; start < groupEnd; start = Math.min(groupEnd, start + windowRows)) {
          const end = Math.min(groupEnd, start + windowRows);
          yield* this.#window(columns, start, end);
        }
        groupStart = groupEnd;
      }
    } catch (error) {
      throw this.#fault(error);
    } finally {
      await this.#close();
    }
  }

  async *#window(
    columns: readonly SourceColumn[],
    start: number,
    end: number,
  ): AsyncGenerator<readonly SourceRow[]> {
    if (this.#kept?.start !== start || this.#kept.end !== end) {
      this.#kept = undefined;
      this.#kept = { start, end, values: await this.#readWindow(columns, start, end) };
    }
    const { values } = this.#kept;
    for (let first = start; first < end; first += ROWS_AT_ONCE) {
      const rows: SourceRow[] = [];
      for (let row = first; row < Math.min(end, first + ROWS_AT_ONCE); row++) {
        const cells = values.map((column) => cellOf(column[row - start]));
        const next = { rows: row + 1, line: row + 2, offset: 0 };
        rows.push({ line: row + 1, next, content: { kind: "values", values: cells } });
      }
      yield rows;
    }
  }

  async #readWindow(
    columns: readonly SourceColumn[],
    rowStart: number,
    rowEnd: number,
  ): Promise<ArrayLike<unknown>[]> {
    const scan = await this.#scan();
    const values: ArrayLike<unknown>[] = [];
    for (const { name: column, fault } of columns) {
      // What cannot be imported is not read either.
      if (fault !== undefined) values.push(new Array(rowEnd - rowStart));
      else values.push(await scan.readColumn({ column, rowStart, rowEnd }));
    }
    return values;
  }

  /** Made anew for each window, since a scan keeps the columns that it has read. */
  async #scan(): Promise<ParquetScan> {
    const { file, metadata } = await this.#open();
    return parquetScan({
      file: this.#asyncBuffer(file, (await file.stat()).size),
      metadata,
      compressors: COMPRESSORS,
      parsers: PARSERS,
      utf8: false,
      geoparquet: false,
    });
  }

  async #open() {
    if (this.#opened !== undefined) return this.#opened;
    const file = await open(this.#name);
    try {
      const buffer = this.#asyncBuffer(file, (await file.stat()).size);
      const metadata = await parquetMetadataAsync(buffer, { geoparquet: false });
      this.#opened = { file, metadata };
      return this.#opened;
    } catch (error) {
      await file.close();
      throw this.#fault(error);
    }
  }

  async #close(): Promise<void> {
    const file = this.#opened?.file;
    this.#opened = undefined;
    await file?.close();
  }

  #asyncBuffer(file: FileHandle, byteLength: number) {
    return {
      byteLength,
      slice: async (start: number, end = byteLength): Promise<ArrayBuffer> => {
        const bytes = new Uint8Array(Math.max(0, end - start));
        let at = 0;
        while (at < bytes.length) {
          const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
          if (bytesRead === 0) throw new Error("the file ends before what its footer points to");
          at += bytesRead;
        }
        this.#bytesRead += bytes.length;
        return bytes.buffer;
      },
    };
  }

  #fault(error: unknown): FileFault {
    const { message } = error as Error;
    const codec = /unsupported compression codec: (\w+)/.exec(message);
    const what =
      codec === null
        ? message
        : `compression ${codec[1]} is not read; write the file with SNAPPY, GZIP, ZSTD or BROTLI`;
    return new FileFault(`${this.#name}: ${what}`);
  }
}

function groupTooLarge(bytes: number): string {
  return (
    `a group of rows has ${bytes} bytes and no index of its pages, at most ${GROUP_BYTES_MAX} ` +
    "are read at once; write the file with smaller groups (pyarrow: row_group_size=100_000) or " +
    "with write_page_index=True"
  );
}

function datetimeOf(value: unknown, perMs: bigint): string | undefined {
  if (typeof value !== "bigint") return undefined;
  // Division of bigints cuts towards zero, datetimes go towards the past.
  const ms = value / perMs;
  return formatDatetime(value < 0n && ms * perMs !== value ? ms - 1n : ms);
}

function cellOf(value: unknown): CellValue {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value as CellValue;
}
