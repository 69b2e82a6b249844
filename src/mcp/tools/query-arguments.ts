/** What a query is asked for with, as `query` and `explain` take it. */

import { jsonArgument } from "./argument-json.ts";
import type { ToolArguments } from "./mcp-tool.ts";

/** Documents of one answer: more than a model reads. */
const TOP_K_MAX = 100;
const TOP_K_DEFAULT = 10;

/** The argument that names a namespace. */
export const NAMESPACE_SCHEMA = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "Name of the namespace, as trawl_list_namespaces lists it.",
  examples: ["books"],
} as const;

/** Filters, as queries and measurements take them. */
export const FILTERS_SCHEMA = {
  type: ["array", "string"],
  description:
    'Only documents that match: [attribute, operator, value], or ["And" | "Or", [filter, …]], ' +
    '["Not", filter]. Operators: Eq, NotEq, In, NotIn, Lt, Lte, Gt, Gte, Contains, ContainsAny, ' +
    "Glob, IGlob, Regex, ContainsAllTokens. As JSON, or as JSON text where integers are beyond " +
    "2^53.",
  examples: [
    ["year", "Gte", 1999],
    [
      "And",
      [
        ["year", "Lt", 2000],
        ["tags", "Contains", "sea"],
      ],
    ],
  ],
} as const;

/** The schema's properties, beside the namespace. */
export const QUERY_PROPERTIES = {
  rank_by: {
    type: ["array", "string"],
    description:
      'What ranks the documents: [attribute, "BM25", words] for full text, [attribute, "ANN", ' +
      '[numbers]] for the nearest vectors, [attribute, "ANN", ["Embed", text]] where the schema ' +
      'embeds the attribute, [attribute, "asc" | "desc"] for an order, ["Sum", [ranking, …]] for ' +
      "several BM25 rankings. describe_namespace says which attributes have which.",
    examples: [
      ["title", "BM25", "walrus at sea"],
      ["year", "desc"],
      ["vector", "ANN", ["Embed", "animals of the ocean"]],
    ],
  },
  filters: FILTERS_SCHEMA,
  top_k: {
    type: "integer",
    minimum: 1,
    maximum: TOP_K_MAX,
    default: TOP_K_DEFAULT,
    description: `How many documents come back, ${TOP_K_MAX} at most.`,
  },
  offset: {
    type: "integer",
    minimum: 0,
    maximum: 9_999,
    description: "How many of the best are left out, to see those that follow.",
  },
  include_attributes: {
    type: ["array", "boolean", "string"],
    description: "Names of the attributes to return; true for all, which is the default.",
    examples: [["title", "year"], true],
  },
  exclude_attributes: {
    type: ["array", "string"],
    description: "Names of attributes to leave out, such as long texts, instead of the others.",
    examples: [["body"]],
  },
  aggregate_by: {
    type: ["object", "string"],
    description:
      'Counts and sums of all that matches instead of documents: {name: ["Count"]} or {name: ' +
      '["Sum", attribute]}; give no rank_by with it.',
    examples: [{ books: ["Count"] }],
  },
  group_by: {
    type: ["array", "string"],
    description: "Names of the attributes whose values make the groups of aggregate_by.",
    examples: [["year"]],
  },
  queries: {
    type: ["array", "string"],
    description:
      "Several queries in one, up to 16, instead of the arguments above: objects with rank_by, " +
      'filters, limit, …; with rerank_by their rankings are merged, as ["RRF"] does.',
    examples: [
      [
        { rank_by: ["title", "BM25", "walrus"], top_k: 20, include_attributes: ["title"] },
        { rank_by: ["vector", "ANN", [0.1, 0.9]], top_k: 20, include_attributes: ["title"] },
      ],
    ],
  },
  rerank_by: {
    type: ["array", "object", "string"],
    description: "How the rankings of `queries` become one.",
    examples: [["RRF"]],
  },
} as const;

/** The members of a query's body, in JSON. */
export function queryMembers(
  given: ToolArguments,
): (readonly [name: string, json: string | undefined])[] {
  const { top_k: _, ...rest } = QUERY_PROPERTIES;
  const names = Object.keys(rest);
  return [
    ...names.map((name) => [name, jsonArgument(given, name)] as const),
    ["limit", limitOf(given)],
    ...(returnsAll(given) ? [["include_attributes", "true"] as const] : []),
  ];
}

function limitOf(given: ToolArguments): string | undefined {
  if (given.top_k !== undefined) return String(given.top_k);
  const isOneRanking = given.queries === undefined || given.rerank_by !== undefined;
  return isOneRanking && given.aggregate_by === undefined ? String(TOP_K_DEFAULT) : undefined;
}

function returnsAll(given: ToolArguments): boolean {
  const settled = ["queries", "aggregate_by", "include_attributes", "exclude_attributes"];
  return settled.every((name) => given[name] === undefined);
}
