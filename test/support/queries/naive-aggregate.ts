/** The slow twin of aggregates: groups by nested loops, sums by big integers. */

import type { TypedDocument } from "../../../src/codec/columns-builder.ts";
import type { AttributeType } from "../../../src/model/attribute-type.ts";
import type { Aggregate, AggregateQuery, GroupKey } from "../../../src/model/query.ts";
import type { AggregateValue, ResultGroup } from "../../../src/model/query-result.ts";
import type { Schema } from "../../../src/model/schema.ts";
import type { AttributeValue } from "../../../src/model/value.ts";
import { naiveCompare, naiveValue } from "./naive-filter.ts";

/** The groups in order; without group keys exactly one. */
export function naiveGroups(
  query: AggregateQuery,
  matching: readonly TypedDocument[],
  schema: Schema,
): ResultGroup[] {
  const { groupBy, aggregates, groupLimit } = query;
  const groups = new Map<string, { keys: AttributeValue[]; documents: TypedDocument[] }>();
  if (groupBy.length === 0) groups.set("", { keys: [], documents: [...matching] });
  for (const document of groupBy.length === 0 ? [] : matching) {
    for (const keys of keysOf(groupBy, document)) {
      const name = keys.map((key) => `${typeof key}:${String(key)}`).join("|");
      const group = groups.get(name) ?? { keys, documents: [] };
      groups.set(name, group);
      group.documents.push(document);
    }
  }
  const sorted = [...groups.values()].sort((a, b) => {
    const orders = a.keys.map((key, i) => naiveCompare(key, b.keys[i]));
    return orders.find((order) => order !== 0) ?? 0;
  });
  const limited = groupBy.length === 0 ? sorted : sorted.slice(0, groupLimit);
  return limited.map(({ keys, documents }) => ({
    keys: groupBy.map((key, i) => {
      const type = schema.attributes.get(key.attribute)?.type as AttributeType;
      const name = key.kind === "attribute" ? key.attribute : key.name;
      return [name, keyType(type), keys[i]] as const;
    }),
    aggregates: [...aggregates].map(
      ([label, aggregate]) => [label, aggregateOf(aggregate, documents, schema)] as const,
    ),
  }));
}

function keyType(type: AttributeType): AttributeType {
  if (type.kind !== "array") return type;
  return { kind: "scalar", of: type.of === "unknown" ? "string" : type.of };
}

/** Every combination of the document's keys. */
function keysOf(groupBy: readonly GroupKey[], document: TypedDocument): AttributeValue[][] {
  return groupBy.reduce<AttributeValue[][]>(
    (combinations, key) => {
      const value = naiveValue(document, key.attribute);
      const values = Array.isArray(value) ? [...new Set(value)] : [value];
      return combinations.flatMap((keys) => values.map((v) => [...keys, v as AttributeValue]));
    },
    [[]],
  );
}

/** Floats of tests are multiples of 2^-60 below 2^10, so the sum is exact before it is rounded. */
function aggregateOf(
  aggregate: Aggregate,
  documents: readonly TypedDocument[],
  schema: Schema,
): AggregateValue {
  if (aggregate.kind === "count") return BigInt(documents.length);
  const type = schema.attributes.get(aggregate.attribute)?.type;
  const values = documents
    .map((document) => naiveValue(document, aggregate.attribute))
    .filter((value) => value !== null);
  if (type?.kind === "scalar" && type.of === "float") {
    const sum = values.reduce<bigint>((total, v) => total + BigInt(Number(v) * 2 ** 60), 0n);
    return Number(sum) / 2 ** 60;
  }
  return values.reduce<bigint>((total, value) => total + BigInt(value as bigint), 0n);
}
