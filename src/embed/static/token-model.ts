/** What makes tokens of a word: the part of a tokenizer that knows its vocabulary. */
export interface TokenModel {
  /**
   * Adds the numbers of a word's tokens, in order; nothing for what the vocabulary does not have,
   * since unknown tokens have no meaning that a mean should count.
   */
  addTokens(word: string, tokens: number[]): void;
}

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
