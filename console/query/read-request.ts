/**
 * Takes a request's body back into the builder. What the builder has no control for is found by
 * building the request anew: the first difference names it, so nothing is dropped unseen.
 */

import { buildRequest } from "./build-request.ts";
import { firstDifference, isList, isMembers, type Json, type JsonMembers } from "./json-value.ts";
import { normalRequest } from "./normal-request.ts";
import {
  type AggregateModel,
  firstQuery,
  type LimitPerModel,
  NO_FILTER,
  type QueryModel,
  RANK_CONSTANT,
  type RerankModel,
  type SelectionModel,
  type WeightedRanking,
} from "./query-model.ts";
import { readFilter } from "./read-filter.ts";
import { readRanking } from "./read-ranking.ts";
import type { RequestSchema } from "./request-schema.ts";

/** The model that builds the request, or why there is none. */
export type ReadRequest = { readonly model: QueryModel } | { readonly reason: string };

/** Reads a body. */
export function readRequest(body: Json, schema: RequestSchema): ReadRequest {
  if (!isMembers(body)) return { reason: "A query is a JSON object." };
  const request = normalRequest(body);
  const model = modelOf(request, schema);
  const built = buildRequest(model, schema);
  const place = firstDifference(request, normalRequest(built.body));
  if (place !== undefined) {
    return { reason: `The builder has no control for what ${place || "the request"} says.` };
  }
  return { model };
}

function modelOf(request: JsonMembers, schema: RequestSchema): QueryModel {
  const empty = { ...firstQuery(schema), highlight: false, filter: NO_FILTER };
  const common = { ...empty, consistency: consistencyOf(request) };
  if ("aggregate_by" in request) return { ...common, ...aggregateModel(request, schema) };
  if (!isList(request.queries)) return { ...common, ...documentsModel(request, empty, schema) };
  const queries = request.queries.filter(isMembers);
  const rerank = rerankOf(request, empty.rerank);
  const options = isList(request.rerank_by) ? request.rerank_by[1] : undefined;
  const fusion = isMembers(options) ? options : {};
  const weights = isList(fusion.weights) ? fusion.weights : [];
  return {
    ...common,
    ...(queries.length > 0 && documentsModel(queries[0], empty, schema)),
    rerank,
    limitPer: empty.limitPer,
    highlight: queries.some(hasHighlights),
    rankings: queries.map((query, i) => ({
      ranking: readRanking(query.rank_by, schema),
      weight: numberText(weights[i], "1"),
    })),
    rankConstant: numberText(fusion.rank_constant, RANK_CONSTANT),
    candidates: numberText(queries[0]?.top_k, ""),
    limit: numberText(request.limit ?? request.top_k, ""),
  };
}

function documentsModel(query: JsonMembers, empty: QueryModel, schema: RequestSchema) {
  const limit = isMembers(query.top_k) ? query.top_k : { total: query.top_k ?? null };
  const rankings: WeightedRanking[] = [
    { ranking: readRanking(query.rank_by, schema), weight: "1" },
  ];
  return {
    form: "documents" as const,
    rankings,
    filter: readFilter(query.filters, schema),
    limit: numberText(limit.total, ""),
    limitPer: limitPerOf(limit.per, empty.limitPer),
    rerank: rerankOf(query, empty.rerank),
    offset: numberText(query.offset, "0"),
    selection: selectionOf(query),
    highlight: hasHighlights(query),
  };
}

function limitPerOf(per: Json | undefined, off: LimitPerModel): LimitPerModel {
  if (!isMembers(per)) return off;
  const attributes = isList(per.attributes) ? per.attributes.filter(isName) : [];
  return { isOn: true, attributes, limit: numberText(per.limit, "") };
}

function rerankOf({ rerank_by: rerank }: JsonMembers, off: RerankModel): RerankModel {
  if (!isMembers(rerank)) return off;
  const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
  const { model, attribute, query } = rerank;
  return { isOn: true, model: text(model), attribute: text(attribute), query: text(query) };
}

function aggregateModel(request: JsonMembers, schema: RequestSchema) {
  const functions = isMembers(request.aggregate_by) ? request.aggregate_by : {};
  const aggregates = Object.entries(functions).map(([label, value]): AggregateModel => {
    const [of, attribute] = isList(value) ? value : [];
    const name = typeof attribute === "string" ? attribute : "";
    return { label, of: of === "Sum" ? "Sum" : "Count", attribute: name };
  });
  const groupBy = isList(request.group_by) ? request.group_by : [];
  return {
    form: "aggregate" as const,
    aggregates,
    groupBy: groupBy.flatMap((key) => (isMembers(key) ? Object.keys(key) : isName(key) ? key : [])),
    groupLimit: numberText(request.top_k, "10000"),
    filter: readFilter(request.filters, schema),
  };
}

function selectionOf(query: JsonMembers): SelectionModel {
  const { include_attributes: include, exclude_attributes: exclude } = query;
  if (include === true) return { kind: "all", names: [] };
  if (isList(include)) return { kind: "include", names: include.filter(isName) };
  if (isList(exclude)) return { kind: "exclude", names: exclude.filter(isName) };
  return { kind: "none", names: [] };
}

function isName(value: Json): value is string {
  return typeof value === "string";
}

function hasHighlights(query: JsonMembers): boolean {
  return "compute_attributes" in query;
}

function consistencyOf({ consistency }: JsonMembers): "strong" | "eventual" {
  return isMembers(consistency) && consistency.level === "eventual" ? "eventual" : "strong";
}

function numberText(value: Json | undefined, absent: string): string {
  return typeof value === "number" || typeof value === "bigint" ? String(value) : absent;
}
