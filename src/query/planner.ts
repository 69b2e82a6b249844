/**
 * From a query to a plan: names, types and indexes are checked against the schema, texts analyzed,
 * terms weighed, and the order of work chosen. Pure: it reads nothing but its arguments.
 */

import type { AggregateQuery, Query } from "../model/query.ts";
import { bindFilter } from "./bind/bind-filter.ts";
import type { ScoreScope } from "./bind/bind-score.ts";
import { planAggregate } from "./plan/plan-aggregate.ts";
import { planDocuments } from "./plan/plan-documents.ts";
import type { Plan } from "./plan.ts";
import { MATCH_ALL, type Predicate } from "./predicate.ts";

/** Plans a query; throws `invalid`, `malformed` or `building`. */
export function planQuery(query: Query, scope: ScoreScope): Plan {
  const predicate = planFilter(query, scope);
  return query.kind === "documents"
    ? planDocuments(query, predicate, scope)
    : planAggregate(query, predicate, scope);
}

/** Binds a query's filter, cheap parts of conjunctions first. */
function planFilter({ filter }: Pick<AggregateQuery, "filter">, scope: ScoreScope): Predicate {
  return filter === undefined ? MATCH_ALL : cheapestFirst(bindFilter(filter, scope));
}

/** Sorts the parts of each conjunction by cost, so that costly ones run within few candidates. */
export function cheapestFirst(predicate: Predicate): Predicate {
  switch (predicate.kind) {
    case "and": {
      const predicates = predicate.predicates.map(cheapestFirst);
      return { kind: "and", predicates: predicates.sort((a, b) => costOf(a) - costOf(b)) };
    }
    case "or":
      return { kind: "or", predicates: predicate.predicates.map(cheapestFirst) };
    case "not":
      return { kind: "not", predicate: cheapestFirst(predicate.predicate) };
    case "test":
    case "reference":
      return predicate;
  }
}

/** Orders of magnitude: hash lookups, column loops, postings, patterns, analysis of stored text. */
function costOf(predicate: Predicate): number {
  switch (predicate.kind) {
    case "and":
    case "or":
      return predicate.predicates.reduce((cost, part) => Math.max(cost, costOf(part)), 0);
    case "not":
      return costOf(predicate.predicate);
    case "reference":
      return 0;
    case "test":
      break;
  }
  const { test, attribute } = predicate;
  switch (test.kind) {
    case "present":
      return 0;
    case "scalar":
    case "any_element":
      if (test.set.kind === "strings") return 3;
      return attribute === "id" && test.set.kind === "list" ? 0 : 1;
    case "array_equals":
    case "tokens":
      return 2;
    case "vector_equals":
      return 3;
    case "sequence":
      return 4;
  }
}
