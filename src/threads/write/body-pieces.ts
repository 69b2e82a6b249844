/**
 * Bodies as pieces for the write thread. The chunks of a socket are joined to fewer messages, which
 * takes a copy, and freed at once. Large pieces come back when they are parsed, and are filled
 * again. So a large body leaves nothing for the garbage collectors of both threads, which would
 * look through all of their heaps for every ten megabytes of it.
 */

import { KIB } from "../../base/byte-sizes.ts";

/** Body bytes that are joined to one message for the write thread. */
export const BODY_PIECE_BYTES = 256 * KIB;
/** Pieces kept to be filled again: two bodies' windows. */
export const BODY_PIECES_SPARE_MAX = 32;

/** Chunks from here on are freed when they are copied: smaller ones cost less than to free them. */
const FREED_CHUNK_BYTES_MIN = 16 * KIB;

/** A piece, as a window of a buffer that is its own. */
export type BodyPiece = Uint8Array<ArrayBuffer>;

/** Cuts bodies into pieces. */
export class BodyPieces {
  readonly #spare: ArrayBuffer[] = [];

  /**
   * Yields a body in pieces of at most `BODY_PIECE_BYTES`, none of them empty. Large chunks that
   * are all of their buffers are detached from them.
   */
  async *of(body: AsyncIterable<Uint8Array>): AsyncGenerator<BodyPiece> {
    let held: ChunkPart[] = [];
    let heldBytes = 0;
    for await (const chunk of body) {
      const { length } = chunk; // Of a chunk that was freed it is 0.
      let start = 0;
      while (heldBytes + length - start >= BODY_PIECE_BYTES) {
        const end = start + BODY_PIECE_BYTES - heldBytes;
        yield this.#joined([...held, { chunk, start, end }], BODY_PIECE_BYTES);
        start = end;
        held = [];
        heldBytes = 0;
      }
      if (start === length) continue;
      held.push({ chunk, start, end: length });
      heldBytes += length - start;
    }
    if (heldBytes > 0) yield this.#joined(held, heldBytes);
  }

  /** Takes a piece that nobody reads any more. */
  takeBack({ buffer }: BodyPiece): void {
    if (buffer.byteLength !== BODY_PIECE_BYTES) return;
    if (this.#spare.length < BODY_PIECES_SPARE_MAX) this.#spare.push(buffer);
  }

  #joined(parts: readonly ChunkPart[], bytes: number): BodyPiece {
    const spare = bytes === BODY_PIECE_BYTES ? this.#spare.pop() : undefined;
    const piece = new Uint8Array(spare ?? new ArrayBuffer(bytes));
    let offset = 0;
    for (const { chunk, start, end } of parts) {
      const isLast = end === chunk.length;
      piece.set(chunk.subarray(start, end), offset);
      offset += end - start;
      if (isLast) free(chunk);
    }
    return piece;
  }
}

/** A part of a chunk that is yet to be copied. */
interface ChunkPart {
  readonly chunk: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Frees a large chunk that has a buffer of its own. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < FREED_CHUNK_BYTES_MIN || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
