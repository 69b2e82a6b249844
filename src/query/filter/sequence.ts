import type { Ordinal } from "../../base/ids.ts";
import type { Steps } from "../../base/steps.ts";
import { bitmapOrdinals, setBit } from "../../codec/bitmap.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { ColumnView } from "../../segment/segment-view.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import type { Token } from "../../text/analyzer.ts";
import { emptyBits, type OrdinalBits } from "../ordinal-bits.ts";
import type { PredicateOperator, PredicateRun } from "../plan/operator.ts";
import { type AttributeNode, attributeNeeds } from "./attribute-source.ts";
import { havingAllTerms } from "./having-all-terms.ts";
import { analyzeValue } from "./stored-tokens.ts";
import { documentNeeds } from "./term-bits.ts";

/** A term of a sequence and how many positions after the first one it stands. */
export interface SequenceTerm {
  readonly term: string;
  readonly distance: number;
}

/** A text has the terms at exactly these distances within one element. Null does not match. */
export interface SequenceNode extends AttributeNode {
  readonly kind: "sequence";
  readonly sequence: readonly SequenceTerm[];
  readonly options: FullTextOptions;
}

/** Filters by phrases. */
export const SEQUENCE: PredicateOperator<SequenceNode> = {
  kind: "sequence",
  cost: () => 4,
  grain: () => "segments",

  needs: (node, run) => [
    ...attributeNeeds(node.attribute, run.view),
    ...documentNeeds(node.attribute, { terms: termsOf(node), prefix: undefined }, run),
  ],

  run: matchSequence,

  matches: ({ attribute, options, ...node }, { current }) =>
    analyzeValue(current(attribute), options).some((tokens) => hasSequence(node, tokens)),

  explain: (node, label) => {
    const terms = termsOf(node).join(" ");
    return [`${label}: ${node.attribute} has the sequence ${terms} (verified on stored text)`];
  },

  fragments: {
    matches: (node, { attribute, matches }) =>
      node.attribute === attribute && hasSequence(node, matches),
    terms: (node, attribute) =>
      node.attribute === attribute ? [{ terms: termsOf(node), prefix: undefined }] : [],
  },
};

function termsOf({ sequence }: SequenceNode): string[] {
  return sequence.map(({ term }) => term);
}

/**
 * Postings have no positions, so documents with all the terms are candidates whose stored text is
 * analyzed again.
 */
function* matchSequence(node: SequenceNode, run: PredicateRun): Steps<OrdinalBits> {
  const { view, togetherInSteps, work } = run;
  const count = view.documentCount;
  const text = view.index(TEXT_INDEX, node.attribute);
  const column = view.column(node.attribute);
  if (text === undefined || column === undefined) return emptyBits(count);
  const candidates = yield* havingAllTerms(text, [...new Set(termsOf(node))], run);
  // One term alone needs no order.
  if (node.sequence.length === 1) return candidates;
  const ordinals = bitmapOrdinals(candidates);
  yield* togetherInSteps(ordinals, (ordinal) => lookAt(column, ordinal as Ordinal));
  const bits = emptyBits(count);
  for (const ordinal of ordinals) {
    const elements = analyzeValue(column.value(ordinal as Ordinal), node.options);
    work.textsAnalyzed++;
    if (elements.some((tokens) => hasSequence(node, tokens))) setBit(bits, ordinal);
    yield;
  }
  return bits;
}

function* lookAt(column: ColumnView, ordinal: Ordinal): Steps<void> {
  column.value(ordinal);
  yield;
}

/** Tells whether the tokens of one element, which ascend by position, have the sequence. */
function hasSequence(
  { sequence }: Pick<SequenceNode, "sequence">,
  tokens: readonly Token[],
): boolean {
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
