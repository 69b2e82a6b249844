/** Plans queries for aggregates. */

import { type DatabaseError, invalid } from "../../base/errors.ts";
import { attributeSchema, unknownAttribute } from "../../model/attribute-schema.ts";
import { formatAttributeType } from "../../model/attribute-type.ts";
import type { Aggregate, AggregateQuery, GroupKey } from "../../model/query.ts";
import type { CountNode } from "../aggregate/count.ts";
import type { SumAggregateNode } from "../aggregate/sum.ts";
import type { FilterScope } from "../bind/bind-filter.ts";
import type { AggregatePlan, GroupNode, Predicate } from "../operator/plan.ts";

/** Plans a query for aggregates over the documents of `predicate`. */
export function planAggregate(
  query: AggregateQuery,
  predicate: Predicate,
  scope: FilterScope,
): AggregatePlan {
  return {
    kind: "aggregate",
    predicate,
    aggregates: [...query.aggregates].map(([label, node]) => [label, bindAggregate(node, scope)]),
    groups: query.groupBy.map((key) => bindGroupKey(key, scope)),
    groupLimit: query.groupLimit,
  };
}

function bindAggregate(aggregate: Aggregate, scope: FilterScope): CountNode | SumAggregateNode {
  if (aggregate.kind === "count") return { kind: "count" };
  const { attribute } = aggregate;
  const type = attributeSchema(attribute, scope.schema)?.type;
  if (type === undefined) {
    throw unknownAttribute(attribute, scope.schema, "invalid aggregate_by: Sum");
  }
  if (type.kind === "scalar" && (type.of === "int" || type.of === "uint") && attribute !== "id") {
    return { kind: "sum", attribute, number: "integer" };
  }
  if (type.kind === "scalar" && type.of === "float") {
    return { kind: "sum", attribute, number: "float" };
  }
  throw invalid(
    `💔 invalid aggregate_by: Sum needs an int, uint or float attribute, ` +
      `but "${attribute}" is ${attribute === "id" ? "the id" : formatAttributeType(type)}`,
  );
}

function bindGroupKey(key: GroupKey, scope: FilterScope): GroupNode {
  const { attribute } = key;
  if (attribute === "id") throw groupFault(attribute, "cannot group by id");
  const type = scope.schema.attributes.get(attribute)?.type;
  if (type === undefined) throw unknownAttribute(attribute, scope.schema, "invalid group_by");
  if (key.kind === "attribute") {
    if (type.kind === "scalar") return { name: attribute, attribute, type, each: "value" };
    const cure = type.kind === "array" ? `; use {"name": ["ForEachUnique", "${attribute}"]}` : "";
    throw groupFault(attribute, `cannot group by ${formatAttributeType(type)}${cure}`);
  }
  if (type.kind !== "array") {
    throw groupFault(
      attribute,
      `ForEachUnique needs an array attribute, not ${formatAttributeType(type)}`,
    );
  }
  const element = type.of === "unknown" ? "string" : type.of;
  const keyType = { kind: "scalar", of: element } as const;
  return { name: key.name, attribute, type: keyType, each: "unique_element" };
}

function groupFault(attribute: string, fault: string): DatabaseError {
  return invalid(`💔 invalid group_by attribute "${attribute}": ${fault}`);
}
