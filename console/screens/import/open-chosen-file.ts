/** Finds the reader for a file that was chosen in the page, as `trawl import` does for one of a disk. */

import { decompress as unpackZstd } from "fzstd";
import { ungzip } from "pako";
import { emptyFile } from "../../../src/transfer/read/file-faults.ts";
import { formatOf } from "../../../src/transfer/read/file-format.ts";
import { JsonArrayReader } from "../../../src/transfer/read/json-array-reader.ts";
import { JsonLinesReader } from "../../../src/transfer/read/json-lines-reader.ts";
import { unpackHadoopLz4, unpackLz4Block } from "../../../src/transfer/read/lz4.ts";
import type { OpenedFile } from "../../../src/transfer/read/opened-file.ts";
import {
  ParquetReader,
  type ParquetSource,
} from "../../../src/transfer/read/parquet/parquet-reader.ts";
import { FileFault, type ReadPosition } from "../../../src/transfer/read/source-row.ts";
import { TableTextReader } from "../../../src/transfer/read/table-text-reader.ts";
import { fedParser } from "./fed-parser.ts";
import { ChosenFileBytes } from "./file-bytes.ts";

/** Opens a file; nothing but its first bytes is read. Throws `FileFault`. */
export async function openChosenFile(file: File): Promise<OpenedFile> {
  const source = new ChosenFileBytes(file);
  const head = await source.head();
  if (head.length === 0) throw emptyFile(file.name);
  const format = formatOf(file.name, head);
  const opened = { name: file.name, sizeBytes: file.size };
  const bytesAt = ({ offset }: ReadPosition) => source.bytesAt(offset);
  switch (format) {
    case "parquet": {
      const reader = new ParquetReader(file.name, slicesOf(file));
      return { ...opened, format, reader, bytesAt: ({ rows }) => reader.bytesAt(rows) };
    }
    case "jsonl":
      return { ...opened, format, reader: new JsonLinesReader(source), bytesAt };
    case "json":
      return { ...opened, format, reader: new JsonArrayReader(source), bytesAt };
    case "csv":
    case "tsv": {
      const reader = new TableTextReader(source, { format, parserOf: fedParser });
      return { ...opened, format, reader, bytesAt };
    }
    case "arrow": {
      // Most files are others: its library is loaded when there is one.
      const { ArrowReader } = await import("../../../src/transfer/read/arrow/arrow-reader.ts");
      const reader = new ArrowReader(source, (bytes) => unpackZstd(bytes));
      return { ...opened, format, reader, bytesAt: ({ rows }) => reader.bytesAt(rows) };
    }
    default:
      throw unreadable(file.name);
  }
}

function slicesOf(file: File): ParquetSource {
  return {
    open: async () => ({
      byteLength: file.size,
      slice: (start: number, end = file.size) => file.slice(start, end).arrayBuffer(),
      close: async () => {},
    }),
    compressors: {
      GZIP: (input) => ungzip(input),
      ZSTD: (input) => unpackZstd(input),
      LZ4_RAW: unpackLz4Block,
      LZ4: unpackHadoopLz4,
    },
  };
}

function unreadable(name: string): FileFault {
  return new FileFault(
    `${name}: neither its name nor its first bytes tell the format; files that end with .jsonl, ` +
      ".json, .csv, .tsv, .arrow or .parquet are read here, all but the last also with .gz or " +
      ".zst behind it",
  );
}
