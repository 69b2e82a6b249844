/** How much of a namespace's query slots a request takes. */

import { QUERY_SLOTS } from "../../model/contract-limits.ts";
import type { Query, QueryRequest } from "../../model/query.ts";

/** Slots of an aggregation and of a kNN query; all others take one (wire contract). */
const AGGREGATE_SLOTS = 4;
const KNN_SLOTS = 2;

/** The slots of all subqueries together, at most as many as a namespace has. */
export function querySlots(request: QueryRequest): number {
  const slots = request.queries.reduce((sum, query) => sum + slotsOf(query), 0);
  return Math.min(slots, QUERY_SLOTS);
}

function slotsOf(query: Query): number {
  if (query.kind === "aggregate") return AGGREGATE_SLOTS;
  return query.rankBy.kind === "vector" && query.rankBy.method === "kNN" ? KNN_SLOTS : 1;
}
