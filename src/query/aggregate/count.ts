import type { AggregateOperator } from "../operator/operator.ts";
import type { AggregateNode } from "../operator/plan.ts";

/** How many documents a group has. */
export interface CountNode extends AggregateNode {
  readonly kind: "count";
}

/** Counts, which every group keeps. */
export const COUNT: AggregateOperator<CountNode> = {
  kind: "count",
  newSum: () => undefined,
  adder: () => undefined,
  placeSums: () => undefined,
  value: (_sum, count) => BigInt(count),
  needs: () => [],
  explain: () => "Count",
};
