/** Defaults of full-text options that depend on each other, and the combinations that are wrong. */
import type { FullTextOptions } from "../model/full-text-options.ts";
import { hasStopWords } from "./languages/language.ts";

/** Greatest `max_token_length`, in code points (contract: 254). */
export const TOKEN_LENGTH_MAX = 254;

/** The options that a request names; the others are left to `completeFullTextOptions`. */
export type NamedFullTextOptions = { readonly [K in keyof FullTextOptions]?: FullTextOptions[K] };

/** What an attribute has that only asks for full-text search. */
export const FULL_TEXT_DEFAULTS: FullTextOptions = {
  tokenizer: "word_v3",
  language: "english",
  stemming: false,
  removeStopwords: true,
  caseSensitive: false,
  asciiFolding: false,
  maxTokenLength: 39,
  k1: 1.2,
  b: 0.75,
  k3: 8,
};

/**
 * Fills in what `named` leaves out, from `previous`, the options that the attribute has, or from
 * the defaults. Stop words stay in if the language has no list or case matters, and
 * `pre_tokenized_array` switches all analysis off, unless the request says otherwise by name, which
 * `validateFullTextOptions` then refuses.
 */
export function completeFullTextOptions(
  named: NamedFullTextOptions,
  previous: FullTextOptions = FULL_TEXT_DEFAULTS,
): FullTextOptions {
  const preTokenized = (named.tokenizer ?? previous.tokenizer) === "pre_tokenized_array";
  // Leaving pre_tokenized_array, its forced settings are no wish of the user's.
  const leaving = previous.tokenizer === "pre_tokenized_array" && !preTokenized;
  const base = leaving ? { ...FULL_TEXT_DEFAULTS, asciiFolding: previous.asciiFolding } : previous;
  const merged = { ...base, k1: previous.k1, b: previous.b, k3: previous.k3, ...named };
  if (preTokenized) {
    return {
      ...merged,
      stemming: named.stemming ?? false,
      removeStopwords: named.removeStopwords ?? false,
      caseSensitive: named.caseSensitive ?? true,
    };
  }
  if (named.removeStopwords === undefined && !canRemoveStopWords(merged)) {
    return { ...merged, removeStopwords: false };
  }
  return merged;
}

/**
 * Returns why `options` cannot be used, or undefined if they can. `named` are the options that the
 * request gives, which matters for `language`.
 */
export function validateFullTextOptions(
  options: FullTextOptions,
  named: NamedFullTextOptions = {},
): string | undefined {
  const range = validateNumbers(options);
  if (range !== undefined) return range;
  if (options.tokenizer === "pre_tokenized_array") return validatePreTokenized(options, named);
  if (options.caseSensitive && options.stemming) {
    return "stemming is not supported when case sensitivity is enabled";
  }
  if (options.caseSensitive && options.removeStopwords) {
    return "stopword removal is not supported when case sensitivity is enabled";
  }
  if (options.removeStopwords && !hasStopWords(options.language)) {
    return `stopword removal is not supported for language: ${options.language}`;
  }
  return undefined;
}

function canRemoveStopWords({ caseSensitive, language }: FullTextOptions): boolean {
  return !caseSensitive && hasStopWords(language);
}

function validatePreTokenized(
  options: FullTextOptions,
  named: NamedFullTextOptions,
): string | undefined {
  const wrong = (what: string) => `cannot specify ${what} with \`pre_tokenized_array\` tokenizer`;
  if (options.stemming) return wrong("stemming");
  if (options.removeStopwords) return wrong("remove_stopwords");
  if (!options.caseSensitive) return wrong("case_sensitive: false");
  if (named.language !== undefined) return wrong("language");
  return undefined;
}

function validateNumbers({ maxTokenLength, k1, b, k3 }: FullTextOptions): string | undefined {
  const wholeLength = Number.isInteger(maxTokenLength);
  if (!wholeLength || maxTokenLength < 1 || maxTokenLength > TOKEN_LENGTH_MAX) {
    return `max_token_length must be between 1 and ${TOKEN_LENGTH_MAX}, but got ${maxTokenLength}`;
  }
  if (!(k1 > 0)) return `k1 must be greater than 0, but got ${k1}`;
  if (!(b >= 0 && b <= 1)) return `b must be between 0 and 1, but got ${b}`;
  if (!(k3 > 0)) return `k3 must be greater than 0, but got ${k3}`;
  return undefined;
}
