import { KIB } from "./byte-sizes.ts";
import { Pace } from "./pace.ts";
import type { Steps } from "./steps.ts";

/** Bytes that one step copies. */
export const STEP_COPY_BYTES = 256 * KIB;
/** Cost of a piece apart from copying, in copied bytes that take as long. */
const PIECE_WORK_BYTES = 256;

/** Smaller pieces of an object are copied together, so that it is written in few calls. */
export const PIECE_BYTES_MIN = 64 * KIB;

/**
 * Bytes in several arrays, end to end. Large objects travel in the arrays that they consist of, so
 * that no second copy of them takes memory.
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

/** Copies bytes to the start of `target`. */
export function* copyInSteps(source: Uint8Array, target: Uint8Array): Steps<void> {
  for (let at = 0; at < source.length; at += STEP_COPY_BYTES) {
    if (at > 0) yield;
    target.set(source.subarray(at, at + STEP_COPY_BYTES), at);
  }
}

/** Joins pieces as `joinPieces` does, in steps; `pace` has the work since the last pause. */
export function* joinInSteps(
  pieces: Pieces,
  pace: Pace = new Pace(STEP_COPY_BYTES),
): Steps<Uint8Array> {
  if (pieces.length === 1) return pieces[0];
  // Memory without zeros: filling it would take as long as the copy.
  const joined = new Uint8Array(Buffer.allocUnsafeSlow(piecesBytes(pieces)).buffer);
  let at = 0;
  for (const piece of pieces) {
    if (piece.length > STEP_COPY_BYTES) yield* copyInSteps(piece, joined.subarray(at));
    else joined.set(piece, at);
    at += piece.length;
    if (pace.isDue(PIECE_WORK_BYTES + piece.length)) yield;
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
    let end = start + 1;
    while (end < pieces.length && pieces[end].length < bytesMin) end++;
    joined.push(yield* joinInSteps(pieces.slice(start, end), pace));
    start = end;
  }
  return joined;
}
