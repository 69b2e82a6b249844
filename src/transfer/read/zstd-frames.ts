/** Cuts zstd files of any number of frames into these (RFC 8878, section 3.1). */

const MAGIC = 0xfd2fb528;
/** The last digit of skippable frames' magic numbers is theirs to choose. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const CHECKSUM_BYTES = 4;
/** A block of one repeated byte. */
const REPEATED_BLOCK = 1;

/** See the file's head. */
export class ZstdFrames {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held = new Uint8Array(0);
  #windowBytes = 0;
  #checksum: number | undefined;

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks;
  }

  /** Bytes of the text that a decompressor must hold, known when a frame's first piece is. */
  get windowBytes(): number {
    return this.#windowBytes;
  }

  /** The last four bytes of the text's XXH64, known when the frame is over; not all have it. */
  get checksum(): number | undefined {
    return this.#checksum;
  }

  /** Goes to the next frame; false if there is none. */
  async next(): Promise<boolean> {
    while (await this.#fill(1)) if (!(await this.#skip())) return true;
    return false;
  }

  /** The bytes of the frame that comes next; what is cut off is for the decompressor to refuse. */
  async *frame(): AsyncGenerator<Uint8Array> {
    this.#checksum = undefined;
    if (!(await this.#fill(5))) return yield this.#take(5);
    if (numberAt(this.#held, 0, 4) !== MAGIC) throw new Error("something else follows its frames");
    const descriptor = this.#held[4];
    const header = headerBytes(descriptor);
    if (!(await this.#fill(header))) return yield this.#take(header);
    this.#windowBytes = windowBytesOf(this.#held.subarray(0, header));
    yield this.#take(header);
    for (let isLast = false; !isLast; ) {
      if (!(await this.#fill(3))) return yield this.#take(3);
      const block = numberAt(this.#held, 0, 3);
      isLast = (block & 1) === 1;
      const bytes = ((block >> 1) & 3) === REPEATED_BLOCK ? 1 : block >> 3;
      await this.#fill(3 + bytes);
      yield this.#take(3 + bytes);
    }
    const hasChecksum = ((descriptor >> 2) & 1) === 1;
    if (!hasChecksum) return;
    if (await this.#fill(CHECKSUM_BYTES)) this.#checksum = numberAt(this.#held, 0, 4);
    yield this.#take(CHECKSUM_BYTES);
  }

  /** Passes over a frame that is not for decompressors, if one comes next. */
  async #skip(): Promise<boolean> {
    if (!(await this.#fill(8))) return false;
    if (numberAt(this.#held, 0, 4) >>> 4 !== SKIPPABLE_MAGIC >>> 4) return false;
    let left = 8 + numberAt(this.#held, 4, 4);
    while (left > 0 && (await this.#fill(1))) left -= this.#take(left).length;
    return true;
  }

  /** Whether there are so many bytes more. */
  async #fill(bytes: number): Promise<boolean> {
    while (this.#held.length < bytes) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      this.#held = Buffer.concat([this.#held, next.value]);
    }
    return true;
  }

  #take(bytes: number): Uint8Array {
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return taken;
  }
}

/** Length of a frame's header, its magic number included. */
function headerBytes(descriptor: number): number {
  const windowBytes = isSingle(descriptor) ? 0 : 1;
  return 5 + windowBytes + dictionaryFieldBytes(descriptor) + sizeBytes(descriptor);
}

function isSingle(descriptor: number): boolean {
  return ((descriptor >> 5) & 1) === 1;
}

function dictionaryFieldBytes(descriptor: number): number {
  return [0, 1, 2, 4][descriptor & 3];
}

function sizeBytes(descriptor: number): number {
  return [isSingle(descriptor) ? 1 : 0, 2, 4, 8][descriptor >> 6];
}

/** A frame in one piece needs its whole text; others say what they need. */
function windowBytesOf(header: Uint8Array): number {
  const descriptor = header[4];
  if (isSingle(descriptor)) {
    const bytes = sizeBytes(descriptor);
    const at = 5 + dictionaryFieldBytes(descriptor);
    return numberAt(header, at, bytes) + (bytes === 2 ? 256 : 0);
  }
  const base = 2 ** (10 + (header[5] >> 3));
  return base + (base / 8) * (header[5] & 7);
}

/** A number of so many bytes, the lowest first; of eight, those up to 2^53 are exact. */
function numberAt(bytes: Uint8Array, at: number, count: number): number {
  return bytes.subarray(at, at + count).reduceRight((sum, byte) => sum * 256 + byte, 0);
}
