/** A file that was chosen in the page as a source of bytes, a slice at a time. */

import { MIB } from "../../../src/base/byte-sizes.ts";
import {
  type ByteSource,
  countBytes,
  cutHead,
  type Packing,
  packedBytesAt,
  packingOf,
  skipBytes,
} from "../../../src/transfer/read/byte-source.ts";
import { FileFault } from "../../../src/transfer/read/source-row.ts";
import { unpackGzip } from "./unpack-gzip.ts";

/** Bytes that are read at once where nothing is packed. */
const READ_BYTES = MIB;
/** The same of what is packed: it may become a thousand times as long, all of which is in memory. */
const PACKED_READ_BYTES = 64 * 1024;

/** See the file's head. What is packed is unpacked from its start on. */
export class ChosenFileBytes implements ByteSource {
  readonly name: string;
  readonly #file: File;
  #packedBytes = 0;
  #textBytes = 0;
  #packing: Packing | undefined;

  constructor(file: File) {
    this.name = file.name;
    this.#file = file;
  }

  bytesAt(offset: number): number {
    if (this.#packing === "none") return offset;
    return packedBytesAt(offset, { packedBytes: this.#packedBytes, textBytes: this.#textBytes });
  }

  async head(): Promise<Uint8Array> {
    return (await cutHead(this.open(0)[Symbol.asyncIterator]())).head;
  }

  async *open(offset: number): AsyncGenerator<Uint8Array> {
    this.#packing ??= packingOf(new Uint8Array(await this.#slice(0, 4)));
    switch (this.#packing) {
      case "none":
        yield* this.#read(offset, READ_BYTES);
        return;
      case "gzip":
        yield* skipBytes(this.#counted(unpackGzip(this.#packed(), this.name)), offset);
        return;
      case "zstd": {
        // Few files are: what unpacks them is loaded when there is one.
        const { unpackZstd } = await import("./unpack-zstd.ts");
        yield* skipBytes(this.#counted(unpackZstd(this.#packed(), this.name)), offset);
        return;
      }
    }
  }

  #packed(): AsyncIterable<Uint8Array> {
    this.#packedBytes = 0;
    this.#textBytes = 0;
    return countBytes(this.#read(0, PACKED_READ_BYTES), (bytes) => {
      this.#packedBytes += bytes;
    });
  }

  #counted(text: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return countBytes(text, (bytes) => {
      this.#textBytes += bytes;
    });
  }

  async *#read(offset: number, bytes: number): AsyncGenerator<Uint8Array> {
    for (let at = offset; at < this.#file.size; at += bytes) {
      yield new Uint8Array(await this.#slice(at, at + bytes));
    }
  }

  async #slice(start: number, end: number): Promise<ArrayBuffer> {
    try {
      return await this.#file.slice(start, end).arrayBuffer();
    } catch (error) {
      // Browsers notice that a file has changed, and read no more of it.
      const { message } = error as Error;
      throw new FileFault(`${this.name} cannot be read: ${message}; choose it again`);
    }
  }
}
