/**
 * From a query to a plan: names, types and indexes are checked against the schema, texts analyzed,
 * terms weighed, and the order of work chosen. Pure: it reads nothing but its arguments.
 */

import type { Steps } from "../../base/steps.ts";
import type { Filter } from "../../model/filter.ts";
import type { Query } from "../../model/query.ts";
import { bindFilter, type FilterScope } from "../bind/bind-filter.ts";
import type { ScoreScope } from "../bind/bind-score.ts";
import { MATCH_ALL } from "../filter/and.ts";
import type { Plan, Predicate } from "../operator/plan.ts";
import { OPERATORS } from "../operators.ts";
import { planAggregate } from "./plan-aggregate.ts";
import { planDocuments } from "./plan-documents.ts";

/** Plans a query, in steps; throws `invalid`, `malformed` or `building`. */
export function* planQuery(query: Query, scope: ScoreScope): Steps<Plan> {
  const { filter } = query;
  const predicate = filter === undefined ? MATCH_ALL : arranged(yield* bindFilter(filter, scope));
  return query.kind === "documents"
    ? yield* planDocuments(query, predicate, scope)
    : planAggregate(query, predicate, scope);
}

/** Binds a filter, cheap parts of conjunctions first; throws as `planQuery` does. */
export function* planFilter(filter: Filter, scope: FilterScope): Steps<Predicate> {
  return arranged(yield* bindFilter(filter, scope));
}

function arranged(predicate: Predicate): Predicate {
  return OPERATORS.predicate(predicate).arranged?.(predicate, OPERATORS) ?? predicate;
}
