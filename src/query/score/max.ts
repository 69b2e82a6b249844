import { type MergedNode, mergedClauses } from "./merged-clauses.ts";

/** The greatest of the clauses. */
export interface MaxNode extends MergedNode {
  readonly kind: "max";
}

/** Maxima. */
export const MAX = mergedClauses<MaxNode>("max", "Max", (a, b) => Math.max(a, b));
