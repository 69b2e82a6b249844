/** Highlights: the fragments of a text that match best, and where the matches are. */

import type { HighlightFragment } from "../model/query-result.ts";
import type { AttributeValue } from "../model/value.ts";
import { analyzerFor, type Token } from "../text/analyzer.ts";
import { convertOffsets, type Fragment, splitFragments } from "../text/fragments.ts";
import { scoreFragment, wantedTerms } from "./fragment-score.ts";
import type { ComputedNode } from "./plan.ts";

/** A planned highlight. */
export type HighlightNode = Extract<ComputedNode, { kind: "highlight" }>;

/** A fragment that may be shown. */
interface Candidate extends Fragment {
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
export function highlightValue(node: HighlightNode, value: AttributeValue): HighlightFragment[] {
  const elements = typeof value === "string" ? [value] : ((value ?? []) as readonly string[]);
  return elements
    .flatMap((text, element) => findCandidates(node, text, element))
    .sort((a, b) => b.score - a.score || a.element - b.element || a.start - b.start)
    .slice(0, node.highlight.fragmentLimit)
    .map((candidate) => {
      const fragment = present(candidate, elements[candidate.element], node);
      return typeof value === "string" ? fragment : { ...fragment, arrayIndex: candidate.element };
    });
}

function findCandidates(node: HighlightNode, text: string, element: number): Candidate[] {
  const { attribute, fragmentBy } = node.highlight;
  const isWanted = wantedTerms(node.score, attribute);
  const tokens = analyzerFor(node.options).analyze(text);
  const candidates: Candidate[] = [];
  let at = 0;
  for (const { start, end } of splitFragments(text, fragmentBy)) {
    while (at < tokens.length && tokens[at].start < start) at++;
    const first = at;
    while (at < tokens.length && tokens[at].end <= end) at++;
    const inside = tokens.slice(first, at);
    const matches = inside.filter(({ term }) => isWanted(term));
    if (matches.length === 0) continue;
    const score = scoreFragment(node.score, attribute, inside) ?? 0;
    candidates.push({ element, start, end, matches, score });
  }
  return candidates;
}

function present(
  { start, end, matches }: Candidate,
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
