import { assert, must } from "../../base/assert.ts";
import { hasBit } from "../../codec/bitmap.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { wordsOf } from "../documents/column-values.ts";
import { FloatSum, IntegerSum } from "../documents/exact-sum.ts";
import { presenceBits } from "../documents/ordinal-bits.ts";
import { attributeNeeds } from "../filter/attribute-source.ts";
import type { AggregateOperator, PlaceSums, SumAdder } from "../operator/operator.ts";
import type { AggregateNode } from "../operator/plan.ts";
import { FloatPlaces, IntegerPlaces } from "./place-sums.ts";

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
  placeSums,
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

function placeSums(
  { attribute }: SumAggregateNode,
  view: SegmentView,
  size: number,
): PlaceSums | undefined {
  const column = view.column(attribute)?.column;
  if (column === undefined) return undefined;
  const { data, presence } = column;
  const present = presence && presenceBits(presence, view.documentCount);
  if (data.kind === "f64") {
    const sums = new FloatPlaces(size);
    const floats = { values: data.values, present };
    return {
      add: (places, ordinals) => sums.add(places, ordinals, floats),
      addTo: (sum, place) => sums.addTo(sum as FloatSum, place),
    };
  }
  assert(data.kind === "i64" || data.kind === "u64", "sum of no number");
  const integers = { words: wordsOf(data.values), isSigned: data.kind === "i64", present };
  const sums = new IntegerPlaces(size);
  return {
    add: (places, ordinals) => sums.add(places, ordinals, integers),
    addTo: (sum, place) => sums.addTo(sum as IntegerSum, place),
  };
}
