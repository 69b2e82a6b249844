/** Highlights: the fragments of a text that match best, and where the matches are. */

import type { Ordinal } from "../../base/ids.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { Highlight } from "../../model/query.ts";
import type { HighlightFragment } from "../../model/query-result.ts";
import type { AttributeValue } from "../../model/value.ts";
import { analyzerFor, type Token } from "../../text/analyzer.ts";
import { convertOffsets, type Fragment, splitFragments } from "../../text/fragments.ts";
import type { ComputedOperator, Operators } from "../plan/operator.ts";
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

  run: (node, ranked, { snapshot, operators, options, togetherInSteps }) => {
    const search: FragmentSearch = { node, operators, isSought: soughtTerms(node, operators) };
    return togetherInSteps(
      ranked.map(
        ({ segment, ordinal }) =>
          function* () {
            yield;
            const column = snapshot.segments[segment].view.column(node.highlight.attribute);
            const found = highlightValue(search, column?.value(ordinal as Ordinal) ?? null);
            for (const { text, matchRanges } of found) {
              const bytes = 2 * text.length + RANGE_BYTES * (matchRanges?.length ?? 0);
              options.memory?.take(FRAGMENT_BYTES + bytes, "highlights");
            }
            return found;
          },
      ),
    );
  },

  // The texts come with the documents.
  needs: (_node, { view }) => [() => void view.attributes],
};

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
  readonly matches: readonly Token[];
  readonly score: number;
}

/**
 * The best fragments of a value with at least one match, best first, then by position; an empty
 * list if there is none. Each fragment is scored like a document, with the namespace's statistics.
 */
function highlightValue(search: FragmentSearch, value: AttributeValue): HighlightFragment[] {
  const { node } = search;
  const elements = typeof value === "string" ? [value] : ((value ?? []) as readonly string[]);
  return elements
    .flatMap((text, element) => findCandidates(search, { text, element }))
    .sort((a, b) => b.score - a.score || a.element - b.element || a.start - b.start)
    .slice(0, node.highlight.fragmentLimit)
    .map((candidate) => {
      const fragment = present(candidate, elements[candidate.element], node);
      return typeof value === "string" ? fragment : { ...fragment, arrayIndex: candidate.element };
    });
}

function findCandidates(
  { node, operators, isSought }: FragmentSearch,
  { text, element }: { readonly text: string; readonly element: number },
): FragmentCandidate[] {
  const { attribute, fragmentBy } = node.highlight;
  const tokens = analyzerFor(node.options).analyze(text);
  const candidates: FragmentCandidate[] = [];
  let at = 0;
  for (const { start, end } of splitFragments(text, fragmentBy)) {
    while (at < tokens.length && tokens[at].start < start) at++;
    const first = at;
    while (at < tokens.length && tokens[at].end <= end) at++;
    const inside = tokens.slice(first, at);
    const matches = inside.filter(({ term }) => isSought(term));
    if (matches.length === 0) continue;
    const score = scoreFragment(node.score, { attribute, tokens: inside }, operators) ?? 0;
    candidates.push({ element, start, end, matches, score });
  }
  return candidates;
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
