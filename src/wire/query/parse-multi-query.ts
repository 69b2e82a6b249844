/** `queries` and `rerank_by`: several queries over one snapshot, maybe made into one ranking. */

import { clip } from "../../base/bounded-text.ts";
import { invalid, malformed } from "../../base/errors.ts";
import { SUBQUERIES_MAX } from "../../model/contract-limits.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type { Fusion, ModelRerank, Query } from "../../model/query.ts";
import {
  arrayAt,
  countAt,
  elementsOf,
  memberPath,
  numberAt,
  objectAt,
  present,
} from "../json/json-shape.ts";
import { parseRerankedWindow } from "./parse-limits.ts";
import { parseModelRerank } from "./parse-rerank.ts";

/** Rank constant of reciprocal rank fusion unless given (wire contract). */
export const RANK_CONSTANT_DEFAULT = 60;

/** Members of a single query that mean nothing beside `queries`. */
const QUERY_MEMBERS = [
  "rank_by",
  "filters",
  "include_attributes",
  "exclude_attributes",
  "compute_attributes",
  "aggregate_by",
  "group_by",
] as const;
/** Members that only the root may have. */
const ROOT_MEMBERS = ["vector_encoding", "consistency", "queries", "rerank_by"] as const;

/** Reads the subqueries with `parseOne`, and how they are fused. */
export function parseMultiQuery(
  root: JsonObject,
  value: JsonValue,
  parseOne: (path: string, query: JsonObject) => Query,
): { queries: Query[]; fusion: Fusion | undefined; rerank: ModelRerank | undefined } {
  const elements = arrayAt("queries", value);
  if (elements.length < 1 || elements.length > SUBQUERIES_MAX) {
    throw invalid(
      `💔 queries must have between 1 and ${SUBQUERIES_MAX} elements, got ${elements.length}`,
    );
  }
  for (const name of QUERY_MEMBERS) {
    if (present(root, name) === undefined) continue;
    throw invalid(`💔 ${name} cannot be used beside queries; set it in each subquery`);
  }
  const queries = elements.map((element, i) => {
    const path = `queries[${i}]`;
    const query = objectAt(path, element, "a query object");
    for (const name of ROOT_MEMBERS) {
      if (present(query, name) === undefined) continue;
      throw invalid(`💔 ${memberPath(path, name)}: can only be set at the root of the request`);
    }
    return parseOne(path, query);
  });
  const rerank = present(root, "rerank_by");
  if (present(root, "offset") !== undefined) checkOffset(root);
  if (rerank instanceof Map) {
    return { queries, fusion: undefined, rerank: parseModelRerank(root, rerank, queries) };
  }
  const fusion = rerank === undefined ? undefined : parseFusion(root, rerank, queries);
  return { queries, fusion, rerank: undefined };
}

/** Documents can only be skipped in one ranking, of which a window is asked for. */
function checkOffset(root: JsonObject): void {
  const hasLimit = ["limit", "top_k"].some((name) => present(root, name) !== undefined);
  if (hasLimit && present(root, "rerank_by") !== undefined) return;
  throw invalid(
    "💔 offset beside queries requires rerank_by and limit; to skip documents of one query, set " +
      "offset in that query",
  );
}

/** `["RRF"]` or `["RRF", {rank_constant?, weights?}]`. */
function parseFusion(root: JsonObject, value: JsonValue, queries: readonly Query[]): Fusion {
  const elements = elementsOf(value);
  if (elements === undefined || elements[0] !== "RRF" || elements.length > 2) {
    throw malformed(
      "rerank_by",
      'expected ["RRF"] or ["RRF", {"rank_constant": 60}], or {"model", "attribute", "query"}',
    );
  }
  if (queries.length < 2) throw invalid("💔 rerank_by requires at least two subqueries");
  if (queries.some((query) => query.kind === "aggregate")) {
    throw invalid("💔 rerank_by cannot be used with subqueries that aggregate");
  }
  const options = objectAt("rerank_by[1]", elements[1] ?? new Map<string, JsonValue>());
  const rankConstant = options.get("rank_constant") ?? BigInt(RANK_CONSTANT_DEFAULT);
  if (typeof rankConstant === "bigint" && rankConstant < 1n) {
    throw invalid(
      "💔 rerank_by[1].rank_constant must be an integer greater than 0, got " +
        clip(String(rankConstant)),
    );
  }
  return {
    rankConstant: countAt("rerank_by[1].rank_constant", rankConstant),
    weights: parseWeights(options.get("weights") ?? undefined, queries.length),
    ...parseRerankedWindow(root),
  };
}

function parseWeights(value: JsonValue | undefined, queryCount: number): number[] {
  if (value === undefined) return new Array<number>(queryCount).fill(1);
  const path = "rerank_by[1].weights";
  const elements = arrayAt(path, value);
  if (elements.length !== queryCount) {
    throw invalid(
      `💔 ${path} must have one weight for each of the ${queryCount} subqueries, ` +
        `got ${elements.length}`,
    );
  }
  const weights = elements.map((weight, i) => numberAt(`${path}[${i}]`, weight));
  for (const [i, weight] of weights.entries()) {
    if (!(weight > 0)) throw invalid(`💔 ${path}[${i}] must be greater than 0, got ${weight}`);
  }
  return weights;
}
