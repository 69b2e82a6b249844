import { type MappedNode, mappedClause } from "./mapped-clause.ts";

/** The clause, times a weight. */
export interface ProductNode extends MappedNode {
  readonly kind: "product";
  readonly weight: number;
}

/** Products with a number. */
export const PRODUCT = mappedClause<ProductNode>({
  kind: "product",
  title: ({ weight }) => `Product with ${weight}`,
  bound: ({ weight }, { constant, isCeiling }) => {
    return { factor: weight, constant: weight === 0 ? 0 : constant * weight, isCeiling };
  },
  change:
    ({ weight }) =>
    (score) =>
      score * weight,
});
