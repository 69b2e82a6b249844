/** Documents gathered into the bodies of writes: a pure step between reading and sending. */

import { MIB } from "../../base/byte-sizes.ts";
import type { ReadPosition } from "../read/source-row.ts";

/** Bytes of documents from which on a batch is sent: some milliseconds of a server's work. */
const BATCH_BYTES = 4 * MIB;
/** Documents of a batch; bounds what is looked through for one bad row. */
const BATCH_ROWS_MAX = 10_000;

/** One row on its way. */
export interface BatchRow {
  readonly file: string;
  readonly line: number;
  /** The document, or why there is none. */
  readonly document: Uint8Array | string;
  /** The row as it was found, as JSON. */
  readonly raw: () => string;
  /** Position behind the row, where reading continues. */
  readonly end: ImportPosition;
}

/** Where a batch ends: which file is read on, and from where. */
export interface ImportPosition extends ReadPosition {
  /** From 0. */
  readonly file: number;
  /** Rows of the files before it. */
  readonly rowsBefore: number;
}

/** Rows that follow each other. */
export interface RowBatch {
  readonly rows: readonly BatchRow[];
  /** Of its documents. */
  readonly bytes: number;
  readonly end: ImportPosition;
}

/** Gathers rows in order. */
export class RowBatches {
  readonly #bytesMax: number;
  readonly #rowsMax: number;
  #rows: BatchRow[] = [];
  #bytes = 0;

  constructor(bytesMax = BATCH_BYTES, rowsMax = BATCH_ROWS_MAX) {
    this.#bytesMax = bytesMax;
    this.#rowsMax = rowsMax;
  }

  /** Takes a row; returns a batch if it is full with it. */
  add(row: BatchRow): RowBatch | undefined {
    this.#rows.push(row);
    this.#bytes += documentBytes(row);
    const isFull = this.#bytes >= this.#bytesMax || this.#rows.length >= this.#rowsMax;
    return isFull ? this.rest() : undefined;
  }

  /** What was not full; undefined if there is none. */
  rest(): RowBatch | undefined {
    const last = this.#rows.at(-1);
    if (last === undefined) return undefined;
    const batch = { rows: this.#rows, bytes: this.#bytes, end: last.end };
    this.#rows = [];
    this.#bytes = 0;
    return batch;
  }
}

/** Bytes that a row adds to a body. */
export function documentBytes({ document }: BatchRow): number {
  return typeof document === "string" ? 0 : document.length + 1;
}

/** The body of a write of documents; `members` are further members of it. */
export function writeBody(
  documents: readonly Uint8Array[],
  members: Readonly<Record<string, unknown>>,
): Buffer {
  const head = JSON.stringify(members).slice(1, -1);
  const pieces: Uint8Array[] = [Buffer.from(`{${head === "" ? "" : `${head},`}"upsert_rows":[`)];
  for (const [i, document] of documents.entries()) {
    if (i > 0) pieces.push(COMMA);
    pieces.push(document);
  }
  pieces.push(END);
  return Buffer.concat(pieces);
}

const COMMA = Buffer.from(",");
const END = Buffer.from("]}");
