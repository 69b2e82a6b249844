/** Finds the reader for a file, by its name and its first bytes. */

import { statSync } from "node:fs";
import { ArrowReader } from "./arrow-reader.ts";
import { type ByteSource, FileBytes, PipeBytes } from "./byte-source.ts";
import { JsonArrayReader } from "./json-array-reader.ts";
import { JsonLinesReader, withoutMark } from "./json-lines-reader.ts";
import { ParquetReader } from "./parquet-reader.ts";
import { FileFault, type RowReader } from "./source-row.ts";
import { TableTextReader } from "./table-text-reader.ts";

/** Formats that can be named. */
export const FILE_FORMATS = ["jsonl", "json", "csv", "tsv", "parquet", "arrow"] as const;

/** How a file is written. */
export type FileFormat = (typeof FILE_FORMATS)[number];

/** A file that is ready to be read. */
export interface OpenedFile {
  /** A path, or `-`. */
  readonly name: string;
  readonly format: FileFormat;
  readonly reader: RowReader;
  /** Where bytes that were read are counted. */
  readonly counter: { readonly bytesRead: number };
  /** Of the file as it lies there; undefined for standard input. */
  readonly sizeBytes: number | undefined;
}

const FORMAT_OF_ENDING: ReadonlyMap<string, FileFormat> = new Map([
  ["jsonl", "jsonl"],
  ["ndjson", "jsonl"],
  ["csv", "csv"],
  ["tsv", "tsv"],
  ["tab", "tsv"],
  ["parquet", "parquet"],
  ["arrow", "arrow"],
  ["arrows", "arrow"],
  ["feather", "arrow"],
  ["ipc", "arrow"],
]);

/** Opens a file, or the pipe where `name` is `-`. `format` is what the user said, if anything. */
export async function openRows(
  name: string,
  stdin: AsyncIterable<Uint8Array>,
  format?: FileFormat,
): Promise<OpenedFile> {
  const isPipe = name === "-";
  const source: ByteSource = isPipe ? new PipeBytes(stdin) : new FileBytes(name);
  const sizeBytes = isPipe ? undefined : sizeOf(name);
  const found = format ?? formatOf(name, await source.head());
  if (found === undefined) throw unknownFormat(name);
  if (found === "parquet") {
    if (isPipe) throw new FileFault("Parquet is not read from a pipe: save it to a file first");
    const reader = new ParquetReader(name);
    return { name, format: found, reader, counter: reader, sizeBytes };
  }
  return { name, format: found, reader: textReader(source, found), counter: source, sizeBytes };
}

function sizeOf(name: string): number {
  try {
    const stat = statSync(name);
    if (stat.isDirectory())
      throw new FileFault(`${name} is a directory; give its files: ${name}/*`);
    return stat.size;
  } catch (error) {
    if (error instanceof FileFault) throw error;
    throw new FileFault(`${name} cannot be read: ${(error as Error).message}`);
  }
}

function textReader(source: ByteSource, format: Exclude<FileFormat, "parquet">): RowReader {
  switch (format) {
    case "jsonl":
      return new JsonLinesReader(source);
    case "json":
      return new JsonArrayReader(source);
    case "arrow":
      return new ArrowReader(source);
    default:
      return new TableTextReader(source, format);
  }
}

/** What the bytes say goes before what the name says, where they say anything. */
function formatOf(name: string, head: Uint8Array): FileFormat | undefined {
  const magic = Buffer.from(head.subarray(0, 6)).toString("latin1");
  if (magic.startsWith("PAR1")) return "parquet";
  if (magic === "ARROW1" || magic.startsWith("\xff\xff\xff\xff")) return "arrow";
  const ending = /\.([a-z]+)(?:\.(?:gz|gzip|zst|zstd))?$/i.exec(name)?.[1].toLowerCase();
  const named = FORMAT_OF_ENDING.get(ending ?? "");
  if (named !== undefined && named !== "jsonl") return named;
  const first = firstByte(withoutMark(head));
  if (first === "[" || (first === "" && ending === "json")) return "json";
  if (first === "{" || named === "jsonl") return "jsonl";
  return undefined;
}

function firstByte(head: Uint8Array): string {
  const at = head.findIndex((byte) => byte > 0x20);
  return at < 0 ? "" : String.fromCharCode(head[at]);
}

function unknownFormat(name: string): FileFault {
  return new FileFault(
    `${name === "-" ? "standard input" : name}: neither its name nor its first bytes tell the ` +
      `format; give --format ${FILE_FORMATS.join("|")}`,
  );
}
