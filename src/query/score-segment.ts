/**
 * Runs score arithmetic over one segment. Each node fills a flat array and a set of the documents
 * that it produces; sums run in the order of the clauses, in 64-bit floats, so a document's score
 * is the same in any segment.
 */

import { unreachable } from "../base/assert.ts";
import { setBit } from "../codec/bitmap.ts";
import type { SegmentView } from "../segment/segment-view.ts";
import { PREFIX_SCORE, termScore } from "../text/bm25.ts";
import { scoreAttribute, scoreDistance } from "./attribute-scores.ts";
import { filterSegment } from "./filter-segment.ts";
import { prefixBits } from "./filter-tokens.ts";
import { andBits, forEachBit, type OrdinalBits, orBits } from "./ordinal-bits.ts";
import type { Bm25Node, ScoreNode } from "./plan.ts";
import { decay, saturate } from "./score-curves.ts";
import { combineScores, mapScores, noScores, type SegmentScores } from "./segment-scores.ts";
import type { WorkCounters } from "./work-stats.ts";

/** Scores the documents of `within`; `scored` is a subset of it. */
export function scoreSegment(
  node: ScoreNode,
  view: SegmentView,
  within: OrdinalBits,
  work: WorkCounters,
): SegmentScores {
  const scores = scoreNode(node, view, within, work);
  andBits(scores.scored, within);
  return scores;
}

/** May score documents outside of `within`. */
function scoreNode(
  node: ScoreNode,
  view: SegmentView,
  within: OrdinalBits,
  work: WorkCounters,
): SegmentScores {
  const each = (clause: ScoreNode): SegmentScores => scoreNode(clause, view, within, work);
  switch (node.kind) {
    case "bm25":
      return scoreBm25(node, view, work);
    case "sparse":
      return scoreSparse(node, view, work);
    case "sum":
      return combineScores(node.clauses.map(each), view.documentCount, (sum, value) => sum + value);
    case "max":
      return combineScores(node.clauses.map(each), view.documentCount, Math.max);
    case "floor":
      return mapScores(each(node.clause), (value) => Math.max(value, node.floor));
    case "product":
      return mapScores(each(node.clause), (value) => value * node.weight);
    case "attribute":
      return scoreAttribute(view, node.attribute, within);
    case "dist":
      return scoreDistance(view, node.attribute, node.origin, within);
    case "saturate":
      return mapScores(each(node.clause), (value) => saturate(value, node));
    case "decay":
      return mapScores(each(node.clause), (value) => decay(value, node));
    case "filter": {
      const scores = noScores(view.documentCount);
      orBits(scores.scored, filterSegment(node.predicate, view, within));
      return mapScores(scores, () => 1);
    }
    default:
      return unreachable(node);
  }
}

function scoreBm25(node: Bm25Node, view: SegmentView, work: WorkCounters): SegmentScores {
  const { values, scored } = noScores(view.documentCount);
  const text = view.text(node.attribute);
  if (text === undefined) return { values, scored };
  const { averageLength, saturation } = node;
  const { lengths } = text;
  for (const { term, weight } of node.terms) {
    const postings = text.postings(term);
    if (postings === undefined) continue;
    const { ordinals, frequencies } = postings;
    work.postingsTouched += ordinals.length;
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i];
      const relativeLength = lengths[ordinal] / averageLength;
      values[ordinal] += termScore(weight, frequencies[i], relativeLength, saturation);
      setBit(scored, ordinal);
    }
  }
  if (node.prefix !== undefined) {
    const having = prefixBits(text, node.prefix, view.documentCount);
    forEachBit(having, (ordinal) => {
      values[ordinal] += PREFIX_SCORE;
      work.postingsTouched++;
    });
    orBits(scored, having);
  }
  return { values, scored };
}

function scoreSparse(
  { attribute, entries }: Extract<ScoreNode, { kind: "sparse" }>,
  view: SegmentView,
  work: WorkCounters,
): SegmentScores {
  const { values, scored } = noScores(view.documentCount);
  const sparse = view.sparse(attribute);
  if (sparse === undefined) return { values, scored };
  for (const [name, queryWeight] of entries) {
    const postings = sparse.postings(name);
    if (postings === undefined) continue;
    const { ordinals, weights } = postings;
    work.postingsTouched += ordinals.length;
    for (let i = 0; i < ordinals.length; i++) {
      values[ordinals[i]] += weights[i] * queryWeight;
      setBit(scored, ordinals[i]);
    }
  }
  return { values, scored };
}
