import { assert, must } from "../../base/assert.ts";
import { hasBit } from "../../codec/bitmap.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { wordsOf } from "../column-values.ts";
import { attributeNeeds } from "../filter/attribute-source.ts";
import { presenceBits } from "../ordinal-bits.ts";
import type { AggregateOperator, SumAdder } from "../plan/operator.ts";
import type { AggregateNode } from "../plan/plan.ts";
import { FloatSum, IntegerSum } from "./exact-sum.ts";

/** The sum of a numeric attribute; documents without a value add nothing. */
export interface SumAggregateNode extends AggregateNode {
  readonly kind: "sum";
  readonly attribute: string;
  readonly number: "integer" | "float";
}

/** Exact sums. */
export const SUM_AGGREGATE: AggregateOperator<SumAggregateNode> = {
  kind: "sum",
  newSum: ({ number }) => (number === "integer" ? new IntegerSum() : new FloatSum()),
  adder: sumAdder,
  value: (sum) => must(sum, "a group without its sum").value(),
  needs: ({ attribute }, { view }) => attributeNeeds(attribute, view),
  explain: ({ attribute }) => `Sum(${attribute})`,
};

function sumAdder({ attribute }: SumAggregateNode, view: SegmentView): SumAdder | undefined {
  const column = view.column(attribute)?.column;
  if (column === undefined) return undefined;
  const present = presenceBits(column.presence, view.documentCount);
  const { data } = column;
  if (data.kind === "f64") {
    const { values } = data;
    return (sums, groups, ordinals) => {
      for (let i = 0; i < ordinals.length; i++) {
        const ordinal = ordinals[i];
        if (hasBit(present, ordinal)) (sums[groups[i]] as FloatSum).add(values[ordinal]);
      }
    };
  }
  assert(data.kind === "i64" || data.kind === "u64", "sum of no number");
  const words = wordsOf(data.values);
  const isSigned = data.kind === "i64";
  return (sums, groups, ordinals) => {
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i];
      if (!hasBit(present, ordinal)) continue;
      const high = words[2 * ordinal + 1];
      const sum = sums[groups[i]] as IntegerSum;
      sum.add(words[2 * ordinal], isSigned ? high | 0 : high);
    }
  };
}
