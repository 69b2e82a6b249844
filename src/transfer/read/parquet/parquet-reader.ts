/** Parquet files, one group of rows after the other. */

import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  type ParquetScan,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
} from "hyparquet";
import { GIB, MIB } from "../../../base/byte-sizes.ts";
import { checkLeafNames } from "../column-faults.ts";
import { damagedFile, isSystemError, unreadableFile } from "../file-faults.ts";
import {
  type CellValue,
  FileFault,
  type ReadPosition,
  type RowReader,
  type SourceColumn,
  type SourceRow,
} from "../source-row.ts";
import { type FloatListColumn, floatListColumn } from "./float-lists.ts";
import { CELL_PARSERS, withoutDecimals } from "./parquet-cells.ts";
import { type GroupRows, readFloatLists } from "./parquet-float-pages.ts";
import { declaredLeaves, flatLeaves, type ParquetLeaf } from "./parquet-leaves.ts";

/**
 * Unpacked bytes of a group of rows that is read as a whole, as it must be where the file has no
 * index of pages. Its values take some three times as many while they are read.
 */
const GROUP_BYTES_MAX = GIB;
/** Unpacked bytes that are read at once where pages can be found. */
const WINDOW_BYTES = 64 * MIB;
/** Rows that are handed on at once. */
const ROWS_AT_ONCE = 1000;

/** A file that is read by ranges of its bytes. */
export interface SlicedFile extends AsyncBuffer {
  slice(start: number, end?: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

/** Where the bytes come from, and what unpacks pages beside SNAPPY. */
export interface ParquetSource {
  readonly open: () => Promise<SlicedFile>;
  readonly compressors: Compressors;
}

/** Rows that are read at once, counted from the file's start. */
interface RowWindow extends GroupRows {
  readonly groupStart: number;
}

/** See the file's head. */
export class ParquetReader implements RowReader {
  readonly #name: string;
  readonly #source: ParquetSource;
  readonly #flattens: boolean;
  /** What was read last: a sample and the import after it begin with the same rows. */
  #kept: { start: number; end: number; values: readonly ArrayLike<CellValue>[] } | undefined;
  #opened: { readonly file: SlicedFile; readonly metadata: FileMetaData } | undefined;

  #extent = { byteLength: 0, rowCount: 0 };

  constructor(
    name: string,
    source: ParquetSource,
    { flattens = false }: { readonly flattens?: boolean } = {},
  ) {
    this.#name = name;
    this.#source = source;
    this.#flattens = flattens;
  }

  /** Bytes up to a row, as if all had the same; 0 before the file was opened. */
  bytesAt(rows: number): number {
    const { byteLength, rowCount } = this.#extent;
    return rowCount === 0 ? 0 : Math.round((byteLength * rows) / rowCount);
  }

  async columns(): Promise<readonly SourceColumn[]> {
    return this.#leaves();
  }

  async #leaves(): Promise<readonly ParquetLeaf[]> {
    const { metadata } = await this.#open();
    try {
      const { children } = parquetSchema(metadata);
      const leaves = this.#flattens ? flatLeaves(children) : declaredLeaves(children);
      checkLeafNames(this.#name, leaves);
      return leaves;
    } catch (error) {
      await this.#close();
      throw this.#fault(error, "its schema");
    }
  }

  async *rows(from: ReadPosition): AsyncGenerator<readonly SourceRow[]> {
    const { metadata } = await this.#open();
    const columns = await this.#leaves();
    try {
      let groupStart = 0;
      for (const group of metadata.row_groups) {
        const groupEnd = groupStart + Number(group.num_rows);
        const bytes = Number(group.total_byte_size);
        let start = Math.max(groupStart, from.rows);
        const isIndexed = group.columns.every((column) => column.offset_index_offset !== undefined);
        if (start < groupEnd && !isIndexed && bytes > GROUP_BYTES_MAX) {
          throw new FileFault(`${this.#name}: ${groupTooLarge(bytes)}`);
        }
        const windows = isIndexed ? Math.max(1, Math.ceil(bytes / WINDOW_BYTES)) : 1;
        const windowRows = Math.ceil((groupEnd - groupStart) / windows);
        for (; start < groupEnd; start = Math.min(groupEnd, start + windowRows)) {
          const end = Math.min(groupEnd, start + windowRows);
          yield* this.#window(columns, { group, groupStart, start, end });
        }
        groupStart = groupEnd;
      }
    } catch (error) {
      throw this.#fault(error, "a group of its rows");
    } finally {
      await this.#close();
    }
  }

  async *#window(
    columns: readonly ParquetLeaf[],
    window: RowWindow,
  ): AsyncGenerator<readonly SourceRow[]> {
    const { start, end } = window;
    if (this.#kept?.start !== start || this.#kept.end !== end) {
      this.#kept = undefined;
      this.#kept = { start, end, values: await this.#readWindow(columns, window) };
    }
    const { values } = this.#kept;
    for (let first = start; first < end; first += ROWS_AT_ONCE) {
      const rows: SourceRow[] = [];
      for (let row = first; row < Math.min(end, first + ROWS_AT_ONCE); row++) {
        const cells = values.map((column) => column[row - start]);
        const next = { rows: row + 1, line: row + 2, offset: 0 };
        rows.push({ line: row + 1, next, content: { kind: "values", values: cells } });
      }
      yield rows;
    }
  }

  async #readWindow(
    columns: readonly ParquetLeaf[],
    window: RowWindow,
  ): Promise<ArrayLike<CellValue>[]> {
    const { start: rowStart, end: rowEnd } = window;
    const scan = await this.#scan();
    const values: ArrayLike<CellValue>[] = [];
    for (const { name, fault, top, cell } of columns) {
      // What cannot be imported is not read either.
      if (fault !== undefined) {
        values.push(new Array(rowEnd - rowStart));
        continue;
      }
      try {
        const isWhole = name === top.element.name;
        const lists = await this.#floatLists(isWhole ? floatListColumn(top) : undefined, window);
        const read = async () => scan.readColumn({ column: top.element.name, rowStart, rowEnd });
        values.push(lists ?? Array.from(await read(), cell));
      } catch (error) {
        throw this.#fault(error, `column ${JSON.stringify(name)} of ${rowsText(window)}`);
      }
    }
    return values;
  }

  /** Undefined where the column is none of floats, or has what is for the general reader. */
  async #floatLists(
    column: FloatListColumn | undefined,
    { group, groupStart, start, end }: RowWindow,
  ): Promise<ArrayLike<CellValue> | undefined> {
    if (column === undefined) return undefined;
    const { file } = await this.#open();
    const source = { file, compressors: this.#source.compressors };
    const rows = { group, start: start - groupStart, end: end - groupStart };
    return readFloatLists(source, column, rows);
  }

  /** Made anew for each window, since a scan keeps the columns that it has read. */
  async #scan(): Promise<ParquetScan> {
    const { file, metadata } = await this.#open();
    return parquetScan({
      file,
      metadata: withoutDecimals(metadata),
      compressors: this.#source.compressors,
      parsers: CELL_PARSERS,
      utf8: false,
      geoparquet: false,
    });
  }

  async #open() {
    if (this.#opened !== undefined) return this.#opened;
    const file = await this.#source.open().catch((error: unknown) => {
      throw unreadableFile(this.#name, error);
    });
    try {
      const metadata = await parquetMetadataAsync(file, { geoparquet: false });
      this.#opened = { file, metadata };
      this.#extent = { byteLength: file.byteLength, rowCount: Number(metadata.num_rows) };
      return this.#opened;
    } catch (error) {
      await file.close();
      throw this.#fault(error, "its footer");
    }
  }

  async #close(): Promise<void> {
    const file = this.#opened?.file;
    this.#opened = undefined;
    await file?.close();
  }

  /** `part` is what was being read. */
  #fault(error: unknown, part: string): FileFault {
    if (error instanceof FileFault) return error;
    if (isSystemError(error)) return unreadableFile(this.#name, error);
    const { message } = error as Error;
    const codec = /unsupported compression codec: (\w+)/.exec(message);
    if (codec !== null) {
      const cure = `write the file with ${this.#codecs()}`;
      return new FileFault(`${this.#name}: compression ${codec[1]} is not read; ${cure}`);
    }
    if (/unsupported|not supported/.test(message)) {
      const why = `${part} is written in a way that is not read`;
      return new FileFault(`${this.#name}: ${why}; write the file again with another program`);
    }
    return damagedFile(this.#name, part, error);
  }

  #codecs(): string {
    const names = ["SNAPPY", ...Object.keys(this.#source.compressors)];
    return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  }
}

function rowsText({ start, end }: RowWindow): string {
  return `rows ${start + 1} to ${end}`;
}

function groupTooLarge(bytes: number): string {
  return (
    `a group of rows has ${bytes} bytes and no index of its pages, at most ${GROUP_BYTES_MAX} ` +
    "are read at once; write the file with smaller groups (pyarrow: row_group_size=100_000) or " +
    "with write_page_index=True"
  );
}
