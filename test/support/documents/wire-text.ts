/** Model values as clients write them: documents, queries and schemas as JSON text of the API. */

import type { TypedDocument } from "../../../src/codec/columns-builder.ts";
import { type AttributeType, formatAttributeType } from "../../../src/model/attribute-type.ts";
import { formatDatetime } from "../../../src/model/datetime.ts";
import type { Filter } from "../../../src/model/filter.ts";
import type {
  AggregateQuery,
  ComputedAttribute,
  DocumentQuery,
  Query,
  QueryRequest,
  RankBy,
  ScoreExpression,
} from "../../../src/model/query.ts";
import type { Schema } from "../../../src/model/schema.ts";
import type { AttributeValue, SparseVector } from "../../../src/model/value.ts";

/** JSON text of anything: integers exact, maps as objects, typed arrays as arrays. */
export function wireText(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map) return wireText(Object.fromEntries(value));
  if (ArrayBuffer.isView(value)) return wireText([...(value as Float32Array)]);
  if (Array.isArray(value)) return `[${value.map(wireText).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${wireText(member)}`)}}`;
}

/** Parses JSON so that numbers are compared as they are written. */
export function parseExactly(text: string): unknown {
  const keep = (_: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === "number" ? `number ${context?.source}` : value;
  return JSON.parse(text, keep);
}

/** A value as a client writes it. */
export function wireValue(type: AttributeType, value: AttributeValue): unknown {
  if (value === null) return null;
  const isDatetime = "of" in type && type.of === "datetime";
  if (isDatetime && Array.isArray(value)) return value.map((at) => formatDatetime(at as bigint));
  if (isDatetime) return formatDatetime(value as bigint);
  if (type.kind === "bytes") return Buffer.from(value as Uint8Array).toString("base64");
  if (type.kind !== "sparse") return value;
  const { names, weights } = value as SparseVector;
  return Object.fromEntries(names.map((name, i) => [name, weights[i]]));
}

/** A row of an upsert or, with nulls for what it clears, of a patch. */
export function wireRow({ id, attributes }: TypedDocument, schema: Schema): object {
  const members = [...attributes].map(([name, value]) => {
    const type = schema.attributes.get(name)?.type;
    if (type === undefined) throw new Error(`${name} is not in the schema`);
    return [name, wireValue(type, value)];
  });
  return { id, ...Object.fromEntries(members) };
}

/** The `schema` of a write. */
export function wireSchema(schema: Schema): object {
  const entries = [...schema.attributes].map(([name, attribute]) => {
    const { type, filterable, regex, glob, fuzzy, fullTextSearch, ann, sparseKnn } = attribute;
    const options = {
      type: formatAttributeType(type),
      ...(type.kind === "scalar" || type.kind === "array" ? { filterable } : {}),
      ...(fullTextSearch && { full_text_search: true }),
      ...(regex && { regex, glob, fuzzy }),
      ...(ann && { ann: ann.lateInteraction ? { late_interaction: true } : true }),
      ...(sparseKnn && { sparse_knn: { distance_metric: "dot_product" } }),
    };
    return [name, options];
  });
  return { id: schema.idType, ...Object.fromEntries(entries) };
}

/** The body of a query request. */
export function wireRequest({ kind, queries, fusion, vectorEncoding }: QueryRequest): object {
  const root = { vector_encoding: vectorEncoding };
  if (kind === "single") return { ...wireQuery(queries[0]), ...root };
  if (fusion === undefined) return { queries: queries.map(wireQuery), ...root };
  const { rankConstant, weights, limit } = fusion;
  const rerank_by = ["RRF", { rank_constant: rankConstant, weights }];
  return { queries: queries.map(wireQuery), rerank_by, limit, ...root };
}

function wireQuery(query: Query): object {
  return query.kind === "documents" ? wireDocumentQuery(query) : wireAggregateQuery(query);
}

function wireDocumentQuery(query: DocumentQuery): object {
  const { rankBy, filter, limit, limitPer, offset, selection, computed } = query;
  const names = new Map<string, unknown>([...computed].map(([n, m]) => [n, wireComputed(m)]));
  return {
    rank_by: wireRankBy(rankBy),
    ...(filter && { filters: wireFilter(filter) }),
    limit: limitPer ? { total: limit, per: limitPer } : limit,
    ...(offset > 0 && { offset }),
    ...(selection.kind === "all" && { include_attributes: true }),
    ...(selection.kind === "include" && { include_attributes: [...selection.names] }),
    ...(selection.kind === "exclude" && { exclude_attributes: [...selection.names] }),
    ...(computed.size > 0 && { compute_attributes: names }),
  };
}

function wireAggregateQuery({ filter, aggregates, groupBy, groupLimit }: AggregateQuery): object {
  const functions = [...aggregates].map(([label, aggregate]) => [
    label,
    aggregate.kind === "count" ? ["Count"] : ["Sum", aggregate.attribute],
  ]);
  const keys = groupBy.map((key) =>
    key.kind === "attribute" ? key.attribute : { [key.name]: ["ForEachUnique", key.attribute] },
  );
  return {
    aggregate_by: Object.fromEntries(functions),
    ...(filter && { filters: wireFilter(filter) }),
    ...(keys.length > 0 && { group_by: keys, top_k: groupLimit }),
  };
}

function wireRankBy(rankBy: RankBy): unknown {
  switch (rankBy.kind) {
    case "order":
      return rankBy.keys.map(({ attribute, direction }) => [attribute, direction]);
    case "score":
      return wireScore(rankBy.expression);
    case "vector": {
      const { attribute, method, operand } = rankBy;
      return [
        attribute,
        method,
        operand.kind === "embed" ? ["Embed", operand.text] : operand.values,
      ];
    }
  }
}

/** A filter as a client writes it. */
export function wireFilter(filter: Filter): unknown {
  switch (filter.kind) {
    case "and":
      return ["And", filter.filters.map(wireFilter)];
    case "or":
      return ["Or", filter.filters.map(wireFilter)];
    case "not":
      return ["Not", wireFilter(filter.filter)];
    case "condition": {
      const { attribute, operator, operand, options } = filter;
      const value = operand.kind === "value" ? operand.value : { $ref_new: operand.attribute };
      return [attribute, operator, value, ...(options === undefined ? [] : [options])];
    }
  }
}

function wireScore(expression: ScoreExpression): unknown {
  switch (expression.kind) {
    case "bm25": {
      const { attribute, query, lastAsPrefix } = expression;
      return [attribute, "BM25", query, ...(lastAsPrefix ? [{ last_as_prefix: true }] : [])];
    }
    case "sparse":
      return [expression.attribute, "SparseKNN", expression.entries];
    case "sum":
      return ["Sum", expression.clauses.map(wireScore)];
    case "max":
      return ["Max", expression.clauses.map(wireScore)];
    case "floor":
      return ["Max", expression.floor, wireScore(expression.clause)];
    case "product":
      return ["Product", expression.weight, wireScore(expression.clause)];
    case "attribute":
      return ["Attribute", expression.attribute];
    case "dist":
      return ["Dist", ["Attribute", expression.attribute], expression.origin];
    case "saturate":
    case "decay": {
      const { kind, clause, midpoint, exponent } = expression;
      const name = kind === "saturate" ? "Saturate" : "Decay";
      return [name, wireScore(clause), { midpoint, exponent }];
    }
    case "filter":
      return wireFilter(expression.filter);
  }
}

function wireComputed(member: ComputedAttribute): unknown {
  if (member.kind === "score") return wireScore(member.expression);
  if (member.kind === "highlight") throw new Error("highlights have no slow twin");
  const { attribute, operand } = member;
  return [attribute, "VectorDist", operand.kind === "embed" ? operand.text : operand.values];
}
