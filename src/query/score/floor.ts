import { type MappedNode, mappedClause } from "./mapped-clause.ts";

/** The clause, but at least `floor`. */
export interface FloorNode extends MappedNode {
  readonly kind: "floor";
  readonly floor: number;
}

/** Maxima with a number. */
export const FLOOR = mappedClause<FloorNode>({
  kind: "floor",
  title: ({ floor }) => `Max with ${floor}`,
  // Lists that take away would take from the floor, too.
  bound: ({ floor }, { constant, isCeiling, mayTakeAway }) =>
    mayTakeAway ? undefined : { factor: 1, constant: Math.max(constant, floor), isCeiling },
  change:
    ({ floor }) =>
    (score) =>
      Math.max(score, floor),
});
