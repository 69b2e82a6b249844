/** `aggregate_by` and `group_by`. */

import { invalid, malformed } from "../../base/errors.ts";
import {
  AGGREGATES_MAX,
  GROUP_ATTRIBUTES_MAX,
  RESULT_ROWS_MAX,
} from "../../model/contract-limits.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type { Aggregate, AggregateQuery, GroupKey } from "../../model/query.ts";
import {
  arrayAt,
  checkResultName,
  elementsOf,
  memberPath,
  objectAt,
  present,
  wrongType,
} from "../json/json-shape.ts";
import type { ExpressionBudget } from "./expression-budget.ts";
import { parseFilter } from "./parse-filter.ts";
import { parseLimit } from "./parse-limits.ts";

/** Members that only queries for documents have; `rank_by` is refused elsewhere. */
const DOCUMENT_MEMBERS = [
  "include_attributes",
  "exclude_attributes",
  "compute_attributes",
  "offset",
] as const;

/** Reads a query that has `aggregate_by`. */
export function parseAggregateQuery(
  path: string,
  query: JsonObject,
  budget: ExpressionBudget,
): AggregateQuery {
  if (present(query, "rank_by") !== undefined) {
    throw malformed(path, "cannot specify both `rank_by` and `aggregate_by`");
  }
  for (const name of DOCUMENT_MEMBERS) {
    if (present(query, name) === undefined) continue;
    throw invalid(`💔 ${memberPath(path, name)} cannot be used with aggregate_by`);
  }
  const aggregatesPath = memberPath(path, "aggregate_by");
  const aggregates = parseAggregates(aggregatesPath, present(query, "aggregate_by") ?? null);
  const groupBy = parseGroupBy(memberPath(path, "group_by"), present(query, "group_by") ?? []);
  for (const label of aggregates.keys()) {
    if (!groupBy.some((key) => groupName(key) === label)) continue;
    throw invalid(`💔 ${memberPath(aggregatesPath, label)}: label is also the name of a group`);
  }
  const filter = present(query, "filters");
  return {
    kind: "aggregate",
    filter:
      filter === undefined ? undefined : parseFilter(memberPath(path, "filters"), filter, budget),
    aggregates,
    groupBy,
    groupLimit: parseGroupLimit(path, query, groupBy.length > 0),
  };
}

/** The name of a group's member in the answer. */
function groupName(key: GroupKey): string {
  return key.kind === "attribute" ? key.attribute : key.name;
}

function parseGroupLimit(path: string, query: JsonObject, isGrouped: boolean): number {
  const limit = parseLimit(path, query);
  if (limit === undefined) return RESULT_ROWS_MAX;
  if (!isGrouped) throw invalid(`💔 ${limit.name} requires group_by when used with aggregate_by`);
  if (limit.per) throw invalid(`💔 ${memberPath(path, "limit")}.per requires rank_by`);
  if (limit.total <= RESULT_ROWS_MAX) return limit.total;
  throw invalid(`💔 ${limit.name} must be between 0 and ${RESULT_ROWS_MAX}, got ${limit.total}`);
}

function parseAggregates(path: string, value: JsonValue): Map<string, Aggregate> {
  const members = objectAt(path, value);
  if (members.size === 0) throw invalid(`💔 ${path} cannot be empty`);
  if (members.size > AGGREGATES_MAX) {
    throw invalid(`💔 ${path}: at most ${AGGREGATES_MAX} aggregates, got ${members.size}`);
  }
  const aggregates = new Map<string, Aggregate>();
  for (const [label, fn] of members) {
    const place = memberPath(path, label);
    checkResultName(place, label);
    aggregates.set(label, parseAggregate(place, fn));
  }
  return aggregates;
}

function parseAggregate(path: string, value: JsonValue): Aggregate {
  const [name, attribute, ...rest] = elementsOf(value) ?? [];
  const takesName = attribute === undefined || typeof attribute === "string";
  if (name === "Count" && takesName && rest.length === 0) {
    if (attribute === undefined || attribute === "id") return { kind: "count" };
    throw invalid(`💔 ${path}: Count counts documents and takes no attribute, use ["Count"]`);
  }
  if (name === "Sum" && typeof attribute === "string" && rest.length === 0) {
    return { kind: "sum", attribute };
  }
  throw malformed(path, 'unknown aggregate function, expected ["Count"] or ["Sum", attribute]');
}

function parseGroupBy(path: string, value: JsonValue): GroupKey[] {
  const listed = arrayAt(path, value);
  if (listed.length > GROUP_ATTRIBUTES_MAX) {
    throw invalid(`💔 ${path}: at most ${GROUP_ATTRIBUTES_MAX} attributes, got ${listed.length}`);
  }
  const keys = listed.map((key, i) => parseGroupKey(`${path}[${i}]`, key));
  const names = new Set<string>();
  const attributes = new Set<string>();
  let eachUniqueCount = 0;
  for (const [i, key] of keys.entries()) {
    const place = `${path}[${i}]`;
    if (key.attribute === "id") throw invalid(`💔 ${place}: cannot group by id`);
    if (names.has(groupName(key)) || attributes.has(key.attribute)) {
      throw invalid(`💔 ${place}: duplicate field in group_by`);
    }
    if (key.kind === "each_unique") eachUniqueCount++;
    if (eachUniqueCount > 1) throw invalid(`💔 ${place}: at most one ForEachUnique in group_by`);
    names.add(groupName(key));
    attributes.add(key.attribute);
  }
  return keys;
}

function parseGroupKey(path: string, value: JsonValue): GroupKey {
  if (typeof value === "string") return { kind: "attribute", attribute: value };
  if (!(value instanceof Map)) {
    throw wrongType(path, value, 'an attribute\'s name or {name: ["ForEachUnique", attribute]}');
  }
  const [member, ...others] = value;
  const call = member && others.length === 0 ? elementsOf(member[1]) : undefined;
  const [fn, attribute, ...rest] = call ?? [];
  if (fn === "ForEachUnique" && typeof attribute === "string" && rest.length === 0) {
    const [name] = member;
    checkResultName(path, name);
    return { kind: "each_unique", name, attribute };
  }
  throw malformed(path, 'expected {name: ["ForEachUnique", attribute]}');
}
