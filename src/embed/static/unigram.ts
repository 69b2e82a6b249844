/**
 * The unigram language model of SentencePiece (Kudo 2018): of all ways to cut a text into pieces of
 * the vocabulary, the one whose pieces are the likeliest together. A character without a piece is
 * unknown, and costs more than any piece.
 */

import type { TokenModel } from "./token-model.ts";

/** How much less likely than the unlikeliest piece an unknown character is; SentencePiece's. */
const UNKNOWN_PENALTY = 10;
/** Longest piece in UTF-16 units that is looked for; our choice, far above vocabularies' own. */
const PIECE_UNITS_MAX = 64;
/**
 * UTF-16 units of a text without spaces that are cut, for their time; our choice: more than the
 * tokens that a model counts, in Chinese as well.
 */
const TEXT_UNITS_MAX = 2048;
/** Stands for a character that no piece has. */
const UNKNOWN = -1;

/** What a tokenizer.json says of its model. */
export interface UnigramOptions {
  /** Pieces with the logarithms of their probabilities; a token's number is its place. */
  readonly pieces: readonly (readonly [piece: string, score: number])[];
  readonly unknown?: number | undefined;
}

/** See the file's head. */
export class Unigram implements TokenModel {
  readonly #tokens = new Map<string, number>();
  readonly #scores: Float64Array;
  readonly #unknown: number | undefined;
  readonly #unknownScore: number;
  readonly #pieceUnitsMax: number;

  constructor({ pieces, unknown }: UnigramOptions) {
    this.#unknown = unknown;
    this.#scores = Float64Array.from(pieces, ([, score]) => score);
    let least = Number.POSITIVE_INFINITY;
    let longest = 1;
    pieces.forEach(([piece, score], token) => {
      if (piece !== "") this.#tokens.set(piece, token);
      least = Math.min(least, score);
      longest = Math.max(longest, piece.length);
    });
    this.#unknownScore = least - UNKNOWN_PENALTY;
    this.#pieceUnitsMax = Math.min(longest, PIECE_UNITS_MAX);
  }

  addTokens(word: string, tokens: number[]): void {
    const text = word.slice(0, TEXT_UNITS_MAX);
    const { length } = text;
    /** By place: the score of the best cut up to there, where its last piece begins and which. */
    const best = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
    const from = new Int32Array(length + 1);
    const last = new Int32Array(length + 1);
    best[0] = 0;
    for (let start = 0; start < length; ) {
      const charEnd = start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
      this.#reach(text, { start, charEnd }, (token, end, score) => {
        if (best[start] + score <= best[end]) return;
        best[end] = best[start] + score;
        from[end] = start;
        last[end] = token;
      });
      start = charEnd;
    }
    const found: number[] = [];
    for (let end = length; end > 0; end = from[end]) found.push(last[end]);
    for (let i = found.length - 1; i >= 0; i--) {
      if (found[i] !== UNKNOWN && found[i] !== this.#unknown) tokens.push(found[i]);
    }
  }

  /** Tells of all pieces that begin at `start`, and of the character there if it is none. */
  #reach(
    text: string,
    { start, charEnd }: { readonly start: number; readonly charEnd: number },
    add: (token: number, end: number, score: number) => void,
  ): void {
    let isKnown = false;
    const endMax = Math.min(text.length, start + this.#pieceUnitsMax);
    for (let end = charEnd; end <= endMax; end++) {
      const token = this.#tokens.get(text.slice(start, end));
      if (token === undefined) continue;
      add(token, end, this.#scores[token]);
      if (end === charEnd) isKnown = true;
    }
    if (!isKnown) add(UNKNOWN, charEnd, this.#unknownScore);
  }
}
