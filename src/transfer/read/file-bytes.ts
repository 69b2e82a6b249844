/** Files of the disk, and standard input, as sources of bytes. */

import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { MIB } from "../../base/byte-sizes.ts";
import {
  type ByteSource,
  countBytes,
  cutHead,
  type Packing,
  packedBytesAt,
  packingOf,
  skipBytes,
} from "./byte-source.ts";
import { isSystemError, unreadableFile } from "./file-faults.ts";
import { FileFault } from "./source-row.ts";
import { unpackZstd } from "./unpack-zstd.ts";

/** Bytes of a file that are asked for at once. */
const READ_BYTES = MIB;

/** The text of a file. What is packed is unpacked from its start, up to the offset for nothing. */
export class FileBytes implements ByteSource {
  readonly name: string;
  #stream: { readonly bytesRead: number } | undefined;
  /** Bytes of text that the stream was unpacked to. */
  #textBytes = 0;
  #packing: Packing | undefined;

  constructor(name: string) {
    this.name = name;
  }

  bytesAt(offset: number): number {
    if (this.#packing === "none") return offset;
    const packedBytes = this.#stream?.bytesRead ?? 0;
    return packedBytesAt(offset, { packedBytes, textBytes: this.#textBytes });
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
    this.#textBytes = 0;
    const text = countBytes(unpacked(stream, this.#packing, this.name), (bytes) => {
      this.#textBytes += bytes;
    });
    yield* skipBytes(text, isPlain ? 0 : offset);
  }

  async #lookAtPacking(): Promise<Packing> {
    try {
      for await (const chunk of createReadStream(this.name, { end: 3 })) return packingOf(chunk);
    } catch (error) {
      throw unreadableFile(this.name, error);
    }
    return "none";
  }
}

/** The text that comes through a pipe. It can be opened twice: once for a sample, then for all. */
export class PipeBytes implements ByteSource {
  readonly name = "-";
  readonly #stream: AsyncIterable<Uint8Array>;
  #packedBytes = 0;
  #textBytes = 0;
  #opens = 0;
  /** What the sample has read, which comes again. */
  #kept: Uint8Array[] = [];
  #rest: AsyncIterator<Uint8Array> | undefined;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#stream = stream;
  }

  bytesAt(offset: number): number {
    return packedBytesAt(offset, { packedBytes: this.#packedBytes, textBytes: this.#textBytes });
  }

  async head(): Promise<Uint8Array> {
    if (this.#rest === undefined) {
      const counted = countBytes(this.#stream, (bytes) => {
        this.#packedBytes += bytes;
      });
      const raw = await cutHead(counted);
      const all = Readable.from(joined(raw), { objectMode: false });
      const text = countBytes(unpacked(all, packingOf(raw.head), "standard input"), (bytes) => {
        this.#textBytes += bytes;
      });
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
    if (packing === "none" || isSystemError(error)) throw unreadableFile(name, error);
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "Z_BUF_ERROR" ? "it ends too early" : "it is damaged or cut off";
    throw new FileFault(`${name} is no whole ${packing} file: ${why}`, { cause: error });
  } finally {
    stream.destroy();
  }
}
