import type { ScalarValue } from "../../model/value.ts";
import { andBits, invertBits, orBits } from "../ordinal-bits.ts";
import type { PredicateOperator } from "../plan/operator.ts";
import { attributeNeeds, attributeSource, presentIn } from "./attribute-source.ts";
import { type Interval, type IntervalEnd, intervalMarker, isInside } from "./match-interval.ts";
import {
  markAll,
  matchValues,
  subjectText,
  type ValueNode,
  valueMatches,
  valueText,
} from "./value-node.ts";

/** A value lies between two ends in the order of its type. */
export interface RangeNode extends ValueNode, Interval {
  readonly kind: "range";
  /** Null matches; only on scalars. */
  readonly nullMatches: boolean;
}

/** The interval on one side of `value`. */
export function intervalOf(operator: "Lt" | "Lte" | "Gt" | "Gte", value: ScalarValue): Interval {
  const end: IntervalEnd = { value, inclusive: operator === "Lte" || operator === "Gte" };
  const isHigh = operator === "Lt" || operator === "Lte";
  return { low: isHigh ? undefined : end, high: isHigh ? end : undefined };
}

/** Comparisons by order. */
export const RANGE: PredicateOperator<RangeNode> = {
  kind: "range",
  cost: () => 1,
  grain: () => "ordinals",
  needs: ({ attribute }, { view }) => attributeNeeds(attribute, view),

  *run(node, { view, within }) {
    const count = view.documentCount;
    const source = attributeSource(node.attribute, view);
    const bits = yield* matchValues(node, source, { view, within }, (entries, marked) =>
      markAll(entries, intervalMarker(node, entries, marked)),
    );
    if (!node.nullMatches) return bits;
    return andBits(orBits(bits, invertBits(presentIn(source, count), count)), within);
  },

  matches: (node, { current }) => {
    const value = current(node.attribute);
    if (value === null) return node.nullMatches;
    return valueMatches(node, value, (scalar) => isInside(node, scalar));
  },

  explain: (node, label) => {
    const { low, high, type, nullMatches } = node;
    const ends = [
      low && `${low.inclusive ? ">=" : ">"} ${valueText(low.value, type)}`,
      high && `${high.inclusive ? "<=" : "<"} ${valueText(high.value, type)}`,
    ].filter((end) => end !== undefined);
    const orNull = nullMatches ? " or is null" : "";
    return [`${label}: ${subjectText(node)} ${ends.join(" and ")}${orNull}`];
  },
};
