import { KIB } from "./byte-sizes.ts";

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
export function joinSmallPieces(pieces: Pieces, bytesMin: number): Uint8Array[] {
  const joined: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const flush = () => {
    if (small.length > 0) joined.push(joinPieces(small));
    small = [];
  };
  for (const piece of pieces) {
    if (piece.length < bytesMin) {
      small.push(piece);
      continue;
    }
    flush();
    joined.push(piece);
  }
  flush();
  return joined;
}
