import type { JsonValue } from "../../model/json-value.ts";
import { bodyText } from "./argument-json.ts";
import { callResult } from "./call-result.ts";
import type { McpTool } from "./mcp-tool.ts";
import { NAMESPACE_SCHEMA, QUERY_PROPERTIES, queryMembers } from "./query-arguments.ts";
import { shortenAnswer } from "./shorten-answer.ts";

/** What programs read of an answer, and models do not. */
const LEFT_OUT = new Set(["billing", "performance"]);

/** `query`: the search itself. */
export const queryTool: McpTool = {
  name: "query",
  title: "Search documents",
  description:
    "Searches one namespace by words, by vectors, by both, by filters alone, or counts what " +
    "matches. Answers {rows: [{id, attributes, $dist}]}, the best first: of BM25 a higher " +
    "`$dist` is better, of vectors a lower one. Vectors in rows are shown by their first " +
    "numbers. Name the attributes that you need in include_attributes, since long rows are cut.",
  effect: "reads",
  schema: {
    type: "object",
    properties: { namespace: NAMESPACE_SCHEMA, ...QUERY_PROPERTIES },
    required: ["namespace"],
    additionalProperties: false,
  },
  run: async ({ namespace, ...given }, context) => {
    const body = bodyText(queryMembers(given));
    const asked = { operation: "query", namespace: String(namespace), body } as const;
    return shortenAnswer(await callResult(context, asked), LESS, withoutStats);
  },
};

const LESS =
  "name only the attributes that you need in include_attributes, lower top_k, or page with offset";

function withoutStats(answer: JsonValue): JsonValue {
  if (!(answer instanceof Map)) return answer;
  return new Map([...answer].filter(([name]) => !LEFT_OUT.has(name)));
}
