/** Token filters over one segment's postings. */

import type { Ordinal } from "../base/ids.ts";
import { bitmapOrdinals, setBit } from "../codec/bitmap.ts";
import type { AttributeValue } from "../model/value.ts";
import type { SegmentView, TextView } from "../segment/segment-view.ts";
import type { Token } from "../text/analyzer.ts";
import { analyzeValue } from "./bind/text-query.ts";
import {
  andBits,
  emptyBits,
  forEachBit,
  isEmpty,
  type OrdinalBits,
  orBits,
} from "./ordinal-bits.ts";
import { touchValues } from "./plan-needs.ts";
import type { SequenceTerm, Test } from "./predicate.ts";

type TokensTest = Extract<Test, { kind: "tokens" }>;
type SequenceTest = Extract<Test, { kind: "sequence" }>;

/** Ordinals with all or any of the terms. */
export function matchTokens(test: TokensTest, view: SegmentView, attribute: string): OrdinalBits {
  const count = view.documentCount;
  const text = view.text(attribute);
  if (text === undefined) return emptyBits(count);
  const combine = test.mode === "all" ? andBits : orBits;
  let bits: OrdinalBits | undefined;
  for (const term of test.terms) {
    const having = termBits(text, term, count);
    bits = bits === undefined ? having : combine(bits, having);
    if (test.mode === "all" && isEmpty(bits)) return bits;
  }
  if (test.prefix !== undefined) {
    const having = prefixBits(text, test.prefix, count);
    bits = bits === undefined ? having : combine(bits, having);
  }
  return bits ?? emptyBits(count);
}

/** Ordinals with a term that starts with `prefix`. */
export function prefixBits(text: TextView, prefix: string, count: number): OrdinalBits {
  const bits = emptyBits(count);
  for (let code = text.lowerBound(prefix); code < text.termCount; code++) {
    if (!text.term(code).startsWith(prefix)) break;
    addAll(bits, text.postingsAt(code).ordinals);
  }
  return bits;
}

/**
 * Ordinals among `within` whose text has the sequence. Postings have no positions, so documents
 * with all the terms are candidates whose stored text is analyzed again.
 */
export function matchSequence(
  test: SequenceTest,
  view: SegmentView,
  attribute: string,
  within: OrdinalBits,
): OrdinalBits {
  const count = view.documentCount;
  const text = view.text(attribute);
  const column = view.column(attribute);
  if (text === undefined || column === undefined) return emptyBits(count);
  const candidates = within.slice();
  for (const term of new Set(test.sequence.map((part) => part.term))) {
    andBits(candidates, termBits(text, term, count));
    if (isEmpty(candidates)) return candidates;
  }
  // One term alone needs no order.
  if (test.sequence.length === 1) return candidates;
  const bits = emptyBits(count);
  touchValues(view, Array.from(bitmapOrdinals(candidates)) as Ordinal[], [attribute]);
  forEachBit(candidates, (ordinal) => {
    if (valueHasSequence(test, column.value(ordinal as Ordinal))) setBit(bits, ordinal);
  });
  return bits;
}

/** Tells whether a stored value has the sequence within one element. */
export function valueHasSequence(test: SequenceTest, value: AttributeValue): boolean {
  return analyzeValue(value, test.options).some((tokens) => hasSequence(test, tokens));
}

/** Tells whether a stored value has all or any of the terms. */
export function valueHasTokens(test: TokensTest, value: AttributeValue): boolean {
  return hasTokens(test, analyzeValue(value, test.options).flat());
}

/** Tells whether the tokens have all or any of the terms. */
export function hasTokens(test: TokensTest, tokens: readonly Token[]): boolean {
  const terms = new Set(tokens.map((token) => token.term));
  const { prefix } = test;
  const found = test.terms.map((term) => terms.has(term));
  if (prefix !== undefined) found.push([...terms].some((term) => term.startsWith(prefix)));
  return test.mode === "all" ? found.every(Boolean) : found.some(Boolean);
}

/** Tells whether the tokens of one element, which ascend by position, have the sequence. */
export function hasSequence({ sequence }: SequenceTest, tokens: readonly Token[]): boolean {
  for (let start = 0; start < tokens.length; start++) {
    if (tokens[start].term === sequence[0].term && startsSequence(sequence, tokens, start)) {
      return true;
    }
  }
  return false;
}

function startsSequence(
  sequence: readonly SequenceTerm[],
  tokens: readonly Token[],
  start: number,
): boolean {
  let at = start;
  return sequence.every(({ term, distance }) => {
    const position = tokens[start].position + distance;
    while (at < tokens.length && tokens[at].position < position) at++;
    return at < tokens.length && tokens[at].position === position && tokens[at].term === term;
  });
}

function termBits(text: TextView, term: string, count: number): OrdinalBits {
  const bits = emptyBits(count);
  const postings = text.postings(term);
  if (postings !== undefined) addAll(bits, postings.ordinals);
  return bits;
}

function addAll(bits: OrdinalBits, ordinals: Uint32Array): void {
  for (let i = 0; i < ordinals.length; i++) setBit(bits, ordinals[i]);
}
