import { bodyText } from "./argument-json.ts";
import { callResult } from "./call-result.ts";
import type { McpTool } from "./mcp-tool.ts";
import { NAMESPACE_SCHEMA, QUERY_PROPERTIES, queryMembers } from "./query-arguments.ts";
import { shortenAnswer } from "./shorten-answer.ts";

/** `explain`: why a query takes what it takes. */
export const explainTool: McpTool = {
  name: "explain",
  title: "Explain a query",
  description:
    "Shows how a query would be answered: which indexes it uses and what it looks at. With " +
    "analyze it is run, and where its time went is shown, too. Takes what query takes; use it " +
    "where a query is slow or finds too little.",
  effect: "reads",
  schema: {
    type: "object",
    properties: {
      namespace: NAMESPACE_SCHEMA,
      analyze: {
        type: "boolean",
        default: false,
        description: "Whether the query is run, and its work counted.",
      },
      ...QUERY_PROPERTIES,
    },
    required: ["namespace"],
    additionalProperties: false,
  },
  run: async ({ namespace, analyze = false, ...given }, context) => {
    const body = bodyText([...queryMembers(given), ["analyze", String(analyze)]]);
    const asked = { operation: "explain", namespace: String(namespace), body } as const;
    return shortenAnswer(await callResult(context, asked), "explain a simpler query");
  },
};
