/** Decompressed bytes of a file or of standard input, from any offset on. */

import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { MIB } from "../../base/byte-sizes.ts";
import { FileFault } from "./source-row.ts";
import { unpackZstd } from "./zstd-frames.ts";

/** How a file is packed, told by its first bytes and not by its name. */
type Packing = "none" | "gzip" | "zstd";

/** Bytes of a file that are asked for at once. */
const READ_BYTES = MIB;
/** Bytes of a file that are looked at before its rows are read; a table's header is among them. */
const HEAD_BYTES = MIB;

/** Where text is read from. */
export interface ByteSource {
  /** What users call it: a path, or `-` for standard input. */
  readonly name: string;
  /** Bytes taken from the disk or the pipe so far, still packed. */
  readonly bytesRead: number;
  /** The first bytes of the text, a MiB if there are so many. */
  head(): Promise<Uint8Array>;
  /** The bytes from an offset of the decompressed text on. */
  open(offset: number): AsyncIterable<Uint8Array>;
}

/** The text of a file. What is packed is unpacked from its start, up to the offset for nothing. */
export class FileBytes implements ByteSource {
  readonly name: string;
  #stream: { readonly bytesRead: number } | undefined;
  #startOffset = 0;
  #packing: Packing | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get bytesRead(): number {
    return this.#startOffset + (this.#stream?.bytesRead ?? 0);
  }

  async head(): Promise<Uint8Array> {
    return (await cutHead(this.open(0)[Symbol.asyncIterator]())).head;
  }

  async *open(offset: number): AsyncGenerator<Uint8Array> {
    this.#packing ??= await this.#lookAtPacking();
    const isPlain = this.#packing === "none";
    const start = isPlain ? offset : 0;
    const stream = createReadStream(this.name, { start, highWaterMark: READ_BYTES });
    this.#stream = stream;
    this.#startOffset = start;
    yield* skipBytes(unpacked(stream, this.#packing, this.name), isPlain ? 0 : offset);
  }

  async #lookAtPacking(): Promise<Packing> {
    for await (const chunk of createReadStream(this.name, { end: 3 })) return packingOf(chunk);
    return "none";
  }
}

/** The text that comes through a pipe. It can be opened twice: once for a sample, then for all. */
export class PipeBytes implements ByteSource {
  readonly name = "-";
  readonly #stream: AsyncIterable<Uint8Array>;
  #bytesRead = 0;
  #opens = 0;
  /** What the sample has read, which comes again. */
  #kept: Uint8Array[] = [];
  #rest: AsyncIterator<Uint8Array> | undefined;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#stream = stream;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  async head(): Promise<Uint8Array> {
    if (this.#rest === undefined) {
      const raw = await cutHead(this.#counted());
      const all = Readable.from(joined(raw), { objectMode: false });
      const text = unpacked(all, packingOf(raw.head), "standard input");
      const { head, rest } = await cutHead(text[Symbol.asyncIterator]());
      this.#kept = [head];
      this.#rest = rest;
    }
    return this.#kept[0];
  }

  async *open(offset: number): AsyncGenerator<Uint8Array> {
    await this.head();
    this.#opens++;
    if (this.#rest !== undefined) yield* skipBytes(this.#text(this.#rest), offset);
  }

  async *#text(rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
    const isSample = this.#opens === 1;
    yield* this.#kept;
    if (!isSample) this.#kept = this.#kept.slice(0, 1);
    for (;;) {
      const next = await rest.next();
      if (next.done === true) return;
      if (isSample) this.#kept.push(next.value);
      yield next.value;
    }
  }

  async *#counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#stream) {
      this.#bytesRead += chunk.length;
      yield chunk;
    }
  }
}

function packingOf(head: Uint8Array): Packing {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  const isZstd = head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;
  return isZstd ? "zstd" : "none";
}

/** Reads until there is a head, which the rest does not repeat. */
async function cutHead(
  rest: AsyncIterator<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly rest: AsyncIterator<Uint8Array> }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const next = await rest.next();
    if (next.done === true) break;
    chunks.push(next.value);
    bytes += next.value.length;
  }
  return { head: Buffer.concat(chunks), rest };
}

async function* joined(parts: {
  readonly head: Uint8Array;
  readonly rest: AsyncIterator<Uint8Array>;
}): AsyncGenerator<Uint8Array> {
  if (parts.head.length > 0) yield parts.head;
  for (;;) {
    const next = await parts.rest.next();
    if (next.done === true) return;
    yield next.value;
  }
}

async function* unpacked(
  stream: Readable,
  packing: Packing,
  name: string,
): AsyncGenerator<Uint8Array> {
  try {
    if (packing === "none") {
      yield* stream as AsyncIterable<Uint8Array>;
      return;
    }
    if (packing === "zstd") {
      yield* unpackZstd(stream, READ_BYTES);
      return;
    }
    const unpacker = createGunzip({ chunkSize: READ_BYTES });
    // What goes wrong in either stream is thrown by the iteration over the second.
    yield* pipeline(stream, unpacker, () => {}) as AsyncIterable<Uint8Array>;
  } catch (error) {
    const { message } = error as Error;
    const what = packing === "none" ? "cannot be read" : `is no whole ${packing} file`;
    throw new FileFault(`${name} ${what}: ${message}`);
  } finally {
    stream.destroy();
  }
}

async function* skipBytes(
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left >= chunk.length) {
      left -= chunk.length;
      continue;
    }
    yield left === 0 ? chunk : chunk.subarray(left);
    left = 0;
  }
}
