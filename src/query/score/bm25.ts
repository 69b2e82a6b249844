import type { Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import type { Postings } from "../../segment/text/text-section.ts";
import {
  inverseDocumentFrequency,
  PREFIX_SCORE,
  type TermSaturation,
  termScore,
  termWeight,
} from "../../text/bm25.ts";
import { prefixBits, termNeeds } from "../filter/term-bits.ts";
import { eachBit, orBits } from "../ordinal-bits.ts";
import type { ScoreOperator, ScoreRun, SoughtTerms, TextFragment } from "../plan/operator.ts";
import type { ScoreNode } from "../plan/plan.ts";
import { eachPostingRange } from "./posting-ranges.ts";
import { noScores, roundScore, type SegmentScores } from "./segment-scores.ts";

/** A query term and the factors that do not depend on the document. */
export interface WeighedTerm {
  readonly term: string;
  /** Live documents with the term, in the whole namespace. */
  readonly documentFrequency: number;
  /** No document scores more for the term. */
  readonly weight: number;
  /** What the query's own count of the term contributes to that. */
  readonly weightInQuery: number;
}

/** BM25 of one attribute. */
export interface Bm25Node extends ScoreNode {
  readonly kind: "bm25";
  readonly attribute: string;
  /** In the order of their first appearance in the query, which is the order of summation. */
  readonly terms: readonly WeighedTerm[];
  readonly prefix: string | undefined;
  /** Mean of the live documents' lengths, in the whole namespace. */
  readonly averageLength: number;
  readonly saturation: TermSaturation;
}

/** Relevance of texts. */
export const BM25: ScoreOperator<Bm25Node> = {
  kind: "bm25",
  needs: (node, run) => termNeeds(node.attribute, soughtBy(node), run),
  run: scoreTexts,

  explain: ({ attribute, terms, prefix, averageLength }) => {
    const all = terms.map((term) => `${term.term} (in ${term.documentFrequency})`);
    if (prefix !== undefined) all.push(`${prefix}*`);
    const average = averageLength.toFixed(2);
    return [`BM25 on ${attribute}, average length ${average}: ${all.join(", ")}`];
  },

  fragments: {
    score: (node, fragment) =>
      node.attribute === fragment.attribute ? scoreTokens(node, fragment) : undefined,
    terms: (node, attribute) => (node.attribute === attribute ? [soughtBy(node)] : []),
  },
};

function soughtBy({ terms, prefix }: Bm25Node): SoughtTerms {
  return { terms: terms.map(({ term }) => term), prefix };
}

function* scoreTexts(node: Bm25Node, { view, work, threshold }: ScoreRun): Steps<SegmentScores> {
  const { values, scored } = noScores(view.documentCount);
  const text = view.index(TEXT_INDEX, node.attribute);
  if (text === undefined) return { values, scored };
  const { averageLength, saturation } = node;
  const { lengths } = text;
  const found: { readonly weight: number; readonly postings: Postings }[] = [];
  for (const { term, weight } of node.terms) {
    const postings = text.postings(term);
    if (postings !== undefined) found.push({ weight, postings });
    yield;
  }
  let most = 0;
  for (const { weight } of found) most += weight;
  if (node.prefix !== undefined) most += PREFIX_SCORE;
  // No document here scores more, since a sum of less in the same order is no greater.
  if (-roundScore(most) > threshold.worstKey) return { values, scored };
  for (const { weight, postings } of found) {
    const { ordinals, frequencies } = postings;
    work.postingsTouched += ordinals.length;
    const add = (start: number, end: number): void => {
      for (let i = start; i < end; i++) {
        const ordinal = ordinals[i];
        const relativeLength = lengths[ordinal] / averageLength;
        values[ordinal] += termScore(weight, frequencies[i], relativeLength, saturation);
        setBit(scored, ordinal);
      }
    };
    yield* eachPostingRange(ordinals.length, add);
  }
  if (node.prefix !== undefined) {
    const having = yield* prefixBits(text, node.prefix, view.documentCount);
    yield* eachBit(having, (ordinal) => {
      values[ordinal] += PREFIX_SCORE;
      work.postingsTouched++;
    });
    orBits(scored, having);
  }
  return { values, scored };
}

function scoreTokens(
  { terms, prefix, saturation }: Bm25Node,
  { tokens, statistics: { fragmentCount, tokenCount, frequencies: found } }: TextFragment,
): number | undefined {
  const frequencies = new Map<string, number>();
  for (const { term } of tokens) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  let score: number | undefined;
  for (const { term, weightInQuery } of terms) {
    const frequency = frequencies.get(term);
    if (frequency === undefined) continue;
    const idf = inverseDocumentFrequency(fragmentCount, found.get(term) ?? 0);
    const weight = termWeight(idf, weightInQuery, saturation.k1);
    const relativeLength = tokens.length / (tokenCount / fragmentCount);
    score = (score ?? 0) + termScore(weight, frequency, relativeLength, saturation);
  }
  if (prefix !== undefined && tokens.some(({ term }) => term.startsWith(prefix))) {
    score = (score ?? 0) + PREFIX_SCORE;
  }
  return score;
}
