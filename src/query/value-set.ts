/** Sets of scalar values: membership of one value. `mark-values.ts` does whole columns. */

import { compareScalars, type ScalarValue } from "../model/value.ts";
import type { IntervalEnd, ValueSet } from "./predicate.ts";

/** Tells whether the set has the value. */
export function hasValue(set: ValueSet, value: ScalarValue): boolean {
  switch (set.kind) {
    case "interval":
      return (
        (set.low === undefined || isAbove(value, set.low)) &&
        (set.high === undefined || isBelow(value, set.high))
      );
    case "list":
      return hasListed(set.values, value);
    case "strings":
      return typeof value === "string" && set.matches(value);
  }
}

/** Makes the set of the given values. */
export function listSet(values: readonly ScalarValue[]): ValueSet {
  const sorted = [...values].sort(compareScalars);
  return { kind: "list", values: sorted.filter((v, i) => i === 0 || v !== sorted[i - 1]) };
}

/** Makes the set of the values on one side of `value`. */
export function intervalSet(operator: "Lt" | "Lte" | "Gt" | "Gte", value: ScalarValue): ValueSet {
  const end: IntervalEnd = { value, inclusive: operator === "Lte" || operator === "Gte" };
  const isHigh = operator === "Lt" || operator === "Lte";
  return { kind: "interval", low: isHigh ? undefined : end, high: isHigh ? end : undefined };
}

/** Calls of `hasValue` on a list take log time. */
function hasListed(values: readonly ScalarValue[], value: ScalarValue): boolean {
  let start = 0;
  let end = values.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    const order = compareScalars(values[middle], value);
    if (order === 0) return true;
    if (order < 0) start = middle + 1;
    else end = middle;
  }
  return false;
}

function isAbove(value: ScalarValue, low: IntervalEnd): boolean {
  const order = compareScalars(value, low.value);
  return low.inclusive ? order >= 0 : order > 0;
}

function isBelow(value: ScalarValue, high: IntervalEnd): boolean {
  const order = compareScalars(value, high.value);
  return high.inclusive ? order <= 0 : order < 0;
}
