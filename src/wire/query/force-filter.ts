import type { Filter } from "../../model/filter.ts";
import type { Query, QueryRequest } from "../../model/query.ts";
import { parseJson } from "../json/json-reader.ts";
import { parseFilter } from "./parse-filter.ts";

/**
 * Joins a filter to those of a request: all its queries, of whatever kind, find and count only
 * documents that meet it. `filter` is JSON as a key's holder has signed it; faults name it.
 */
export function forceFilter(request: QueryRequest, filter: string): QueryRequest {
  const forced = parseForcedFilter(filter);
  return { ...request, queries: request.queries.map((query) => narrowed(query, forced)) };
}

/** Reads the JSON of a filter that is to be forced; throws what is wrong with it. */
export function parseForcedFilter(filter: string): Filter {
  return parseFilter("the token's filter", parseJson(Buffer.from(filter)));
}

function narrowed(query: Query, forced: Filter): Query {
  const filters = query.filter === undefined ? [forced] : [forced, query.filter];
  return { ...query, filter: { kind: "and", filters } };
}
