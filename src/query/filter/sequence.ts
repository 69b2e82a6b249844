import { assert } from "../../base/assert.ts";
import type { Ordinal } from "../../base/ids.ts";
import type { Steps } from "../../base/steps.ts";
import { bitmapOrdinals, setBit } from "../../codec/bitmap.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import { ELEMENT_GAP } from "../../segment/text/position-section.ts";
import { TermPositions } from "../../segment/text/term-positions.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import type { TextView } from "../../segment/text/text-view.ts";
import type { ColumnView } from "../../segment/view/segment-view.ts";
import type { Token } from "../../text/analyzer.ts";
import { emptyBits, type OrdinalBits } from "../documents/ordinal-bits.ts";
import type { PredicateOperator, PredicateRun } from "../operator/operator.ts";
import type { AttributeNode } from "./attribute-source.ts";
import { havingAllTerms } from "./having-all-terms.ts";
import { SequenceFinder } from "./sequence-finder.ts";
import { SequenceScan, type SequenceTerm } from "./sequence-scan.ts";
import { visitTokens } from "./stored-tokens.ts";
import { documentNeeds, positionLooks, positionNeeds } from "./term-bits.ts";

/** Candidates that one step looks at, of 50 to 100 ns each; positions, of 2 ns. */
const STEP_CANDIDATES = 1024;
const STEP_POSITIONS = 65_536;

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
    ...documentNeeds(node.attribute, { terms: termsOf(node), prefix: undefined }, run),
    ...(arePositionsEnough(node) ? positionNeeds(node.attribute, termsOf(node), run) : []),
  ],

  run: matchSequence,

  *matches({ attribute, options, sequence }, { current }) {
    const scan = new SequenceScan(sequence);
    yield* visitTokens(current(attribute), options, scan);
    return scan.isFound;
  },

  explain: (node, label) => {
    const terms = termsOf(node).join(" ");
    return [`${label}: ${node.attribute} has the sequence ${terms} ${CHECKED}`];
  },

  fragments: {
    matches: (node, { attribute, matches }) =>
      node.attribute === attribute && hasSequence(node, matches),
    terms: (node, attribute) =>
      node.attribute === attribute ? [{ terms: termsOf(node), prefix: undefined }] : [],
  },
};

const CHECKED = "(checked by positions, or on stored text where a segment has none)";

/** The distinct terms. */
function termsOf({ sequence }: SequenceNode): string[] {
  return [...new Set(sequence.map(({ term }) => term))];
}

/** Documents with all the terms are candidates; one term alone needs no order. */
function* matchSequence(node: SequenceNode, run: PredicateRun): Steps<OrdinalBits> {
  const { view } = run;
  const text = view.index(TEXT_INDEX, node.attribute);
  if (text === undefined) return emptyBits(view.documentCount);
  const candidates = yield* havingAllTerms(text, termsOf(node), run);
  if (node.sequence.length === 1) return candidates;
  const ordinals = bitmapOrdinals(candidates);
  if (ordinals.length === 0) return candidates;
  return text.hasPositions && arePositionsEnough(node)
    ? yield* matchPositions(node, text, ordinals, run)
    : yield* matchTexts(node, ordinals, run);
}

/** Whether positions tell sequences within an element from those that go on in the next one. */
function arePositionsEnough({ sequence, type, options }: SequenceNode): boolean {
  if (sequence.length === 1) return false;
  const last = sequence[sequence.length - 1];
  const isInElements = type.kind === "array" && options.tokenizer !== "pre_tokenized_array";
  return !isInElements || last.distance <= ELEMENT_GAP;
}

/** Keeps the candidates whose positions have the sequence. */
function* matchPositions(
  node: SequenceNode,
  text: TextView,
  ordinals: Uint32Array,
  { view, together, work }: PredicateRun,
): Steps<OrdinalBits> {
  const bits = emptyBits(view.documentCount);
  const terms = termsOf(node);
  together(positionLooks(text, terms));
  const finder = new SequenceFinder(node.sequence, (term) => positionsOf(text, term));
  let last = 0;
  for (const [i, ordinal] of ordinals.entries()) {
    const found = finder.has(ordinal);
    if (typeof found === "boolean" ? found : yield* found) setBit(bits, ordinal);
    if (i % STEP_CANDIDATES > 0 && finder.positionsRead - last < STEP_POSITIONS) continue;
    last = finder.positionsRead;
    yield;
  }
  work.positionsRead += finder.positionsRead;
  return bits;
}

function positionsOf(text: TextView, term: string): TermPositions {
  const postings = text.postings(term);
  const bytes = text.positions(term);
  assert(postings !== undefined && bytes !== undefined, "a candidate has all terms");
  return new TermPositions(postings, bytes);
}

/** Keeps the candidates whose stored text, analyzed again, has the sequence. */
function* matchTexts(
  node: SequenceNode,
  ordinals: Uint32Array,
  { view, togetherInSteps, work }: PredicateRun,
): Steps<OrdinalBits> {
  const bits = emptyBits(view.documentCount);
  const column = view.column(node.attribute);
  if (column === undefined) return bits;
  yield* togetherInSteps(ordinals, (ordinal) => lookAt(column, ordinal as Ordinal));
  const scan = new SequenceScan(node.sequence);
  for (const ordinal of ordinals) {
    scan.isFound = false;
    yield* visitTokens(column.value(ordinal as Ordinal), node.options, scan);
    work.textsAnalyzed++;
    if (scan.isFound) setBit(bits, ordinal);
    yield;
  }
  return bits;
}

function* lookAt(column: ColumnView, ordinal: Ordinal): Steps<void> {
  column.value(ordinal);
  yield;
}

/** Tells whether the tokens of one element, which ascend by position, have the sequence. */
function hasSequence(node: SequenceNode, tokens: readonly Token[]): boolean {
  const scan = SCANS.get(node) ?? new SequenceScan(node.sequence);
  SCANS.set(node, scan);
  scan.isFound = false;
  scan.begin();
  for (const { term, position } of tokens) {
    scan.add(term, position);
    if (scan.isFound) return true;
  }
  return false;
}

/** Scans of fragments, which are checked without pauses. */
const SCANS = new WeakMap<SequenceNode, SequenceScan>();
