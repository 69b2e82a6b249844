import { type MergedNode, mergedClauses } from "./merged-clauses.ts";

/** The sum of the clauses. */
export interface SumNode extends MergedNode {
  readonly kind: "sum";
}

/** Sums, added in the order of the clauses, so that a score is the same in any segment. */
export const SUM = mergedClauses<SumNode>({
  kind: "sum",
  title: "Sum",
  merge: (sum, score) => sum + score,
  bound: (clauses) => clauses.reduce((sum, { constant }) => sum + constant, 0),
});
