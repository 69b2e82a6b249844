/** Finds the reader for a file, by its name and its first bytes. */

import { statSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";
import { ArrowReader } from "../read/arrow/arrow-reader.ts";
import type { ByteSource } from "../read/byte-source.ts";
import { FileBytes, PipeBytes } from "../read/file-bytes.ts";
import { emptyFile, unreadableFile } from "../read/file-faults.ts";
import { FILE_FORMATS, type FileFormat, formatOf } from "../read/file-format.ts";
import { FlatObjects } from "../read/flatten-object.ts";
import { JsonArrayReader } from "../read/json-array-reader.ts";
import { JsonLinesReader } from "../read/json-lines-reader.ts";
import type { OpenedFile } from "../read/opened-file.ts";
import { openParquet } from "../read/parquet/parquet-file.ts";
import { ParquetReader } from "../read/parquet/parquet-reader.ts";
import { streamParser } from "../read/record-parser.ts";
import { FileFault, type RowReader } from "../read/source-row.ts";
import { TableTextReader } from "../read/table-text-reader.ts";

/** The user's options for the files. */
export interface OpenOptions {
  readonly format?: FileFormat | undefined;
  /** Set to flatten nested values; returns true for members of JSON that stay objects. */
  readonly flattenBut?: ((name: string) => boolean) | undefined;
}

/** Opens a file, or the pipe where `name` is `-`. */
export async function openRows(
  name: string,
  stdin: AsyncIterable<Uint8Array>,
  { format, flattenBut }: OpenOptions = {},
): Promise<OpenedFile> {
  const isPipe = name === "-";
  const source: ByteSource = isPipe ? new PipeBytes(stdin) : new FileBytes(name);
  const sizeBytes = isPipe ? undefined : sizeOf(name);
  const head = await source.head();
  if (head.length === 0) throw emptyFile(shownName(name));
  const found = format ?? formatOf(name, head);
  if (found === undefined) throw unknownFormat(name);
  if (found === "parquet") {
    if (isPipe) throw new FileFault("Parquet is not read from a pipe: save it to a file first");
    const flattens = flattenBut !== undefined;
    const reader = new ParquetReader(name, openParquet(name), { flattens });
    return { name, format: found, reader, sizeBytes, bytesAt: ({ rows }) => reader.bytesAt(rows) };
  }
  if (found === "arrow") {
    const flattens = flattenBut !== undefined;
    const reader = new ArrowReader(source, zstdDecompressSync, { flattens });
    return { name, format: found, reader, sizeBytes, bytesAt: ({ rows }) => reader.bytesAt(rows) };
  }
  const reader = textReader(source, found, flattenBut);
  return {
    name,
    format: found,
    reader,
    sizeBytes,
    bytesAt: ({ offset }) => source.bytesAt(offset),
  };
}

function sizeOf(name: string): number {
  try {
    const stat = statSync(name);
    if (stat.isDirectory())
      throw new FileFault(`${name} is a directory; give its files: ${name}/*`);
    return stat.size;
  } catch (error) {
    if (error instanceof FileFault) throw error;
    throw unreadableFile(name, error);
  }
}

function textReader(
  source: ByteSource,
  format: Exclude<FileFormat, "parquet" | "arrow">,
  flattenBut: OpenOptions["flattenBut"],
): RowReader {
  const flat = (rows: RowReader) => (flattenBut ? new FlatObjects(rows, flattenBut) : rows);
  switch (format) {
    case "jsonl":
      return flat(new JsonLinesReader(source));
    case "json":
      return flat(new JsonArrayReader(source));
    default:
      return new TableTextReader(source, { format, parserOf: streamParser });
  }
}

function shownName(name: string): string {
  return name === "-" ? "standard input" : name;
}

function unknownFormat(name: string): FileFault {
  return new FileFault(
    `${shownName(name)}: neither its name nor its first bytes show the ` +
      `format; give --format ${FILE_FORMATS.join("|")}`,
  );
}
