/**
 * Bodies as pieces for the write thread. The chunks of a socket are copied: they are windows of
 * larger buffers and cannot move to another thread. Large pieces come back when they are parsed and
 * are filled again, so that a large body leaves little for the garbage collectors of both threads.
 */

import { KIB } from "../../base/byte-sizes.ts";

/** Body bytes that are joined to one message for the write thread. */
export const BODY_PIECE_BYTES = 256 * KIB;
/** Pieces kept to be filled again: two bodies' windows. */
export const BODY_PIECES_SPARE_MAX = 32;

/** A piece, as a window of a buffer that is its own. */
export type BodyPiece = Uint8Array<ArrayBuffer>;

/** Cuts bodies into pieces. */
export class BodyPieces {
  readonly #spare: ArrayBuffer[] = [];

  /** Yields a body in pieces of at most `BODY_PIECE_BYTES`, none of them empty. */
  async *of(body: AsyncIterable<Uint8Array>): AsyncGenerator<BodyPiece> {
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    for await (const chunk of body) {
      let rest = chunk;
      while (heldBytes + rest.length >= BODY_PIECE_BYTES) {
        const part = rest.subarray(0, BODY_PIECE_BYTES - heldBytes);
        yield this.#joined([...held, part], BODY_PIECE_BYTES);
        rest = rest.subarray(part.length);
        held = [];
        heldBytes = 0;
      }
      if (rest.length === 0) continue;
      held.push(rest);
      heldBytes += rest.length;
    }
    if (heldBytes > 0) yield this.#joined(held, heldBytes);
  }

  /** Takes a piece that nobody reads any more. */
  takeBack({ buffer }: BodyPiece): void {
    if (buffer.byteLength !== BODY_PIECE_BYTES) return;
    if (this.#spare.length < BODY_PIECES_SPARE_MAX) this.#spare.push(buffer);
  }

  #joined(chunks: readonly Uint8Array[], bytes: number): BodyPiece {
    const spare = bytes === BODY_PIECE_BYTES ? this.#spare.pop() : undefined;
    const piece = new Uint8Array(spare ?? new ArrayBuffer(bytes));
    let offset = 0;
    for (const chunk of chunks) {
      piece.set(chunk, offset);
      offset += chunk.length;
    }
    return piece;
  }
}
