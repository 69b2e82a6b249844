/** Facets: the values of an attribute with how many documents have each, under the filter. */

import { parseAttributeType } from "../../../src/model/attribute-type.ts";
import type { AttributeMetadata } from "../../api/namespaces.ts";
import type { Json } from "../../query/json-value.ts";
import { type Condition, filtersOf } from "./document-filters.ts";

/** Values that are looked at; of attributes with more, the counts are of these alone. */
export const FACET_GROUPS_MAX = 1000;
/** Values that are shown. */
const SHOWN_MAX = 12;

/** One value and its count. */
export interface Facet {
  readonly value: Json;
  readonly count: number;
  /** What filters by it. */
  readonly condition: Condition;
}

/** The facets of an attribute. */
export interface Facets {
  readonly facets: readonly Facet[];
  /** Values beyond those shown. */
  readonly moreCount: number;
  /** There are more values than were looked at. */
  readonly isCut: boolean;
}

/** Whether an attribute has facets: a filter must find what a click asks for. */
export function hasFacets(attribute: AttributeMetadata): boolean {
  if (attribute.filterable !== true) return false;
  const type = parseAttributeType(attribute.type);
  if (type?.kind === "array") return type.of !== "unknown";
  return type?.kind === "scalar" && type.of !== "float" && type.of !== "datetime";
}

/** The query that counts the values. */
export function facetQuery(
  name: string,
  attribute: AttributeMetadata,
  conditions: readonly Condition[],
): Readonly<Record<string, unknown>> {
  const group = isArray(attribute) ? { value: ["ForEachUnique", name] } : name;
  return {
    aggregate_by: { [countLabel(name)]: ["Count"] },
    group_by: [group],
    filters: filtersOf(conditions),
    limit: FACET_GROUPS_MAX,
  };
}

/** The most frequent values of an answer to `facetQuery`. */
export function facetsOf(
  name: string,
  attribute: AttributeMetadata,
  groups: readonly Readonly<Record<string, unknown>>[],
): Facets {
  const operator = isArray(attribute) ? "Contains" : "Eq";
  const key = isArray(attribute) ? "value" : name;
  const facets = groups
    .map((group): Facet => {
      const value = (group[key] ?? null) as Json;
      // No array contains null: what has none has no array.
      const condition: Condition = [name, value === null ? "Eq" : operator, value];
      return { value, count: Number(group[countLabel(name)]), condition };
    })
    .sort((a, b) => b.count - a.count);
  return {
    facets: facets.slice(0, SHOWN_MAX),
    moreCount: Math.max(0, facets.length - SHOWN_MAX),
    isCut: groups.length >= FACET_GROUPS_MAX,
  };
}

function isArray({ type }: AttributeMetadata): boolean {
  return parseAttributeType(type)?.kind === "array";
}

/** An attribute may be called as the count is. */
function countLabel(name: string): string {
  return name === "documents" ? "documents_" : "documents";
}
