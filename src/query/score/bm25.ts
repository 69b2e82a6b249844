import type { Steps } from "../../base/steps.ts";
import { hasBit } from "../../codec/bitmap.ts";
import type { ListBlocks } from "../../segment/postings/block-section.ts";
import { PAGE_ORDINALS } from "../../segment/postings/list-layout.ts";
import type { OrdinalList } from "../../segment/postings/ordinal-list.ts";
import type { Frequencies } from "../../segment/text/frequencies.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import type { Postings } from "../../segment/text/text-lists.ts";
import type { TextLengths } from "../../segment/text/text-pages.ts";
import {
  inverseDocumentFrequency,
  PREFIX_SCORE,
  type TermSaturation,
  termScore,
  termWeight,
} from "../../text/bm25.ts";
import {
  type BoundedScores,
  type ScoreCandidates,
  sumOfLists,
} from "../documents/bounded-scores.ts";
import type { ListCursor } from "../documents/list-cursor.ts";
import { countRange, eachBit, orBits } from "../documents/ordinal-bits.ts";
import type { PostingRange, ScoredDocuments, ScoredList } from "../documents/scored-list.ts";
import { noScores, roundScore, type SegmentScores } from "../documents/segment-scores.ts";
import { prefixBits, termNeeds } from "../filter/term-bits.ts";
import type {
  ScoreOperator,
  ScoreRun,
  SegmentRun,
  SoughtTerms,
  TextFragment,
} from "../operator/operator.ts";
import type { ScoreNode } from "../operator/plan.ts";
import { scoreAll } from "./score-all.ts";

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
  needs: (node, run) => [
    ...termNeeds(node.attribute, soughtBy(node), run),
    () => lookAtLengths(node, run),
  ],
  run: scoreTexts,
  bounds: {
    needs: (node, run) => [() => lookAtBlocks(node, run)],
    *bounded(node, run) {
      const terms = sumOfLists(yield* termLists(node, run, true), false);
      return node.prefix === undefined ? terms : withPrefix(terms, node, run);
    },
  },

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

function lookAtBlocks({ attribute, terms }: Bm25Node, { view, together }: SegmentRun): void {
  const text = view.index(TEXT_INDEX, attribute);
  together(
    terms.map(
      ({ term }) =>
        () =>
          text?.blocks(term),
    ),
  );
}

/** Where a term is in no text, no length is asked for. */
function lookAtLengths({ attribute, terms }: Bm25Node, { view }: SegmentRun): void {
  const text = view.index(TEXT_INDEX, attribute);
  if (text !== undefined && terms.some(({ term }) => text.postingCount(term) > 0))
    void text.lengths;
}

function* scoreTexts(node: Bm25Node, run: ScoreRun): Steps<SegmentScores> {
  const { view, work, threshold } = run;
  const text = view.index(TEXT_INDEX, node.attribute);
  const lists = yield* termLists(node, run, false);
  let most = 0;
  for (const { magnitude } of lists) most += magnitude;
  if (node.prefix !== undefined) most += PREFIX_SCORE;
  // No document here scores more, since a sum of less in the same order is no greater.
  if (-roundScore(most) > threshold.worstKey) return noScores(view.documentCount);
  const { values, scored } = yield* scoreAll(lists, run);
  if (node.prefix !== undefined && text !== undefined) {
    const having = yield* prefixBits(text, node.prefix, view.documentCount);
    yield* eachBit(having, (ordinal) => {
      values[ordinal] += PREFIX_SCORE;
      work.postingsTouched++;
    });
    orBits(scored, having);
  }
  return { values, scored };
}

/** What terms add, and for documents with a prefix the same in addition. */
function withPrefix(terms: BoundedScores, { attribute, prefix }: Bm25Node, run: ScoreRun) {
  return {
    ...terms,
    constant: PREFIX_SCORE,
    isSum: false,
    *bind(cursors: readonly ListCursor[]): Steps<ScoreCandidates> {
      const score = yield* terms.bind(cursors);
      const { view, work } = run;
      const text = view.index(TEXT_INDEX, attribute);
      if (text === undefined || prefix === undefined) return score;
      const having = yield* prefixBits(text, prefix, view.documentCount);
      work.postingsTouched += countRange(having, 0, view.documentCount);
      return (ordinals, into) => {
        score(ordinals, into);
        const { values, has } = into;
        for (let i = 0; i < ordinals.length; i++) {
          if (!hasBit(having, ordinals[i])) continue;
          values[i] += PREFIX_SCORE;
          has[i] = 1;
        }
      };
    },
  };
}

/** The postings of the terms that a segment has, with their bounds if those are wanted. */
function* termLists(
  node: Bm25Node,
  { view }: SegmentRun,
  withBlocks: boolean,
): Steps<TermScores[]> {
  const text = view.index(TEXT_INDEX, node.attribute);
  const lists: TermScores[] = [];
  if (text === undefined) return lists;
  for (const { term, weight } of node.terms) {
    const postings = text.postings(term);
    const blocks = withBlocks ? text.blocks(term) : undefined;
    if (postings !== undefined) {
      const known = { postings, blocks, lengths: text.lengths, weight, factor: 1 };
      lists.push(new TermScores(known, node));
    }
    yield;
  }
  return lists;
}

/** A term's postings in a segment. */
interface TermPostings {
  readonly postings: Postings;
  readonly blocks: ListBlocks | undefined;
  /** Of all documents. */
  readonly lengths: TextLengths;
  readonly weight: number;
  /** How many times its scores are taken, which are rounded before. */
  readonly factor: number;
}

/** What a term adds to the scores of a segment's documents. */
class TermScores implements ScoredList {
  readonly ordinals: OrdinalList;
  readonly blocks: ListBlocks | undefined;
  readonly magnitude: number;
  readonly #frequencies: Frequencies;
  readonly #lengths: TextLengths;
  readonly #averageLength: number;
  readonly #saturation: TermSaturation;
  readonly #term: TermPostings;
  readonly #node: Bm25Node;

  constructor(term: TermPostings, node: Bm25Node) {
    const { postings, blocks, lengths, weight, factor } = term;
    const { averageLength, saturation } = node;
    this.#term = term;
    this.#node = node;
    this.ordinals = postings.ordinals;
    this.blocks = blocks;
    this.magnitude = weight * factor;
    this.#frequencies = postings.frequencies;
    this.#lengths = lengths;
    this.#averageLength = averageLength;
    this.#saturation = saturation;
  }

  scaled(factor: number): TermScores {
    return new TermScores({ ...this.#term, factor: this.#term.factor * factor }, this.#node);
  }

  blockBounds({ pairEnds, pairs }: ListBlocks): Float64Array {
    const bounds = new Float64Array(pairEnds.length);
    const { weight, factor } = this.#term;
    const averageLength = this.#averageLength;
    const saturation = this.#saturation;
    let p = 0;
    for (let b = 0; b < bounds.length; b++) {
      let most = 0;
      for (const end = 2 * pairEnds[b]; p < end; p += 2) {
        const score = termScore(weight, pairs[p], pairs[p + 1] / averageLength, saturation);
        if (score > most) most = score;
      }
      bounds[b] = most * factor;
    }
    return bounds;
  }

  scoreAt(index: number, ordinal: number): number {
    const relativeLength = this.#lengths[ordinal] / this.#averageLength;
    const frequency = this.#frequencies.at(index);
    const { weight, factor } = this.#term;
    return termScore(weight, frequency, relativeLength, this.#saturation) * factor;
  }

  addScores(sums: Float64Array, base: number, { start, end }: PostingRange): void {
    let page = base >>> 16;
    for (let at = start; at < end; ) {
      page = this.ordinals.pageOf(at, page);
      const stop = this.#runEnd(at, page, end);
      if (stop > at) {
        this.#addRun(sums, base, page * PAGE_ORDINALS, { start: at, end: stop });
        at = stop;
      } else {
        const ordinal = this.ordinals.at(at, page);
        sums[ordinal - base] += this.scoreAt(at++, ordinal);
      }
    }
  }

  copyScores(to: ScoredDocuments, base: number, { start, end }: PostingRange): void {
    let page = base >>> 16;
    for (let at = start; at < end; ) {
      page = this.ordinals.pageOf(at, page);
      const stop = this.#runEnd(at, page, end);
      if (stop > at) {
        this.#copyRun(to, start, page * PAGE_ORDINALS, { start: at, end: stop });
        at = stop;
      } else {
        const ordinal = this.ordinals.at(at, page);
        to.ordinals[at - start] = ordinal;
        to.scores[at - start] = this.scoreAt(at++, ordinal);
      }
    }
  }

  /** Up to where postings from an index on are of one page, and their frequencies are bytes. */
  #runEnd(index: number, page: number, end: number): number {
    return Math.min(end, this.ordinals.pageEnd(page), this.#frequencies.nextGreat(index));
  }

  /** Adds the scores of postings of the page that begins with `first`. */
  #addRun(sums: Float64Array, base: number, first: number, { start, end }: PostingRange): void {
    const { lows } = this.ordinals;
    const { bytes } = this.#frequencies;
    const lengths = this.#lengths;
    const { weight, factor } = this.#term;
    const averageLength = this.#averageLength;
    const saturation = this.#saturation;
    for (let i = start; i < end; i++) {
      const ordinal = first + lows[i];
      const relativeLength = lengths[ordinal] / averageLength;
      sums[ordinal - base] += termScore(weight, bytes[i], relativeLength, saturation) * factor;
    }
  }

  /** Writes what there is of postings of a page behind that of those from index `from` on. */
  #copyRun(to: ScoredDocuments, from: number, first: number, { start, end }: PostingRange): void {
    const { ordinals, scores } = to;
    const { lows } = this.ordinals;
    const { bytes } = this.#frequencies;
    const lengths = this.#lengths;
    const { weight, factor } = this.#term;
    const averageLength = this.#averageLength;
    const saturation = this.#saturation;
    for (let i = start; i < end; i++) {
      const ordinal = first + lows[i];
      const relativeLength = lengths[ordinal] / averageLength;
      ordinals[i - from] = ordinal;
      scores[i - from] = termScore(weight, bytes[i], relativeLength, saturation) * factor;
    }
  }
}

function scoreTokens(
  { terms, prefix, saturation }: Bm25Node,
  { tokenCount: length, frequencies, statistics }: TextFragment,
): number | undefined {
  const { fragmentCount, tokenCount, frequencies: found } = statistics;
  let score: number | undefined;
  for (const { term, weightInQuery } of terms) {
    const frequency = frequencies.get(term);
    if (frequency === undefined) continue;
    const idf = inverseDocumentFrequency(fragmentCount, found.get(term) ?? 0);
    const weight = termWeight(idf, weightInQuery, saturation.k1);
    const relativeLength = length / (tokenCount / fragmentCount);
    score = (score ?? 0) + termScore(weight, frequency, relativeLength, saturation);
  }
  if (prefix === undefined) return score;
  const hasPrefix = [...frequencies.keys()].some((term) => term.startsWith(prefix));
  return hasPrefix ? (score ?? 0) + PREFIX_SCORE : score;
}
