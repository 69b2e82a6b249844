/** What operators have in common that merge the scores of several clauses. */

import type { Steps } from "../../base/steps.ts";
import { hasBit } from "../../codec/bitmap.ts";
import {
  type BoundedScores,
  type CandidateScores,
  newCandidateScores,
  type ScoreCandidates,
} from "../documents/bounded-scores.ts";
import { eachBit, emptyBits, orBits } from "../documents/ordinal-bits.ts";
import { noScores, type SegmentScores, scoreBytes } from "../documents/segment-scores.ts";
import { NO_THRESHOLD } from "../documents/top-documents.ts";
import type { ScoreOperator } from "../operator/operator.ts";
import type { ScoreNode } from "../operator/plan.ts";
import { indent } from "../operator/plan-text.ts";
import { scoreFragment, termsInFragments } from "./fragment-score.ts";

/** Score arithmetic over several clauses. */
export interface MergedNode extends ScoreNode {
  readonly clauses: readonly ScoreNode[];
}

/** How scores are merged. */
export interface Merging<N extends MergedNode> {
  readonly kind: N["kind"];
  readonly title: string;
  readonly merge: (a: number, b: number) => number;
  /**
   * Merges constants so that, with what the lists of all clauses add, they bound the merged score.
   * Undefined: nothing does.
   */
  bound(clauses: readonly BoundedScores[]): number | undefined;
}

/**
 * Makes the operator that merges scores by `merge`, in the order of the clauses: a document that a
 * clause does not produce has what it is `otherwise`, or it is as if the clause were not there.
 */
export function mergedClauses<N extends MergedNode>({
  kind,
  title,
  merge,
  bound,
}: Merging<N>): ScoreOperator<N> {
  return {
    kind,
    needs: ({ clauses }, run) =>
      clauses.flatMap((clause) => run.operators.score(clause).needs(clause, run)),

    *run({ clauses }, run) {
      const each = { ...run, threshold: NO_THRESHOLD };
      const parts: SegmentScores[] = [];
      const bytes = scoreBytes(run.view.documentCount);
      for (const clause of clauses) {
        run.memory?.take(bytes, "scores of clauses");
        parts.push(yield* run.operators.score(clause).run(clause, each));
      }
      const merged = yield* mergeScores(parts, run.view.documentCount, merge);
      run.memory?.give(bytes * clauses.length);
      return merged;
    },

    bounds: {
      needs: ({ clauses }, run) =>
        clauses.flatMap((clause) => run.operators.score(clause).bounds?.needs(clause, run) ?? []),

      *bounded({ clauses }, run) {
        const parts: BoundedScores[] = [];
        for (const clause of clauses) {
          const { bounds } = run.operators.score(clause);
          const part = bounds && (yield* bounds.bounded(clause, run));
          if (part === undefined) return undefined;
          parts.push(part);
        }
        if (parts.length === 1) return parts[0];
        const constant = bound(parts);
        if (constant === undefined) return undefined;
        const together = boundedTogether(parts, merge);
        const rangeIn = rangesTogether(parts, (own) => bound(own) ?? constant);
        return { ...together, constant, rangeIn };
      },
    },

    explain: ({ clauses }, operators) => [
      title,
      ...clauses.flatMap((clause) =>
        operators.score(clause).explain(clause, operators).map(indent),
      ),
    ],

    fragments: {
      score: ({ clauses }, fragment, operators) => {
        const scores = clauses
          .map((clause) => scoreFragment(clause, fragment, operators))
          .filter((score) => score !== undefined);
        return scores.length === 0 ? undefined : scores.reduce(merge);
      },
      terms: ({ clauses }, attribute, operators) =>
        clauses.flatMap((clause) => termsInFragments(clause, attribute, operators)),
    },
  };
}

function* mergeScores(
  parts: readonly SegmentScores[],
  count: number,
  merge: (a: number, b: number) => number,
): Steps<SegmentScores> {
  const { values, scored } = noScores(count);
  const defaults = parts.flatMap(({ otherwise }) => otherwise ?? []);
  const all = emptyBits(count);
  if (defaults.length > 0) for (const part of parts) orBits(all, part.scored);
  for (const part of parts) {
    const { otherwise } = part;
    const seen = otherwise === undefined ? part.scored : all;
    yield* eachBit(seen, (ordinal) => {
      const value =
        otherwise === undefined || hasBit(part.scored, ordinal) ? part.values[ordinal] : otherwise;
      values[ordinal] = hasBit(scored, ordinal) ? merge(values[ordinal], value) : value;
    });
    orBits(scored, seen);
  }
  return { values, scored, otherwise: defaults.length === 0 ? undefined : defaults.reduce(merge) };
}

interface BoundClause {
  readonly score: ScoreCandidates;
  readonly otherwise: number | undefined;
  readonly scores: CandidateScores;
}

/** What bounds merged scores in ranges of documents; undefined if it is the same everywhere. */
function rangesTogether(
  parts: readonly BoundedScores[],
  bound: (parts: readonly BoundedScores[]) => number,
): BoundedScores["rangeIn"] {
  if (parts.every(({ rangeIn }) => rangeIn === undefined)) return undefined;
  return (start, end) => {
    const own = parts.map((part) => {
      const range = part.rangeIn?.(start, end);
      return range === undefined ? part : { ...part, constant: range.greatest };
    });
    return { least: 0, greatest: bound(own) };
  };
}

function boundedTogether(
  parts: readonly BoundedScores[],
  merge: (a: number, b: number) => number,
): Omit<BoundedScores, "constant" | "rangeIn"> {
  const defaults = parts.flatMap(({ otherwise }) => otherwise ?? []);
  return {
    lists: parts.flatMap(({ lists }) => lists),
    // In the order of the clauses, so that no rounding is another.
    isCeiling: parts.every(({ isCeiling }) => isCeiling),
    mayTakeAway: parts.some(({ mayTakeAway }) => mayTakeAway),
    otherwise: defaults.length === 0 ? undefined : defaults.reduce(merge),
    isSum: false,
    *bind(cursors) {
      const clauses: BoundClause[] = [];
      let first = 0;
      for (const { lists, otherwise, bind } of parts) {
        const score = yield* bind(cursors.slice(first, first + lists.length));
        clauses.push({ score, otherwise, scores: newCandidateScores() });
        first += lists.length;
      }
      return (ordinals, { values, has }) => {
        for (const { score, scores } of clauses) score(ordinals, scores);
        for (let i = 0; i < ordinals.length; i++) {
          has[i] = Number(clauses.some(({ scores }) => scores.has[i] === 1));
          let merged: number | undefined;
          for (const { scores, otherwise } of clauses) {
            const value = scores.has[i] === 1 ? scores.values[i] : otherwise;
            if (value === undefined) continue;
            merged = merged === undefined ? value : merge(merged, value);
          }
          values[i] = merged ?? 0;
        }
      };
    },
  };
}
