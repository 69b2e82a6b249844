/** The tokens of stored texts. */

import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { AttributeValue } from "../../model/value.ts";
import { analyzerFor, type Token } from "../../text/analyzer.ts";

/**
 * Analyzes a stored value: one list of tokens for each element within which sequences are looked
 * for. The elements of a pre-tokenized attribute are the tokens of a single list.
 */
export function analyzeValue(value: AttributeValue, options: FullTextOptions): Token[][] {
  if (value === null) return [];
  if (typeof value === "string") return [analyzerFor(options).analyze(value)];
  const elements = value as readonly string[];
  if (options.tokenizer === "pre_tokenized_array") return [wholeTokens(elements)];
  const analyzer = analyzerFor(options);
  return elements.map((element) => analyzer.analyze(element));
}

/** Elements that are tokens as they are. */
export function wholeTokens(elements: readonly string[]): Token[] {
  return elements.map((term, position) => ({ term, position, start: 0, end: term.length }));
}
