import { formatDatetime } from "../../model/datetime.ts";

/**
 * A count of units since the epoch as a datetime. `perMs` units make a millisecond; what is finer
 * is cut off towards the past, so that no instant moves into the next second, day or year.
 */
export function cutTime(units: bigint, perMs: bigint): string {
  const ms = units / perMs;
  // Division of bigints cuts towards zero.
  return formatDatetime(units < 0n && ms * perMs !== units ? ms - 1n : ms);
}
