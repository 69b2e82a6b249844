import { type MergedNode, mergedClauses } from "./merged-clauses.ts";

/** The greatest of the clauses. */
export interface MaxNode extends MergedNode {
  readonly kind: "max";
}

/** Maxima. */
export const MAX = mergedClauses<MaxNode>({
  kind: "max",
  title: "Max",
  merge: (a, b) => Math.max(a, b),
  // The greatest is at most the sum, unless a list takes something away.
  bound: (clauses) =>
    clauses.some(({ mayTakeAway }) => mayTakeAway)
      ? undefined
      : Math.max(...clauses.map(({ constant }) => constant)),
});
