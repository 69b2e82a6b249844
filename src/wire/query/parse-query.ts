/** Query bodies: one query, or several with `queries`. */

import { clipName } from "../../base/bounded-text.ts";
import { invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { STALENESS_SECONDS_DEFAULT, STALENESS_SECONDS_MAX } from "../../model/contract-limits.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type {
  AttributeSelection,
  DocumentQuery,
  ExplainRequest,
  Query,
  QueryRequest,
  RankBy,
} from "../../model/query.ts";
import { readJsonBody } from "../json/json-body.ts";
import {
  booleanAt,
  countAt,
  elementsOf,
  memberPath,
  missingMember,
  objectAt,
  present,
  stringAt,
  stringsAt,
  variantAt,
  wrongType,
} from "../json/json-shape.ts";
import { UnknownMembers } from "../json/unknown-members.ts";
import { ExpressionBudget } from "./expression-budget.ts";
import { parseAggregateQuery } from "./parse-aggregates.ts";
import { parseComputed } from "./parse-computed.ts";
import { parseFilter } from "./parse-filter.ts";
import { checkDocumentLimit, parseLimit, parseOffset } from "./parse-limits.ts";
import { parseMultiQuery } from "./parse-multi-query.ts";
import { parseRankBy, RANK_BY_ID } from "./parse-rank-by.ts";
import { parseModelRerank } from "./parse-rerank.ts";
import { EXPLAIN_FORM, QUERY_FORM } from "./query-forms.ts";

/**
 * Reads the body of a query request, in steps: everything is checked that needs no
 * schema. Members that are not known are passed over and noted in `unknown`, and null means absent.
 */
export function parseQueryBody(
  body: Uint8Array,
  unknown = new UnknownMembers(),
): Steps<QueryRequest> {
  return readJsonBody(body, { form: QUERY_FORM, unknown }, queryRequestOf);
}

/** Reads the body of a request to explain queries, as `parseQueryBody` does. */
export function parseExplainBody(
  body: Uint8Array,
  unknown = new UnknownMembers(),
): Steps<ExplainRequest> {
  return readJsonBody(body, { form: EXPLAIN_FORM, unknown }, (root) => {
    const request = queryRequestOf(root);
    const analyze = present(objectAt("", root), "analyze");
    return { request, analyze: analyze !== undefined && booleanAt("analyze", analyze) };
  });
}

function queryRequestOf(body: JsonValue): QueryRequest {
  const root = objectAt("", body, "a query object");
  const budget = new ExpressionBudget();
  const shared = {
    ...parseConsistency(present(root, "consistency")),
    vectorEncoding: parseVectorEncoding(present(root, "vector_encoding")),
  };
  const queries = present(root, "queries");
  if (queries !== undefined) {
    const parseOne = (path: string, query: JsonObject) => parseQuery(path, query, budget);
    return { kind: "multi", ...parseMultiQuery(root, queries, parseOne), ...shared };
  }
  const rerank = present(root, "rerank_by");
  if (rerank !== undefined && !(rerank instanceof Map)) {
    throw invalid(
      "💔 rerank_by requires `queries`; one query can be reranked by a model: " +
        '{"model", "attribute", "query"}',
    );
  }
  const query = parseQuery("", root, budget);
  return {
    kind: "single",
    queries: [query],
    fusion: undefined,
    rerank: rerank && parseModelRerank(root, rerank, [query]),
    ...shared,
  };
}

function parseQuery(path: string, query: JsonObject, budget: ExpressionBudget): Query {
  if (present(query, "aggregate_by") !== undefined) return parseAggregateQuery(path, query, budget);
  const groupBy = present(query, "group_by");
  if (groupBy !== undefined && elementsOf(groupBy)?.length !== 0) {
    throw invalid(`💔 ${memberPath(path, "group_by")} requires aggregate_by`);
  }
  return parseDocumentQuery(path, query, budget);
}

function parseDocumentQuery(
  path: string,
  query: JsonObject,
  budget: ExpressionBudget,
): DocumentQuery {
  const at = (name: string) => memberPath(path, name);
  const rank = present(query, "rank_by");
  const filters = present(query, "filters");
  const computed = present(query, "compute_attributes");
  const metric = present(query, "distance_metric");
  const limit = parseLimit(path, query);
  const inSubquery = path === "" ? "" : `${path}: `;

  if (rank === undefined && filters === undefined && limit === undefined) {
    throw invalid(`💔 ${inSubquery}query must specify rank_by or aggregate_by`);
  }
  if (rank === undefined && present(query, "offset") !== undefined) {
    throw invalid(`💔 ${at("offset")} requires rank_by`);
  }
  const rankBy = rank === undefined ? RANK_BY_ID : parseRankBy(at("rank_by"), rank, budget);
  if (limit === undefined) {
    throw invalid(`💔 ${inSubquery}rank_by queries must specify top_k or limit`);
  }
  checkDocumentLimit(limit);
  const selection = parseSelection(path, query);
  if (limit.per) checkKeysAreReturned(`${at("limit")}.per`, limit.per.attributes, selection);
  const filter = filters === undefined ? undefined : parseFilter(at("filters"), filters, budget);
  checkExactSearch(at("rank_by"), rankBy, filter !== undefined);
  return {
    kind: "documents",
    rankBy,
    filter,
    limit: limit.total,
    limitPer: limit.per,
    offset: parseOffset(path, query, limit.total),
    selection,
    computed:
      computed === undefined
        ? new Map()
        : parseComputed(at("compute_attributes"), computed, budget),
    distanceMetric: metric === undefined ? undefined : stringAt(at("distance_metric"), metric),
  };
}

function checkExactSearch(path: string, rankBy: RankBy, isFiltered: boolean): void {
  if (rankBy.kind !== "vector" || rankBy.method !== "kNN" || isFiltered) return;
  throw invalid(`💔 ${path}: kNN requires filters; to search all documents, use ANN`);
}

function parseSelection(path: string, query: JsonObject): AttributeSelection {
  const include = present(query, "include_attributes");
  const exclude = present(query, "exclude_attributes");
  if (include !== undefined && exclude !== undefined) {
    throw invalid("💔 cannot specify both include_attributes and exclude_attributes");
  }
  if (exclude !== undefined) {
    const names = new Set(stringsAt(memberPath(path, "exclude_attributes"), exclude));
    if (names.has("id")) throw invalid("💔 `id` cannot be part of `exclude_attributes`");
    return { kind: "exclude", names };
  }
  if (include === undefined || include === false) return { kind: "none" };
  if (include === true) return { kind: "all" };
  const place = memberPath(path, "include_attributes");
  if (elementsOf(include) === undefined) {
    throw wrongType(place, include, "a boolean or an array of attribute names");
  }
  return { kind: "include", names: new Set(stringsAt(place, include)) };
}

/**
 * Checks that each key of `limit.per` is an included attribute. `id`, which is always returned,
 * must be listed, too.
 */
function checkKeysAreReturned(
  path: string,
  keys: readonly string[],
  selection: AttributeSelection,
): void {
  for (const key of keys) {
    if (selection.kind === "include" && selection.names.has(key)) continue;
    if (selection.kind === "all" && key !== "id") continue;
    if (selection.kind === "exclude" && key !== "id" && !selection.names.has(key)) continue;
    throw invalid(
      `💔 ${path}: attribute "${clipName(key)}" must be part of \`include_attributes\``,
    );
  }
}

function parseVectorEncoding(value: JsonValue | undefined): "float" | "base64" {
  if (value === undefined) return "float";
  return variantAt("vector_encoding", value, ["float", "base64"]);
}

const STALENESS = "consistency.max_staleness_seconds";
const MS_PER_SECOND = 1000;

/** Reads the level, by default `strong`, and how old what an eventual query sees may be. */
function parseConsistency(
  value: JsonValue | undefined,
): Pick<QueryRequest, "consistency" | "stalenessMsMax"> {
  if (value === undefined) return { consistency: "strong" };
  const object = objectAt("consistency", value, "struct Consistency");
  const level = object.get("level");
  if (level === undefined) throw missingMember("consistency", "level");
  if (typeof level !== "string") {
    throw invalid("💔 consistency.level must be `strong` or `eventual`");
  }
  const consistency = variantAt("consistency.level", level, ["strong", "eventual"]);
  if (consistency === "eventual") return { consistency, stalenessMsMax: parseStaleness(object) };
  if (present(object, "max_staleness_seconds") === undefined) return { consistency };
  throw invalid(
    `💔 ${STALENESS} cannot be used with consistency.level strong, which sees every write; ` +
      "leave it out, or set the level to eventual",
  );
}

function parseStaleness(consistency: JsonObject): number {
  const value = present(consistency, "max_staleness_seconds");
  if (value === undefined) return STALENESS_SECONDS_DEFAULT * MS_PER_SECOND;
  const seconds = countAt(STALENESS, value);
  if (seconds <= STALENESS_SECONDS_MAX) return seconds * MS_PER_SECOND;
  throw invalid(`💔 ${STALENESS} must be between 0 and ${STALENESS_SECONDS_MAX}, got ${seconds}`);
}
