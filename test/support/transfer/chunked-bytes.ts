/** Text in memory that arrives in chunks, as a file's would. */

import type { ByteSource } from "../../../src/transfer/read/byte-source.ts";

/** A source whose chunks have the lengths that `chunkBytes` says, one after the other. */
export class ChunkedBytes implements ByteSource {
  readonly name: string;
  readonly #bytes: Uint8Array;
  readonly #chunkBytes: () => number;
  /** Offset of the first byte, for files that are larger than memory. */
  readonly #startOffset: number;

  constructor(
    text: string | Uint8Array,
    {
      name = "rows",
      chunkBytes = () => 7,
      startOffset = 0,
    }: { name?: string; chunkBytes?: () => number; startOffset?: number } = {},
  ) {
    this.name = name;
    this.#bytes = typeof text === "string" ? Buffer.from(text) : text;
    this.#chunkBytes = chunkBytes;
    this.#startOffset = startOffset;
  }

  bytesAt(offset: number): number {
    return offset;
  }

  async head(): Promise<Uint8Array> {
    return this.#bytes;
  }

  async *open(offset: number): AsyncGenerator<Uint8Array> {
    let at = Math.max(0, offset - this.#startOffset);
    while (at < this.#bytes.length) {
      const end = Math.min(this.#bytes.length, at + Math.max(1, this.#chunkBytes()));
      // Bytes of their own, since a reader may not rely on what lies beside a chunk.
      yield this.#bytes.slice(at, end);
      at = end;
    }
  }
}
