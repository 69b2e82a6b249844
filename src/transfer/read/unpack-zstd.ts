/**
 * Unpacks zstd files of any number of frames, as `pzstd` and `cat` make them: Node's decompressor
 * ends with the first one, and says nothing of the others. Where frames end is told by their
 * headers (RFC 8878, section 3.1).
 */

import { pipeline, Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";

const MAGIC = 0xfd2fb528;
/** The last digit of skippable frames' magic numbers is theirs to choose. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const CHECKSUM_BYTES = 4;
/** A block of one repeated byte. */
const REPEATED_BLOCK = 1;

/** The text of all frames. `chunkBytes` is what is handed on at once. */
export async function* unpackZstd(
  chunks: AsyncIterable<Uint8Array>,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  const frames = new ZstdFrames(chunks[Symbol.asyncIterator]());
  while (await frames.fill(1)) {
    if (await frames.skip()) continue;
    const frame = Readable.from(frames.frame(), { objectMode: false });
    const unpacker = createZstdDecompress({ chunkSize: chunkBytes });
    yield* pipeline(frame, unpacker, () => {}) as AsyncIterable<Uint8Array>;
  }
}

class ZstdFrames {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** Whether there are so many bytes more. */
  async fill(bytes: number): Promise<boolean> {
    while (this.#held.length < bytes) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      this.#held = Buffer.concat([this.#held, next.value]);
    }
    return true;
  }

  /** Passes over a frame that is not for decompressors, if one comes next. */
  async skip(): Promise<boolean> {
    if (!(await this.fill(8))) return false;
    if (this.#held.readUInt32LE(0) >>> 4 !== SKIPPABLE_MAGIC >>> 4) return false;
    let left = 8 + this.#held.readUInt32LE(4);
    while (left > 0 && (await this.fill(1))) left -= this.#take(left).length;
    return true;
  }

  /** The bytes of the frame that comes next; what is cut off is for the decompressor to refuse. */
  async *frame(): AsyncGenerator<Uint8Array> {
    if (!(await this.fill(5))) return yield this.#take(5);
    if (this.#held.readUInt32LE(0) !== MAGIC) throw new Error("something else follows its frames");
    const descriptor = this.#held[4];
    if (!(await this.fill(headerBytes(descriptor))))
      return yield this.#take(headerBytes(descriptor));
    yield this.#take(headerBytes(descriptor));
    for (let isLast = false; !isLast; ) {
      if (!(await this.fill(3))) return yield this.#take(3);
      const header = this.#held.readUIntLE(0, 3);
      isLast = (header & 1) === 1;
      const bytes = ((header >> 1) & 3) === REPEATED_BLOCK ? 1 : header >> 3;
      await this.fill(3 + bytes);
      yield this.#take(3 + bytes);
    }
    const hasChecksum = ((descriptor >> 2) & 1) === 1;
    if (!hasChecksum) return;
    await this.fill(CHECKSUM_BYTES);
    yield this.#take(CHECKSUM_BYTES);
  }

  #take(bytes: number): Uint8Array {
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return taken;
  }
}

/** Length of a frame's header, its magic number included. */
function headerBytes(descriptor: number): number {
  const isSingle = ((descriptor >> 5) & 1) === 1;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6];
  return 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3] + sizeBytes;
}
