/** How the text of one attribute becomes terms, and how BM25 scores them. */

/** Versions of the tokenizer, fixed for ever once released. */
export const TOKENIZERS = [
  "word_v0",
  "word_v1",
  "word_v2",
  "word_v3",
  "word_v4",
  "pre_tokenized_array",
] as const;

/** Name of a tokenizer. */
export type Tokenizer = (typeof TOKENIZERS)[number];

/** Languages with a stemmer. */
export const LANGUAGES = [
  "arabic",
  "danish",
  "dutch",
  "english",
  "finnish",
  "french",
  "german",
  "greek",
  "hungarian",
  "italian",
  "norwegian",
  "portuguese",
  "romanian",
  "russian",
  "spanish",
  "swedish",
  "tamil",
  "turkish",
] as const;

/** Name of a language with a stemmer. */
export type Language = (typeof LANGUAGES)[number];

/** Complete, valid full-text settings of an attribute; defaults are filled in by the parser. */
export interface FullTextOptions {
  readonly tokenizer: Tokenizer;
  /** Ignored by `pre_tokenized_array`. */
  readonly language: Language;
  readonly stemming: boolean;
  readonly removeStopwords: boolean;
  readonly caseSensitive: boolean;
  readonly asciiFolding: boolean;
  /** Longest token kept, in code points. Ignored by `pre_tokenized_array`. */
  readonly maxTokenLength: number;
  /** Saturation of the term frequency in a document; > 0. */
  readonly k1: number;
  /** Weight of the document's length; 0 to 1. */
  readonly b: number;
  /** Saturation of the term frequency in the query; > 0. */
  readonly k3: number;
}
