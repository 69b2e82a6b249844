/**
 * Turns text into terms: tokenize, drop what is too long, fold case, drop stop words, stem, fold to
 * ASCII. Documents and queries go through the same analyzer. A dropped token still takes its
 * position, so that phrases keep their distances.
 */
import { LRUCache } from "lru-cache";
import { hasMoreCodePoints } from "../base/bounded-text.ts";
import type { FullTextOptions } from "../model/full-text-options.ts";
import { foldCase, foldToAscii } from "./languages/folding.ts";
import { stemmerOf, stopWordsOf } from "./languages/language.ts";
import type { Scan } from "./segmentation/legacy-tokenizer.ts";
import { asciiScanOf, SCAN_STEP_UNITS, scanOf, WHOLE_TEXT } from "./segmentation/tokenizer.ts";
import { TermCache } from "./term-cache.ts";
import { TermTable } from "./term-table.ts";

/** Analyzers kept, one for each distinct set of options in use. */
export const ANALYZERS_MAX = 16;
/** Tables of terms that wait for their next user, each of some 22 MiB at most. */
const IDLE_TABLES_MAX = 4;

/** A term and where it comes from. */
export interface Token {
  readonly term: string;
  /** Number of tokens before it in the text, dropped ones included. */
  readonly position: number;
  /** Half-open range in the analyzed string, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** A query whose last token is still being typed. */
export interface PrefixQuery {
  /** All tokens but the last, analyzed. */
  readonly tokens: Token[];
  /**
   * Start of a term: the last token, with case and ASCII folded as the options say, but neither
   * stemmed nor dropped. Undefined if the query has no token.
   */
  readonly prefix: string | undefined;
}

/** Is told what a `Token` has. */
export type VisitToken = (term: string, position: number, start: number, end: number) => void;

/** The progress of an analysis. */
export interface TextPlace {
  /** Lower bound of the start of the next token, in UTF-16 units. */
  readonly offset: number;
  /** Tokens before it. */
  readonly tokenCount: number;
}

/** Before the first token. */
export const TEXT_START: TextPlace = { offset: 0, tokenCount: 0 };

/** Analyzes texts by one set of options. */
export interface Analyzer {
  readonly options: FullTextOptions;
  /** Returns the tokens of `text` in order. `pre_tokenized_array` takes the text as one token. */
  analyze(text: string): Token[];
  /** Visits the terms of `text` in order, without an object per token. */
  forEachTerm(text: string, visit: (term: string, position: number) => void): void;
  /**
   * Visits the terms of the next part of `text`, in some 0.1 ms unless a token is longer. Returns
   * where the part after it begins; undefined at the end.
   */
  visitPart(text: string, from: TextPlace, visit: VisitToken): TextPlace | undefined;
  /** A table of terms for one user until it is given back, perhaps with terms of earlier ones. */
  takeTable(): TermTable;
  /** Keeps a table for the next user, unless it holds more than is worth it. */
  giveBack(table: TermTable): void;
  /** Splits a query for `last_as_prefix`. */
  lastTokenPrefix(text: string): PrefixQuery;
}

const ANALYZERS = new LRUCache<string, Analyzer>({ max: ANALYZERS_MAX });
const IDLE_TABLES = new LRUCache<Analyzer, TermTable>({ max: IDLE_TABLES_MAX });

/** Returns the analyzer for valid `options`; equal options share it while it is in use. */
export function analyzerFor(options: FullTextOptions): Analyzer {
  const key = keyOf(options);
  const known = ANALYZERS.get(key);
  if (known !== undefined) return known;
  const analyzer = new TextAnalyzer({ ...options });
  ANALYZERS.set(key, analyzer);
  return analyzer;
}

/** By the very object of the options: each query asks for its analyzer, and numbers are slow to write. */
const KEYS = new WeakMap<FullTextOptions, string>();

function keyOf(options: FullTextOptions): string {
  const known = KEYS.get(options);
  if (known !== undefined) return known;
  const { tokenizer, language, stemming, removeStopwords, caseSensitive } = options;
  const { asciiFolding, maxTokenLength, k1, b, k3 } = options;
  const flags = [stemming, removeStopwords, caseSensitive, asciiFolding].map(Number).join("");
  const key = [tokenizer, language, flags, maxTokenLength, k1, b, k3].join();
  KEYS.set(options, key);
  return key;
}

/**
 * Splits a query of whole tokens, the operand for `pre_tokenized_array`, for `last_as_prefix`.
 * Positions are those in `elements`.
 */
export function lastElementPrefix(elements: readonly string[]): PrefixQuery {
  const tokens = elements
    .slice(0, -1)
    .map((term, position) => ({ term, position, start: 0, end: term.length }));
  return { tokens, prefix: elements.at(-1) };
}

class TextAnalyzer implements Analyzer {
  readonly options: FullTextOptions;
  readonly #scan: Scan;
  readonly #cache: TermCache;

  constructor(options: FullTextOptions) {
    this.options = options;
    this.#scan = scanOf(options.tokenizer);
    // Two units are a code point at most.
    const isWhole = options.tokenizer === "pre_tokenized_array";
    const unitsMax = isWhole ? Number.POSITIVE_INFINITY : 2 * options.maxTokenLength;
    this.#cache = new TermCache(normalizerFor(options), unitsMax);
  }

  takeTable(): TermTable {
    const idle = IDLE_TABLES.get(this);
    IDLE_TABLES.delete(this);
    if (idle !== undefined) return idle;
    const cache = this.#cache;
    return new TermTable({
      scan: this.#scan,
      asciiScan: asciiScanOf(this.options.tokenizer),
      termOf: (token) => cache.get(token, 0, token.length),
    });
  }

  giveBack(table: TermTable): void {
    if (!table.isLarge) IDLE_TABLES.set(this, table);
  }

  analyze(text: string): Token[] {
    const tokens: Token[] = [];
    let position = 0;
    this.#scan(text, WHOLE_TEXT, (start, end) => {
      const term = this.#cache.get(text, start, end);
      if (term !== undefined) tokens.push({ term, position, start, end });
      position++;
    });
    return tokens;
  }

  forEachTerm(text: string, visit: (term: string, position: number) => void): void {
    const cache = this.#cache;
    let position = 0;
    this.#scan(text, WHOLE_TEXT, (start, end) => {
      const term = cache.get(text, start, end);
      if (term !== undefined) visit(term, position);
      position++;
    });
  }

  visitPart(text: string, from: TextPlace, visit: VisitToken): TextPlace | undefined {
    const cache = this.#cache;
    const range = { start: from.offset, until: from.offset + SCAN_STEP_UNITS };
    let tokenCount = from.tokenCount;
    const offset = this.#scan(text, range, (start, end) => {
      const term = cache.get(text, start, end);
      if (term !== undefined) visit(term, tokenCount, start, end);
      tokenCount++;
    });
    return offset < text.length ? { offset, tokenCount } : undefined;
  }

  lastTokenPrefix(text: string): PrefixQuery {
    let last: string | undefined;
    let lastStart = 0;
    this.#scan(text, WHOLE_TEXT, (start, end) => {
      last = text.slice(start, end);
      lastStart = start;
    });
    if (last === undefined) return { tokens: [], prefix: undefined };
    const tokens = this.analyze(text).filter((token) => token.start < lastStart);
    return { tokens, prefix: foldFor(this.options, last) };
  }
}

/** Makes the function from a token to its term; undefined drops the token. */
function normalizerFor(options: FullTextOptions): (token: string) => string | undefined {
  if (options.tokenizer === "pre_tokenized_array") return (token) => token;
  const { maxTokenLength, language } = options;
  const stopWords = options.removeStopwords ? stopWordsOf(language) : undefined;
  const stem = options.stemming ? stemmerOf(language) : undefined;
  return (token) => {
    if (hasMoreCodePoints(token, maxTokenLength)) return undefined;
    const folded = options.caseSensitive ? token : foldCase(token);
    if (stopWords?.has(folded)) return undefined;
    const stemmed = stem === undefined ? folded : stem(folded);
    return options.asciiFolding ? foldStem(options, stemmed) : stemmed;
  };
}

/** Folds what is not a whole term; the same folds as for terms, without the steps between them. */
function foldFor(options: FullTextOptions, token: string): string {
  if (options.tokenizer === "pre_tokenized_array") return token;
  const folded = options.caseSensitive ? token : foldCase(token);
  return options.asciiFolding ? foldStem(options, folded) : folded;
}

/** Folds to ASCII. Some small letters have a capital spelling, so the case is folded again. */
function foldStem(options: FullTextOptions, stem: string): string {
  const folded = foldToAscii(stem);
  return options.caseSensitive ? folded : foldCase(folded);
}
