/**
 * WordPiece as BERT has it (Wu et al. 2016): of each word the longest piece that the vocabulary
 * has, then the longest of the rest, whose pieces have a prefix. A word whose rest has no piece is
 * unknown as a whole.
 */

import { hasMoreCodePoints } from "../../base/bounded-text.ts";
import type { TokenModel } from "./token-model.ts";

/** Longest word in code points that is looked at, where a model does not say. */
const WORD_CHARS_DEFAULT = 100;
/** Longest piece in UTF-16 units that is looked for; our choice, far above vocabularies' own. */
const PIECE_UNITS_MAX = 64;
/** UTF-16 units of a word that are cut, for their time, where a model takes longer ones; our choice. */
const WORD_UNITS_MAX = 2048;

/** What a tokenizer.json says of its model. */
export interface WordPieceOptions {
  readonly vocabulary: ReadonlyMap<string, number>;
  /** Longer words are unknown. */
  readonly wordCharsMax?: number | undefined;
  /** Before all pieces of a word but the first, such as `##`. */
  readonly prefix: string;
}

/** See the file's head. */
export class WordPiece implements TokenModel {
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #wordCharsMax: number;
  readonly #prefix: string;
  /** UTF-16 units of the longest piece: no longer one is looked up. */
  readonly #pieceUnitsMax: number;

  constructor({ vocabulary, wordCharsMax = WORD_CHARS_DEFAULT, prefix }: WordPieceOptions) {
    this.#vocabulary = vocabulary;
    this.#wordCharsMax = wordCharsMax;
    this.#prefix = prefix;
    let longest = 0;
    for (const piece of vocabulary.keys()) longest = Math.max(longest, piece.length);
    this.#pieceUnitsMax = Math.min(longest, PIECE_UNITS_MAX);
  }

  addTokens(whole: string, tokens: number[]): void {
    const before = tokens.length;
    if (hasMoreCodePoints(whole, this.#wordCharsMax)) return;
    const word = whole.slice(0, WORD_UNITS_MAX);
    for (let start = 0; start < word.length; ) {
      const end = this.#longestFrom(word, start, tokens);
      if (end === undefined) {
        tokens.length = before;
        return;
      }
      start = end;
    }
  }

  /** Adds the longest piece that begins at `start`, and returns where it ends. */
  #longestFrom(word: string, start: number, tokens: number[]): number | undefined {
    for (let end = Math.min(word.length, start + this.#pieceUnitsMax); end > start; end--) {
      const piece = word.slice(start, end);
      const token = this.#vocabulary.get(start === 0 ? piece : this.#prefix + piece);
      if (token === undefined) continue;
      tokens.push(token);
      return end;
    }
    return undefined;
  }
}
