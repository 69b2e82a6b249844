import { callResult } from "./call-result.ts";
import type { McpTool } from "./mcp-tool.ts";
import { NAMESPACE_SCHEMA } from "./query-arguments.ts";
import { shortenAnswer } from "./shorten-answer.ts";

/** `describe_namespace`: what a query can ask of it. */
export const describeNamespaceTool: McpTool = {
  name: "describe_namespace",
  title: "Describe a namespace",
  description:
    "Tells how many documents a namespace has, how far they are indexed, and its schema: the " +
    "attributes with their types. In it, `full_text_search` marks attributes for BM25, `ann` " +
    "those for ANN, `embed` vectors that are made of another attribute's text, `filterable` " +
    "those for filters. Call it before the first query of a namespace.",
  effect: "reads",
  schema: {
    type: "object",
    properties: { namespace: NAMESPACE_SCHEMA },
    required: ["namespace"],
    additionalProperties: false,
  },
  run: async ({ namespace }, context) => {
    const asked = { operation: "get_metadata", namespace: String(namespace) } as const;
    return shortenAnswer(
      await callResult(context, asked),
      "query the namespace with top_k 1 and see which attributes its documents have",
    );
  },
};
