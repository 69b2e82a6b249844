/** Requests that say the same in one form, so that they can be compared. */

import { isList, isMembers, type Json, type JsonMembers } from "./json-value.ts";

/**
 * The request without what says nothing: members that are null, the other spellings of a limit, the
 * strong consistency that holds anyway, and groups of one filter.
 */
export function normalRequest(request: JsonMembers): JsonMembers {
  const members = Object.entries(request).filter(([, value]) => value !== null);
  const normal: Record<string, Json> = Object.fromEntries(members);
  const isFused = isList(normal.queries);
  normalizeLimit(normal, isFused ? "limit" : "top_k");
  if ("filters" in normal) setFilter(normal, normalFilter(normal.filters));
  if (isList(normal.queries)) {
    normal.queries = normal.queries.map((query) =>
      isMembers(query) ? normalRequest(query) : query,
    );
  }
  if (normal.include_attributes === false) delete normal.include_attributes;
  if (normal.offset === 0) delete normal.offset;
  if (isList(normal.rank_by)) normal.rank_by = normalRank(normal.rank_by);
  if (isList(normal.rerank_by)) normal.rerank_by = normalFusion(normal.rerank_by);
  const { consistency } = normal;
  if (isMembers(consistency) && consistency.level === "strong") delete normal.consistency;
  return normal;
}

/** `limit`, `top_k` and `{"total": n}` mean the same. */
function normalizeLimit(request: Record<string, Json>, name: "limit" | "top_k"): void {
  const other = name === "limit" ? "top_k" : "limit";
  let value = request[name] ?? request[other];
  if (isMembers(value) && Object.keys(value).join() === "total") value = value.total;
  if (value === undefined) return;
  if (name in request && other in request) {
    const [bound, total] = [request.limit, request.top_k];
    if (!isMembers(bound) || bound.total !== total) return;
    value = bound;
  }
  delete request[other];
  request[name] = value;
}

function setFilter(request: Record<string, Json>, filter: Json | undefined): void {
  if (filter === undefined) delete request.filters;
  else request.filters = filter;
}

/** Undefined: everything matches. */
function normalFilter(filter: Json): Json | undefined {
  if (!isList(filter)) return filter;
  const [head, body] = filter;
  if (head === "Not" && filter.length === 2) return ["Not", normalFilter(body) ?? body];
  if ((head !== "And" && head !== "Or") || !isList(body) || filter.length !== 2) return filter;
  if (head === "And" && body.length === 0) return undefined;
  const parts = body.map((part) => normalFilter(part) ?? part);
  return parts.length === 1 ? parts[0] : [head, parts];
}

/** An order by one key may be nested; the weight of a product may stand second. */
function normalRank(rank: readonly Json[]): readonly Json[] {
  const [head, second, third] = rank;
  if (rank.length === 1 && isList(head)) return head;
  if (head === "Product" && isList(second) && !isList(third)) return [head, third, second];
  if ((head === "Sum" || head === "Max") && isList(second)) {
    return [head, second.map((clause) => (isList(clause) ? normalRank(clause) : clause))];
  }
  return rank;
}

function normalFusion([head, options, ...rest]: readonly Json[]): readonly Json[] {
  if (!isMembers(options)) return [head, ...(options === undefined ? [] : [options]), ...rest];
  const kept = Object.entries(options).filter(([name, value]) => {
    if (name === "weights") return !isList(value) || value.some((weight) => weight !== 1);
    return !(name === "rank_constant" && value === 60);
  });
  return kept.length === 0 ? [head] : [head, Object.fromEntries(kept), ...rest];
}
