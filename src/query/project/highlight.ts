/** Highlights: the fragments of a text that match best, and where the matches are. */

import { siftDown, siftUp } from "../../base/heap.ts";
import type { Ordinal } from "../../base/ids.ts";
import type { Steps } from "../../base/steps.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { Highlight } from "../../model/query.ts";
import type { HighlightFragment } from "../../model/query-result.ts";
import type { AttributeValue } from "../../model/value.ts";
import { missedBy } from "../../segment/format/bytes-missing.ts";
import { joinReads, type ReadingSteps } from "../../segment/format/reading-steps.ts";
import { analyzerFor, TEXT_START, type TextPlace, type Token } from "../../text/analyzer.ts";
import {
  convertOffsets,
  type Fragment,
  type Fragments,
  splitFragments,
} from "../../text/fragments.ts";
import type { RankedDocument } from "../documents/top-documents.ts";
import type {
  ComputedOperator,
  Execution,
  FragmentStatistics,
  Operators,
} from "../operator/operator.ts";
import type { ComputedNode, ScoreNode } from "../operator/plan.ts";
import type { QueryMemory } from "../operator/query-memory.ts";
import { scoreFragment, termsInFragments } from "../score/fragment-score.ts";

/** Fragments of a text. */
export interface HighlightNode extends ComputedNode {
  readonly kind: "highlight";
  readonly highlight: Highlight;
  /** How the attribute's text is analyzed. */
  readonly options: FullTextOptions;
  /** How fragments are ranked. */
  readonly score: ScoreNode;
}

/** Bytes of a fragment beside its text, and of a match in it. */
const FRAGMENT_BYTES = 200;
const RANGE_BYTES = 80;
/** Bytes of a match that is found, whether it is shown or not: its token, and its offsets. */
const MATCH_BYTES = 112;

/** Highlights of the documents that are returned. */
export const HIGHLIGHT: ComputedOperator<HighlightNode> = {
  kind: "highlight",

  run: (node, ranked, execution) => {
    const { operators } = execution;
    const { memory } = execution.options;
    const search = { node, operators, isSought: soughtTerms(node, operators), memory };
    return joinReads(ranked.map((document) => highlightDocument(search, document, execution)));
  },

  // The texts come with the documents.
  needs: (_node, { view }) => [() => void view.attributes],
};

function* highlightDocument(
  search: FragmentSearch,
  { segment, ordinal }: RankedDocument,
  { snapshot, options: { memory } }: Execution,
): ReadingSteps<HighlightFragment[]> {
  yield;
  let value: AttributeValue | undefined;
  while (value === undefined) {
    try {
      const column = snapshot.segments[segment].view.column(search.node.highlight.attribute);
      // The strings stay, whatever becomes of the segment's bytes.
      value = column?.value(ordinal as Ordinal) ?? null;
    } catch (error) {
      yield missedBy(error);
    }
  }
  const { fragments: found, matchBytes } = yield* highlightValue(search, value);
  memory?.give(matchBytes);
  for (const { text, matchRanges } of found) {
    const bytes = 2 * text.length + RANGE_BYTES * (matchRanges?.length ?? 0);
    memory?.take(FRAGMENT_BYTES + bytes, "highlights");
  }
  return found;
}

/** What fragments of all returned documents are searched by. */
interface FragmentSearch {
  readonly node: HighlightNode;
  readonly operators: Operators;
  /** Tells whether the ranking looks for a term in the attribute. */
  readonly isSought: (term: string) => boolean;
  /** Absent: matches are not counted. */
  readonly memory: QueryMemory | undefined;
}

/** A fragment that may be shown. */
interface FragmentCandidate extends Fragment {
  /** Which element of the value; 0 for strings. */
  readonly element: number;
  readonly tokenCount: number;
  /** Ascending; at least one. */
  readonly matches: readonly Token[];
  /** Counts the matches of each term. */
  readonly frequencies: ReadonlyMap<string, number>;
}

/** Fragments of one value. */
interface FragmentsFound extends FragmentStatistics {
  fragmentCount: number;
  tokenCount: number;
  readonly frequencies: Map<string, number>;
  /** Those with a match, by position. */
  readonly candidates: FragmentCandidate[];
  /** Bytes that the matches take. */
  matchBytes: number;
}

/** Candidates that are scored between two pauses, in about a microsecond each. */
const SCORED_PER_STEP = 256;
/** Matches whose places are told between two pauses. */
const MATCHES_PER_STEP = 4096;

/**
 * The best fragments of a value with at least one match, best first, then by position; an empty
 * list if there is none. Each fragment is scored like a document in a corpus of all the value's.
 */
function* highlightValue(
  search: FragmentSearch,
  value: AttributeValue,
): Steps<{ readonly fragments: HighlightFragment[]; readonly matchBytes: number }> {
  const elements = typeof value === "string" ? [value] : ((value ?? []) as readonly string[]);
  const found = yield* findFragments(search, elements);
  const best = yield* bestFragments(search, found);
  const shown = yield* presentFragments(best, elements, search.node);
  const fragments =
    typeof value === "string"
      ? shown
      : shown.map((fragment, i) => ({ ...fragment, arrayIndex: best[i].element }));
  return { fragments, matchBytes: found.matchBytes };
}

function* findFragments(
  { node, isSought, memory }: FragmentSearch,
  elements: readonly string[],
): Steps<FragmentsFound> {
  const { options, highlight } = node;
  const { tokenizer } = options;
  const analyzer = analyzerFor(options);
  const found: FragmentsFound = {
    ...{ fragmentCount: 0, tokenCount: 0 },
    ...{ frequencies: new Map(), candidates: [], matchBytes: 0 },
  };
  for (const [element, text] of elements.entries()) {
    const fragments = yield* splitFragments(text, highlight.fragmentBy, tokenizer);
    const filler = new FragmentFiller(fragments, element, found);
    for (let place: TextPlace | undefined = TEXT_START; place !== undefined; ) {
      let matchCount = 0;
      place = analyzer.visitPart(text, place, (term, position, start, end) => {
        if (!filler.goesTo(start, end) || !isSought(term)) return;
        filler.addMatch({ term, position, start, end });
        matchCount++;
      });
      const bytes = MATCH_BYTES * matchCount;
      memory?.take(bytes, "matches of highlights");
      found.matchBytes += bytes;
      yield;
    }
    filler.end();
  }
  return found;
}

/** Deals the tokens of an element to its fragments. */
class FragmentFiller {
  readonly #fragments: Fragments;
  readonly #element: number;
  readonly #found: FragmentsFound;
  /** The fragment that is filled. */
  #current = 0;
  #tokenCount = 0;
  #matches: Token[] = [];
  /** Counts the matches of each term. */
  #terms = new Map<string, number>();

  constructor(fragments: Fragments, element: number, found: FragmentsFound) {
    this.#fragments = fragments;
    this.#element = element;
    this.#found = found;
    found.fragmentCount += fragments.starts.length;
  }

  /** Tells whether a token, which comes after all others so far, lies in one fragment. */
  goesTo(start: number, end: number): boolean {
    const { starts, ends } = this.#fragments;
    while (this.#current < ends.length && end > ends[this.#current]) this.#close();
    if (this.#current === ends.length || start < starts[this.#current]) return false;
    this.#tokenCount++;
    return true;
  }

  /** Adds the token that was last told, which is looked for. */
  addMatch(match: Token): void {
    this.#matches.push(match);
    this.#terms.set(match.term, (this.#terms.get(match.term) ?? 0) + 1);
  }

  /** After the last token. */
  end(): void {
    if (this.#current < this.#fragments.ends.length) this.#close();
  }

  #close(): void {
    const { starts, ends } = this.#fragments;
    const { candidates, frequencies } = this.#found;
    const [tokenCount, matches, current] = [this.#tokenCount, this.#matches, this.#current];
    this.#current++;
    this.#tokenCount = 0;
    this.#found.tokenCount += tokenCount;
    if (matches.length === 0) return;
    this.#matches = [];
    const range = { start: starts[current], end: ends[current] };
    const terms = this.#terms;
    candidates.push({ element: this.#element, ...range, tokenCount, matches, frequencies: terms });
    for (const term of terms.keys()) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    this.#terms = new Map();
  }
}

/** A candidate, and what it is ranked by. */
interface ScoredFragment {
  readonly candidate: FragmentCandidate;
  readonly score: number;
  /** Among all candidates, by position. */
  readonly place: number;
}

/** The best of all candidates, best first. */
function* bestFragments(
  { node, operators }: FragmentSearch,
  statistics: FragmentsFound,
): Steps<FragmentCandidate[]> {
  const { attribute, fragmentLimit } = node.highlight;
  const heap: ScoredFragment[] = [];
  for (const [place, candidate] of statistics.candidates.entries()) {
    const { tokenCount, matches, frequencies } = candidate;
    const fragment = { attribute, tokenCount, matches, frequencies, statistics };
    const score = scoreFragment(node.score, fragment, operators) ?? 0;
    const scored = { candidate, score, place };
    if (heap.length < fragmentLimit) {
      heap.push(scored);
      siftUp(heap, heap.length - 1, isWorse);
    } else if (isWorse(heap[0], scored)) {
      heap[0] = scored;
      siftDown(heap, 0, isWorse);
    }
    if (place % SCORED_PER_STEP === SCORED_PER_STEP - 1) yield;
  }
  return heap.sort((a, b) => (isWorse(a, b) ? 1 : -1)).map(({ candidate }) => candidate);
}

function isWorse(a: ScoredFragment, b: ScoredFragment): boolean {
  return a.score < b.score || (a.score === b.score && a.place > b.place);
}

/** Tells whether the ranking looks for a term in the attribute. */
function soughtTerms(
  { score, highlight }: HighlightNode,
  operators: Operators,
): (term: string) => boolean {
  const sought = termsInFragments(score, highlight.attribute, operators);
  const terms = new Set(sought.flatMap((part) => part.terms));
  const prefixes = new Set(sought.flatMap(({ prefix }) => prefix ?? []));
  // However many there are, a term has few starts of their lengths.
  const lengths = [...new Set([...prefixes].map(({ length }) => length))];
  return (term) => terms.has(term) || lengths.some((length) => prefixes.has(term.slice(0, length)));
}

/** The texts of fragments, and where they and their matches are. */
function* presentFragments(
  candidates: readonly FragmentCandidate[],
  elements: readonly string[],
  { highlight: { offsets: unit } }: HighlightNode,
): Steps<HighlightFragment[]> {
  const shown: HighlightFragment[] = candidates.map(({ element, start, end }) => ({
    text: elements[element].slice(start, end),
  }));
  if (unit === undefined) return shown;
  const byElement = Map.groupBy(candidates.keys(), (i) => candidates[i].element);
  for (const [element, own] of byElement) {
    // One pass over the text for all of them.
    own.sort((a, b) => candidates[a].start - candidates[b].start);
    const ranges = yield* rangesOf(own.map((i) => candidates[i]));
    const converted = yield* convertOffsets(elements[element], ranges, unit);
    let at = 0;
    for (const i of own) {
      const matchRanges: [number, number][] = [];
      const start = converted[at++];
      for (let m = 0; m < candidates[i].matches.length; m++) {
        matchRanges.push([converted[at++], converted[at++]]);
        if (m % MATCHES_PER_STEP === MATCHES_PER_STEP - 1) yield;
      }
      shown[i] = { ...shown[i], fragmentRange: [start, converted[at++]], matchRanges };
    }
  }
  return shown;
}

/** Offsets of fragments and of the matches in each, ascending. */
function* rangesOf(candidates: readonly FragmentCandidate[]): Steps<number[]> {
  const ranges: number[] = [];
  for (const { start, end, matches } of candidates) {
    ranges.push(start);
    for (let m = 0; m < matches.length; m++) {
      ranges.push(matches[m].start, matches[m].end);
      if (m % MATCHES_PER_STEP === MATCHES_PER_STEP - 1) yield;
    }
    ranges.push(end);
  }
  return ranges;
}
