import { type MappedNode, mappedClause } from "./mapped-clause.ts";

/** A number squeezed into a score that falls from 1 to 0 and is one half at the midpoint. */
export interface DecayNode extends MappedNode {
  readonly kind: "decay";
  readonly midpoint: number;
  readonly exponent: number;
}

/** m^e / (x^e + m^e), written so that no power overflows; negative values count as 0. */
export const DECAY = mappedClause<DecayNode>({
  kind: "decay",
  title: ({ midpoint, exponent }) => `Decay with midpoint ${midpoint}, exponent ${exponent}`,
  bound: () => {
    return { factor: 0, constant: 1, isCeiling: true };
  },
  change:
    ({ midpoint, exponent }) =>
    (value) =>
      1 / (1 + (Math.max(value, 0) / midpoint) ** exponent),
});
