/** Intervals of values in the order of their type. */

import { compareScalars, type ScalarValue } from "../../model/value.ts";

/** One end of an interval. */
export interface IntervalEnd {
  readonly value: ScalarValue;
  readonly inclusive: boolean;
}

/** Values between two ends in the order of their type; an absent end is open. */
export interface Interval {
  readonly low: IntervalEnd | undefined;
  readonly high: IntervalEnd | undefined;
}

/** Tells whether one value lies in the interval. */
export function isInside({ low, high }: Interval, value: ScalarValue): boolean {
  if (low !== undefined) {
    const order = compareScalars(value, low.value);
    if (order < 0 || (order === 0 && !low.inclusive)) return false;
  }
  if (high === undefined) return true;
  const order = compareScalars(value, high.value);
  return order < 0 || (order === 0 && high.inclusive);
}

/** The values that lie in both of two intervals of one type. */
export function intersection(a: Interval, b: Interval): Interval {
  return { low: tighter(a.low, b.low, 1), high: tighter(a.high, b.high, -1) };
}

/** The greater end for lows (`sign` 1), the less for highs (-1); at a tie the exclusive one. */
function tighter(
  a: IntervalEnd | undefined,
  b: IntervalEnd | undefined,
  sign: 1 | -1,
): IntervalEnd | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order = compareScalars(a.value, b.value) * sign;
  if (order !== 0) return order > 0 ? a : b;
  return a.inclusive ? b : a;
}
