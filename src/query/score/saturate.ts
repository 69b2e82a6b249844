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
  change:
    ({ midpoint, exponent }) =>
    (value) =>
      value > 0 ? 1 / (1 + (midpoint / value) ** exponent) : 0,
});
