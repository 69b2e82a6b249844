import type { ScalarValue } from "../../model/value.ts";
import { type Interval, type IntervalEnd, intersection, isInside } from "../documents/interval.ts";
import { andBits, invertBits, orBits } from "../documents/ordinal-bits.ts";
import type { PredicateOperator } from "../operator/operator.ts";
import type { Predicate } from "../operator/plan.ts";
import { attributeSource, presentIn } from "./attribute-source.ts";
import { intervalMarker } from "./match-interval.ts";
import { type SortedFilter, sortedIntervals } from "./sorted-cut.ts";
import { countSorted, isSorted, matchSorted, sortedNeeds } from "./sorted-source.ts";
import {
  markAll,
  matchValues,
  subjectText,
  type ValueNode,
  valueMatches,
  valueText,
  withExtent,
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
  isOrdered: (node, view) => isSorted(node, view),
  needs: (node, run) => sortedNeeds(node, sortedFilter(node), run),

  *run(node, given) {
    const run = withExtent(given);
    const { view, within } = run;
    const found = yield* matchSorted(node, sortedFilter(node), run);
    if (found !== undefined) return found;
    const count = view.documentCount;
    const source = attributeSource(node.attribute, view);
    const bits = yield* matchValues(node, source, run, (entries, marked) =>
      markAll(entries, intervalMarker(node, entries, marked)),
    );
    if (!node.nullMatches) return bits;
    return andBits(orBits(bits, invertBits(presentIn(source, count), count)), within);
  },

  count: (node, run) => countSorted(node, sortedFilter(node), run),

  intervalOf: ({ attribute, on, low, high }, wanted) =>
    attribute === wanted && on === "value" ? { low, high } : undefined,

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

/**
 * Parts of a conjunction, with one range in place of all those of a scalar attribute: each alone
 * may be most of a namespace, where both ends together leave little. An array's may be met by
 * different elements, and stay as they are.
 */
export function joinRanges(parts: readonly Predicate[]): Predicate[] {
  const joined: Predicate[] = [];
  const places = new Map<string, number>();
  for (const part of parts) {
    const place = isScalarRange(part) ? places.get(part.attribute) : undefined;
    if (place !== undefined) joined[place] = joinTwo(joined[place] as RangeNode, part as RangeNode);
    else {
      if (isScalarRange(part)) places.set(part.attribute, joined.length);
      joined.push(part);
    }
  }
  return joined;
}

function isScalarRange(part: Predicate): part is RangeNode {
  return part.kind === RANGE.kind && (part as RangeNode).on === "value";
}

function joinTwo(a: RangeNode, b: RangeNode): RangeNode {
  return { ...a, ...intersection(a, b), nullMatches: a.nullMatches && b.nullMatches };
}

/** Entries that are set in the time of one comparison (ADR 30); of other types it takes that of 2. */
const VALUE_COSTS: Readonly<Record<string, number>> = { float: 8, bool: 25 };

function sortedFilter(node: RangeNode): SortedFilter {
  return {
    nullMatches: node.nullMatches,
    valueCost: () => ("of" in node.type && VALUE_COSTS[node.type.of]) || 2,
    intervals: (dictionary) => sortedIntervals(node, dictionary),
  };
}
