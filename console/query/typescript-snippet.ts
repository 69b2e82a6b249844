import { isList, isMembers, type Json, type JsonMembers } from "./json-value.ts";
import { type Dialect, printLiteral } from "./print-literal.ts";
import { isMultiQuery, type RequestPlace } from "./request-place.ts";

/**
 * The request as a program for the official client `@turbopuffer/turbopuffer`. Integers beyond 2^53
 * are written by `JSON.rawJSON`, since the client sends what JSON.stringify makes.
 */
export function typescriptSnippet(body: JsonMembers, place: RequestPlace): string {
  const isMulti = isMultiQuery(body);
  const call = isMulti ? "multiQuery" : "query";
  const literal = printLiteral(body, DIALECT);
  const cast = knowsAll(body, isMulti) ? "" : ` as Parameters<typeof namespace.${call}>[0]`;
  const result = isMulti ? "results" : isMembers(body.aggregate_by) ? aggregates(body) : "rows";
  return [
    'import Turbopuffer from "@turbopuffer/turbopuffer";',
    "",
    "const client = new Turbopuffer({",
    `  baseURL: ${JSON.stringify(place.baseUrl)},`,
    '  apiKey: process.env.TURBOPUFFER_API_KEY ?? "unused",',
    "});",
    `const namespace = client.namespace(${JSON.stringify(place.namespace)});`,
    ...(hasLargeIntegers(body)
      ? [
          "// Integers beyond 2^53 are sent exactly; those of answers this client rounds.",
          "const exact = (digits: string) => (JSON as any).rawJSON(digits);",
        ]
      : []),
    `const answer = await namespace.${call}(${literal}${cast});`,
    `console.dir(answer.${result}, { depth: null });`,
    "",
  ].join("\n");
}

const DIALECT: Dialect = {
  scalar: (value) => (typeof value === "bigint" ? `exact("${value}")` : JSON.stringify(value)),
  name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? `${name}: ` : `${JSON.stringify(name)}: `),
  indent: "  ",
  trailingComma: true,
};

/** Members that the types of the client know; others need a cast, and are sent all the same. */
const QUERY_MEMBERS = new Set([
  "rank_by",
  "top_k",
  "limit",
  "filters",
  "include_attributes",
  "exclude_attributes",
  "compute_attributes",
  "aggregate_by",
  "group_by",
  "consistency",
  "vector_encoding",
  "distance_metric",
]);
const MULTI_MEMBERS = new Set(["queries", "rerank_by", "consistency", "vector_encoding"]);

function knowsAll(body: JsonMembers, isMulti: boolean): boolean {
  if (hasLargeIntegers(body)) return false;
  const known = isMulti ? MULTI_MEMBERS : QUERY_MEMBERS;
  const queries = isList(body.queries) ? body.queries.filter(isMembers) : [];
  return (
    Object.keys(body).every((name) => known.has(name)) &&
    queries.every((query) => Object.keys(query).every((name) => QUERY_MEMBERS.has(name)))
  );
}

function aggregates(body: JsonMembers): string {
  return isList(body.group_by) && body.group_by.length > 0 ? "aggregation_groups" : "aggregations";
}

function hasLargeIntegers(value: Json): boolean {
  if (typeof value === "bigint") return true;
  if (isList(value)) return value.some(hasLargeIntegers);
  return isMembers(value) && Object.values(value).some(hasLargeIntegers);
}
