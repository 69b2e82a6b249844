/** The tokens of stored texts. */

import type { Steps } from "../../base/steps.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { AttributeValue } from "../../model/value.ts";
import { analyzerFor, TEXT_START, type TextPlace, type Token } from "../../text/analyzer.ts";

/** Elements that are visited between two pauses, each a token. */
const ELEMENTS_PER_STEP = 4096;

/** Visits the tokens of a value. */
export interface TokenVisitor {
  /** No further token matters. */
  readonly isFound: boolean;
  /** Begins a list of tokens; sequences do not extend over several lists. */
  begin(): void;
  /** Takes a token; positions ascend from the begin on. */
  add(term: string, position: number): void;
}

/**
 * Analyzes a stored value, in steps: one list of tokens for each element. The elements of a
 * pre-tokenized attribute are the tokens of a single list.
 */
export function* visitTokens(
  value: AttributeValue,
  options: FullTextOptions,
  visitor: TokenVisitor,
): Steps<void> {
  if (value === null) return;
  const { tokenizer } = options;
  const elements = typeof value === "string" ? [value] : (value as readonly string[]);
  if (tokenizer === "pre_tokenized_array" && typeof value !== "string") {
    visitor.begin();
    for (let i = 0; i < elements.length && !visitor.isFound; i++) {
      visitor.add(elements[i], i);
      if (i % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
    }
    return;
  }
  const analyzer = analyzerFor(options);
  for (const element of elements) {
    visitor.begin();
    for (let place: TextPlace | undefined = TEXT_START; place !== undefined; ) {
      if (place.offset > 0) yield;
      if (visitor.isFound) return;
      place = analyzer.visitPart(element, place, (term, position) => visitor.add(term, position));
    }
  }
}

/** Elements that are tokens as they are. */
export function wholeTokens(elements: readonly string[]): Token[] {
  return elements.map((term, position) => ({ term, position, start: 0, end: term.length }));
}
