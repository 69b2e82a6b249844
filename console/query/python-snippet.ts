import { isList, type JsonMembers } from "./json-value.ts";
import { type Dialect, printLiteral } from "./print-literal.ts";
import { isMultiQuery, type RequestPlace } from "./request-place.ts";

/** The request as a program for the official client `turbopuffer` of Python. */
export function pythonSnippet(body: JsonMembers, place: RequestPlace): string {
  const isMulti = isMultiQuery(body);
  const known = isMulti ? MULTI_ARGUMENTS : QUERY_ARGUMENTS;
  const members = Object.entries(body);
  const lines = members
    .filter(([name]) => known.has(name))
    .map(([name, value]) => `${DIALECT.indent}${name}=${literalAt(name, value)},`);
  const further = members.filter(([name]) => !known.has(name));
  if (further.length > 0) {
    const rest = Object.fromEntries(further);
    lines.push(`${DIALECT.indent}extra_body=${literalAt("extra_body", rest)},`);
  }
  const isGrouped = isList(body.group_by) && body.group_by.length > 0;
  const aggregates = isGrouped ? "aggregation_groups" : "aggregations";
  const result = isMulti ? "results" : "aggregate_by" in body ? aggregates : "rows";
  return [
    "import os",
    "",
    "from turbopuffer import Turbopuffer",
    "",
    "client = Turbopuffer(",
    `    base_url=${JSON.stringify(place.baseUrl)},`,
    '    api_key=os.environ.get("TURBOPUFFER_API_KEY", "unused"),',
    ")",
    `namespace = client.namespace(${JSON.stringify(place.namespace)})`,
    `answer = namespace.${isMulti ? "multi_query" : "query"}(`,
    ...lines,
    ")",
    `print(answer.${result})`,
    "",
  ].join("\n");
}

function literalAt(name: string, value: JsonMembers[string]): string {
  return printLiteral(value, DIALECT, 1, name.length + 2);
}

/** JSON's string literals are Python's, too. */
const DIALECT: Dialect = {
  scalar: (value) => {
    if (value === null) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    return typeof value === "string" ? JSON.stringify(value) : String(value);
  },
  name: (name) => `${JSON.stringify(name)}: `,
  indent: "    ",
  trailingComma: true,
};

/** Arguments of the client's two calls; what it does not know goes into the body as it is. */
const QUERY_ARGUMENTS = new Set([
  "aggregate_by",
  "compute_attributes",
  "consistency",
  "distance_metric",
  "exclude_attributes",
  "filters",
  "group_by",
  "include_attributes",
  "limit",
  "offset",
  "rank_by",
  "rerank_by",
  "top_k",
  "vector_encoding",
]);
const MULTI_ARGUMENTS = new Set([
  "consistency",
  "limit",
  "offset",
  "queries",
  "rerank_by",
  "vector_encoding",
]);
