import { type MappedNode, mappedClause } from "./mapped-clause.ts";

/** A number squeezed into a score that rises from 0 to 1 and is one half at the midpoint. */
export interface SaturateNode extends MappedNode {
  readonly kind: "saturate";
  readonly midpoint: number;
  readonly exponent: number;
}

/** x^e / (x^e + m^e), written so that no power overflows; negative values count as 0. */
export const SATURATE = mappedClause<SaturateNode>({
  kind: "saturate",
  title: ({ midpoint, exponent }) => `Saturate with midpoint ${midpoint}, exponent ${exponent}`,
  bound: (node, { lists, constant, mayTakeAway }) => {
    const slope = slopeOf(node);
    const most = lists.reduce((sum, { magnitude }) => sum + magnitude, constant);
    return !mayTakeAway && slope * most < 1
      ? { factor: slope, constant: slope * constant, isCeiling: false }
      : { factor: 0, constant: 1, isCeiling: true };
  },
  change:
    ({ midpoint, exponent }) =>
    (value) =>
      value > 0 ? 1 / (1 + (midpoint / value) ** exponent) : 0,
});

/**
 * How many times a number its score is at most. The quotient x^(e − 1) / (x^e + m^e) has its
 * greatest value where x^e = (e − 1) · m^e, and for e = 1 at 0; below 1 it has none.
 */
function slopeOf({ midpoint, exponent }: SaturateNode): number {
  if (exponent < 1) return Number.POSITIVE_INFINITY;
  if (exponent === 1) return 1 / midpoint;
  return (exponent - 1) ** (1 - 1 / exponent) / (exponent * midpoint);
}
