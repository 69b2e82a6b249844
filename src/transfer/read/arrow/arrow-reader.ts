/** Arrow IPC, as file or as stream, one record batch after the other. */

import { CompressionType, setCompressionCodec, type Table, tableFromIPC } from "@uwdata/flechette";
import { GIB } from "../../../base/byte-sizes.ts";
import type { ByteSource } from "../byte-source.ts";
import { checkLeafNames } from "../column-faults.ts";
import { damagedFile } from "../file-faults.ts";
import { unpackLz4Frame } from "../lz4.ts";
import {
  FileFault,
  type ReadPosition,
  type RowReader,
  type SourceColumn,
  type SourceRow,
} from "../source-row.ts";
import { EXACT } from "./arrow-cells.ts";
import { type ArrowLeaf, declaredLeaves, flatLeaves } from "./arrow-leaves.ts";

/** Bytes of one message, which is read into memory at once. */
const MESSAGE_BYTES_MAX = GIB;
/** Most rows for each unpacked byte of a batch: one bit says whether a value is null. */
const ROWS_PER_BYTE_MAX = 8;
/** Rows that are handed on at once. */
const ROWS_AT_ONCE = 1000;
const CONTINUATION = 0xffffffff;
/** `ARROW1` and two bytes of padding begin a file, and then it is a stream. */
const FILE_HEAD_BYTES = 8;

/** Kinds of messages, as `Message.fbs` numbers them. */
const HEADER = { schema: 1, dictionary: 2, batch: 3 } as const;

/** See the file's head. */
export class ArrowReader implements RowReader {
  readonly #source: ByteSource;
  readonly #flattens: boolean;
  /** Ends of batches from which reading may continue. */
  #batchEnds: { readonly rows: number; readonly offset: number }[] = [];

  /** `unpackZstd` unpacks what batches have packed; the library keeps one for all readers. */
  constructor(
    source: ByteSource,
    unpackZstd: (bytes: Uint8Array) => Uint8Array,
    { flattens = false }: { readonly flattens?: boolean } = {},
  ) {
    this.#source = source;
    this.#flattens = flattens;
    const encode = () => {
      throw new Error("nothing is written here");
    };
    // Numbers are read where they lie, which must be at a multiple of 8.
    const decode = (bytes: Uint8Array) => {
      const unpacked = unpackZstd(bytes);
      return unpacked.byteOffset % 8 === 0 ? unpacked : new Uint8Array(unpacked);
    };
    setCompressionCodec(CompressionType.ZSTD, { encode, decode });
    setCompressionCodec(CompressionType.LZ4_FRAME, { encode, decode: unpackLz4Frame });
  }

  /** Bytes up to a row of a batch that was read, as if all rows of it had the same. */
  bytesAt(rows: number): number {
    // Rows are asked for in order, so what lies before them is not needed again.
    while (this.#batchEnds.length > 1 && this.#batchEnds[1].rows <= rows) this.#batchEnds.shift();
    const [first, second] = this.#batchEnds;
    if (first === undefined || rows < first.rows) return 0;
    const share = second === undefined ? 0 : (rows - first.rows) / (second.rows - first.rows);
    const offset = first.offset + share * ((second?.offset ?? first.offset) - first.offset);
    return this.#source.bytesAt(offset);
  }

  async columns(): Promise<readonly SourceColumn[]> {
    const messages = new MessageReader(this.#source.name, [await this.#source.head()]);
    const schema = await messages.next();
    if (schema === undefined) throw new FileFault(`${this.#source.name} is empty`);
    const leaves = this.#leavesOf(this.#decode([schema]));
    checkLeafNames(this.#source.name, leaves);
    return leaves;
  }

  /** Reads from the start; what comes before the position is decoded and passed over. */
  async *rows(from: ReadPosition): AsyncGenerator<readonly SourceRow[]> {
    const messages = new MessageReader(this.#source.name, this.#source.open(0));
    // Each batch is decoded with what it depends on: the schema and the dictionaries so far.
    const before: Uint8Array[] = [];
    let row = 0;
    let offset = 0;
    this.#batchEnds = [{ rows: 0, offset }];
    for (;;) {
      const message = await messages.next();
      if (message === undefined) return;
      offset += message.length;
      if (messages.kind !== HEADER.batch) {
        before.push(message);
        continue;
      }
      const table = this.#decode([...before, message]);
      this.#checkRowCount(table);
      const start = Math.max(0, from.rows - row);
      this.#batchEnds.push({ rows: row + table.numRows, offset });
      if (start < table.numRows) yield* this.#rowsOf(table, start, row);
      row += table.numRows;
    }
  }

  #leavesOf({ schema: { fields } }: Table): ArrowLeaf[] {
    return this.#flattens ? flatLeaves(fields) : declaredLeaves(fields);
  }

  #decode(messages: Uint8Array[]): Table {
    try {
      return tableFromIPC(messages, EXACT);
    } catch (error) {
      throw damagedFile(this.#source.name, "a record batch", error);
    }
  }

  /** Checks the row count in a batch's header: a damaged one could exceed what fits in memory. */
  #checkRowCount({ numRows, children }: Table): void {
    const batches = children.flatMap(({ data }) => data as readonly BatchBuffers[]);
    const bytes = batches.reduce((sum, batch) => sum + bufferBytes(batch), 0);
    if (numRows <= ROWS_PER_BYTE_MAX * bytes) return;
    const error = new Error(`${numRows} rows in ${bytes} bytes`);
    throw damagedFile(this.#source.name, "a record batch", error);
  }

  /** Cells are read from a batch's buffers, which a damaged batch does not have. */
  *#rowsOf(table: Table, start: number, before: number): Generator<readonly SourceRow[]> {
    const rows = batchRows(table, this.#leavesOf(table), { start, before });
    for (;;) {
      let next: IteratorResult<readonly SourceRow[]>;
      try {
        next = rows.next();
      } catch (error) {
        throw damagedFile(this.#source.name, `a record batch behind row ${before}`, error);
      }
      if (next.done === true) return;
      yield next.value;
    }
  }
}

/** The parts of the library's batches that hold bytes. */
interface BatchBuffers {
  readonly validity?: ArrayLike<number>;
  readonly offsets?: ArrayLike<number>;
  readonly sizes?: ArrayLike<number>;
  readonly values?: ArrayLike<unknown>;
  readonly children?: readonly BatchBuffers[];
}

function bufferBytes({ validity, offsets, sizes, values, children = [] }: BatchBuffers): number {
  const buffers = [validity, offsets, sizes, values].filter((one) => ArrayBuffer.isView(one));
  const own = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return children.reduce((sum, child) => sum + bufferBytes(child), own);
}

function* batchRows(
  table: Table,
  leaves: readonly ArrowLeaf[],
  { start, before }: { readonly start: number; readonly before: number },
): Generator<readonly SourceRow[]> {
  const columns = leaves.map(({ cells }) => cells(table));
  for (let first = start; first < table.numRows; first += ROWS_AT_ONCE) {
    const rows: SourceRow[] = [];
    for (let row = first; row < Math.min(table.numRows, first + ROWS_AT_ONCE); row++) {
      const values = columns.map((cellAt) => cellAt(row));
      const number = before + row;
      const next = { rows: number + 1, line: number + 2, offset: 0 };
      rows.push({ line: number + 1, next, content: { kind: "values", values } });
    }
    yield rows;
  }
}

/** Cuts a stream of bytes into messages, without reading what is in them. */
class MessageReader {
  readonly #name: string;
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);
  #isFile: boolean | undefined;
  /** Of the message that was read last. */
  kind = 0;

  constructor(name: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#name = name;
    this.#chunks =
      Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  }

  /** The next message with its prefix, in bytes of its own; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    if (this.#isFile === undefined) {
      await this.#fill(FILE_HEAD_BYTES);
      this.#isFile = Buffer.from(this.#held.subarray(0, 6)).toString("latin1") === "ARROW1";
      if (this.#isFile) this.#held = this.#held.subarray(FILE_HEAD_BYTES);
    }
    if (!(await this.#fill(8))) {
      if (this.#held.length === 0 && !this.#isFile) return undefined;
      throw this.#cutOff();
    }
    const head = new DataView(this.#held.buffer, this.#held.byteOffset, this.#held.byteLength);
    if (head.getUint32(0, true) !== CONTINUATION) {
      throw new FileFault(`${this.#name} is no Arrow IPC of version 0.15 or newer`);
    }
    const metadataBytes = head.getUint32(4, true);
    if (metadataBytes === 0) return undefined;
    await this.#need(8 + metadataBytes);
    const { kind, bodyBytes } = this.#facts(this.#held.subarray(8, 8 + metadataBytes));
    this.kind = kind;
    return this.#take(8 + metadataBytes + bodyBytes);
  }

  #facts(metadata: Uint8Array): { kind: number; bodyBytes: number } {
    try {
      const facts = messageFacts(metadata);
      if (facts.bodyBytes >= 0) return facts;
    } catch (error) {
      // The flatbuffer points to what lies outside of it.
      throw damagedFile(this.#name, "the head of a record batch", error);
    }
    throw damagedFile(this.#name, "the head of a record batch");
  }

  async #take(bytes: number): Promise<Uint8Array> {
    await this.#need(bytes);
    // Numbers in it are read where they lie, which must be at a multiple of 8.
    const message = new Uint8Array(this.#held.subarray(0, bytes));
    this.#held = this.#held.subarray(bytes);
    return message;
  }

  async #need(bytes: number): Promise<void> {
    if (bytes > MESSAGE_BYTES_MAX) {
      throw new FileFault(
        `${this.#name}: a record batch of ${bytes} bytes, at most ${MESSAGE_BYTES_MAX} are read ` +
          "at once; write it in smaller batches",
      );
    }
    if (!(await this.#fill(bytes))) throw this.#cutOff();
  }

  async #fill(bytes: number): Promise<boolean> {
    const parts = [this.#held];
    let have = this.#held.length;
    while (have < bytes) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      parts.push(next.value);
      have += next.value.length;
    }
    if (parts.length > 1) this.#held = Buffer.concat(parts);
    return have >= bytes;
  }

  #cutOff(): FileFault {
    return new FileFault(`${this.#name} is cut off: it ends inside of a record batch`);
  }
}

/** Reads two members of a message, a flatbuffer: the kind of its header, and its body's length. */
function messageFacts(metadata: Uint8Array): { kind: number; bodyBytes: number } {
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength);
  const table = view.getInt32(0, true);
  const members = table - view.getInt32(table, true);
  const place = (index: number) => {
    const entry = 4 + 2 * index;
    const offset =
      entry < view.getUint16(members, true) ? view.getUint16(members + entry, true) : 0;
    return offset === 0 ? undefined : table + offset;
  };
  const kind = place(1);
  const body = place(3);
  return {
    kind: kind === undefined ? 0 : view.getUint8(kind),
    bodyBytes: body === undefined ? 0 : Number(view.getBigInt64(body, true)),
  };
}
