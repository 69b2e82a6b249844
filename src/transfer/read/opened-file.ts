import type { FileFormat } from "./file-format.ts";
import type { ReadPosition, RowReader } from "./source-row.ts";

/** A file that is ready to be read. */
export interface OpenedFile {
  /** A path, or `-`. */
  readonly name: string;
  readonly format: FileFormat;
  readonly reader: RowReader;
  /** Bytes of the file as it lies there up to a row that was read; an estimate if it is packed. */
  readonly bytesAt: (position: ReadPosition) => number;
  /** Of the file as it lies there; undefined for standard input. */
  readonly sizeBytes: number | undefined;
}
