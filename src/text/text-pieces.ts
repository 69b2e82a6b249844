/**
 * Pieces of a text whose tokens are those of the text, whatever tokenizer finds them: they begin at
 * line feeds, at the first of some spaces, or at an ideographic full stop. No token goes across,
 * and what stands before decides nothing about what stands after.
 */

import type { Tokenizer } from "../model/full-text-options.ts";
import { isSpaceAt } from "./segmentation/word-breaks.ts";

/** A range of a text, in UTF-16 units. */
export interface TextPiece {
  readonly start: number;
  readonly end: number;
}

/** Units of a piece, at least: some 0.1 ms of analysis. Where words are longer, so are pieces. */
const PIECE_UNITS = 8192;

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const FULL_STOP = 0x3002;

/** The pieces of a text in order, of `units` or more; one if a token may be anything. */
export function* piecesOf(
  text: string,
  tokenizer: Tokenizer,
  units = PIECE_UNITS,
): Generator<TextPiece> {
  const isWhole = tokenizer === "pre_tokenized_array";
  for (let start = 0, end = 0; start < text.length || end === 0; start = end) {
    end = isWhole ? text.length : pieceEnd(text, start + units);
    yield { start, end };
    if (end === text.length) return;
  }
}

function pieceEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED || unit === FULL_STOP) return at;
    if (unit === SPACE && !isSpaceAt(text, at - 1)) return at;
  }
  return text.length;
}
