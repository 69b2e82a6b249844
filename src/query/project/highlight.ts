/** Highlights: the fragments of a text that match best, and where the matches are. */

import type { Ordinal } from "../../base/ids.ts";
import type { Steps } from "../../base/steps.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { Highlight } from "../../model/query.ts";
import type { HighlightFragment } from "../../model/query-result.ts";
import type { AttributeValue } from "../../model/value.ts";
import { analyzerFor, type Token } from "../../text/analyzer.ts";
import { convertOffsets, type Fragment, splitFragments } from "../../text/fragments.ts";
import type { RankedDocument } from "../order/top-documents.ts";
import type {
  ComputedOperator,
  Execution,
  FragmentStatistics,
  Operators,
} from "../plan/operator.ts";
import type { ComputedNode, ScoreNode } from "../plan/plan.ts";
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

/** Highlights of the documents that are returned. */
export const HIGHLIGHT: ComputedOperator<HighlightNode> = {
  kind: "highlight",

  run: (node, ranked, execution) => {
    const { operators, togetherInSteps } = execution;
    const search: FragmentSearch = { node, operators, isSought: soughtTerms(node, operators) };
    return togetherInSteps(ranked, (document) => highlightDocument(search, document, execution));
  },

  // The texts come with the documents.
  needs: (_node, { view }) => [() => void view.attributes],
};

function* highlightDocument(
  search: FragmentSearch,
  { segment, ordinal }: RankedDocument,
  { snapshot, options: { memory } }: Execution,
): Steps<HighlightFragment[]> {
  yield;
  const column = snapshot.segments[segment].view.column(search.node.highlight.attribute);
  const found = highlightValue(search, column?.value(ordinal as Ordinal) ?? null);
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
}

/** A fragment that may be shown. */
interface FragmentCandidate extends Fragment {
  /** Which element of the value; 0 for strings. */
  readonly element: number;
  /** Ascending. */
  readonly tokens: readonly Token[];
  /** Those of the tokens that are looked for. */
  readonly matches: readonly Token[];
}

/** Fragments of one value. */
interface FragmentsFound extends FragmentStatistics {
  fragmentCount: number;
  tokenCount: number;
  readonly frequencies: Map<string, number>;
  /** Those with a match, by position. */
  readonly candidates: FragmentCandidate[];
}

/**
 * The best fragments of a value with at least one match, best first, then by position; an empty
 * list if there is none. Each fragment is scored like a document in a corpus of all the value's.
 */
function highlightValue(search: FragmentSearch, value: AttributeValue): HighlightFragment[] {
  const { node, operators } = search;
  const { attribute } = node.highlight;
  const elements = typeof value === "string" ? [value] : ((value ?? []) as readonly string[]);
  const statistics = findFragments(search, elements);
  return statistics.candidates
    .map((candidate) => {
      const fragment = { attribute, tokens: candidate.tokens, statistics };
      return { ...candidate, score: scoreFragment(node.score, fragment, operators) ?? 0 };
    })
    .sort((a, b) => b.score - a.score || a.element - b.element || a.start - b.start)
    .slice(0, node.highlight.fragmentLimit)
    .map((candidate) => {
      const fragment = present(candidate, elements[candidate.element], node);
      return typeof value === "string" ? fragment : { ...fragment, arrayIndex: candidate.element };
    });
}

function findFragments(
  { node, isSought }: FragmentSearch,
  elements: readonly string[],
): FragmentsFound {
  const { tokenizer } = node.options;
  const analyzer = analyzerFor(node.options);
  const found: FragmentsFound = {
    fragmentCount: 0,
    tokenCount: 0,
    frequencies: new Map(),
    candidates: [],
  };
  const { frequencies, candidates } = found;
  for (const [element, text] of elements.entries()) {
    const all = analyzer.analyze(text);
    let at = 0;
    for (const { start, end } of splitFragments(text, node.highlight.fragmentBy, tokenizer)) {
      while (at < all.length && all[at].start < start) at++;
      const first = at;
      while (at < all.length && all[at].end <= end) at++;
      found.fragmentCount++;
      found.tokenCount += at - first;
      const tokens = all.slice(first, at);
      const matches = tokens.filter(({ term }) => isSought(term));
      if (matches.length === 0) continue;
      candidates.push({ element, start, end, tokens, matches });
      for (const term of new Set(matches.map((match) => match.term))) {
        frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
      }
    }
  }
  return found;
}

/** Tells whether the ranking looks for a term in the attribute. */
function soughtTerms(
  { score, highlight }: HighlightNode,
  operators: Operators,
): (term: string) => boolean {
  const sought = termsInFragments(score, highlight.attribute, operators);
  const terms = new Set(sought.flatMap((part) => part.terms));
  const prefixes = sought.flatMap(({ prefix }) => prefix ?? []);
  return (term) => terms.has(term) || prefixes.some((prefix) => term.startsWith(prefix));
}

function present(
  { start, end, matches }: FragmentCandidate,
  text: string,
  { highlight }: HighlightNode,
): HighlightFragment {
  const shown = { text: text.slice(start, end) };
  if (highlight.offsets === undefined) return shown;
  const units = [start, ...matches.flatMap((match) => [match.start, match.end]), end];
  const offsets = convertOffsets(text, units, highlight.offsets);
  return {
    ...shown,
    fragmentRange: [offsets[0], offsets[offsets.length - 1]],
    matchRanges: matches.map((_, i) => [offsets[2 * i + 1], offsets[2 * i + 2]] as const),
  };
}
