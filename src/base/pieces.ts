import { KIB } from "./byte-sizes.ts";
import { Pace } from "./pace.ts";
import type { Steps } from "./steps.ts";

/** Bytes that one step copies. */
const STEP_COPY_BYTES = 256 * KIB;
/** Work of a piece besides copying, in bytes that are copied meanwhile. */
const PIECE_WORK_BYTES = 256;

/** Smaller pieces of an object are copied together, so that it is written in few calls. */
export const PIECE_BYTES_MIN = 64 * KIB;

/**
 * Bytes in several arrays, end to end. Large objects travel in the arrays that they consist of, so
 * that nobody needs room for them a second time.
 */
export type Pieces = readonly Uint8Array[];

/** Bytes of all pieces together. */
export function piecesBytes(pieces: Pieces): number {
  let bytes = 0;
  for (const piece of pieces) bytes += piece.length;
  return bytes;
}

/** The bytes in one array of their own; a single piece is returned as it is. */
export function joinPieces(pieces: Pieces): Uint8Array {
  if (pieces.length === 1) return pieces[0];
  const joined = new Uint8Array(piecesBytes(pieces));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** The same bytes in fewer pieces: neighbours below `bytesMin` bytes are copied together. */
export function* joinSmallPieces(pieces: Pieces, bytesMin: number): Steps<Uint8Array[]> {
  const joined: Uint8Array[] = [];
  const pace = new Pace(STEP_COPY_BYTES);
  for (let start = 0; start < pieces.length; ) {
    if (pieces[start].length >= bytesMin) {
      joined.push(pieces[start++]);
      continue;
    }
    let end = start;
    let bytes = 0;
    for (; end < pieces.length && pieces[end].length < bytesMin; end++) bytes += pieces[end].length;
    const together = new Uint8Array(bytes);
    for (let at = 0; start < end; at += pieces[start++].length) {
      together.set(pieces[start], at);
      if (pace.isDue(PIECE_WORK_BYTES + pieces[start].length)) yield;
    }
    joined.push(together);
  }
  return joined;
}
