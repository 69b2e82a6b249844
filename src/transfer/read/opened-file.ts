import type { FileFormat } from "./file-format.ts";
import type { RowReader } from "./source-row.ts";

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
