/**
 * The slots of one namespace, which bound how many of its queries run at once. A query holds as
 * many as it weighs (contract: aggregations 4, kNN 2, others 1).
 */

import type { Clock } from "../../../base/clock.ts";
import { QUERY_SLOT_WAIT_MS_MAX, QUERY_SLOTS } from "../../../model/contract-limits.ts";
import { WeightedSlots } from "./weighted-slots.ts";

/** See the file's head. */
export function querySlotsOf(clock: Pick<Clock, "sleep">): WeightedSlots {
  const refusal = (weight: number) =>
    `💔 too many concurrent queries: this query needs ${weight} of the namespace's ` +
    `${QUERY_SLOTS} slots and waited ${QUERY_SLOT_WAIT_MS_MAX} ms for them; ` +
    "send fewer queries at once, or retry";
  return new WeightedSlots(QUERY_SLOTS, { clock, refusal });
}
