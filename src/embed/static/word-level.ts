import type { TokenModel } from "./token-model.ts";

/** A vocabulary of whole words: each has its token or none. */
export class WordLevel implements TokenModel {
  readonly #vocabulary: ReadonlyMap<string, number>;

  constructor(vocabulary: ReadonlyMap<string, number>) {
    this.#vocabulary = vocabulary;
  }

  addTokens(word: string, tokens: number[]): void {
    const token = this.#vocabulary.get(word);
    if (token !== undefined) tokens.push(token);
  }
}
