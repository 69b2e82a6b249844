import { bodyText, jsonArgument } from "./argument-json.ts";
import { callResult } from "./call-result.ts";
import type { McpTool } from "./mcp-tool.ts";
import { FILTERS_SCHEMA, NAMESPACE_SCHEMA } from "./query-arguments.ts";
import { shortenAnswer } from "./shorten-answer.ts";

/** Queries of one measurement: each is answered exactly as well, which reads all vectors. */
const SAMPLES_MAX = 100;
const NEIGHBOURS_MAX = 100;

/** `recall`: how good approximate searches are on these data. */
export const recallTool: McpTool = {
  name: "recall",
  title: "Measure recall",
  description:
    "Measures what approximate vector searches (ANN) find of what exact ones find, with stored " +
    "vectors as queries. avg_recall 1 is all. It takes a while on large namespaces: use it where " +
    "vector searches seem to miss documents, not before each query.",
  effect: "reads",
  schema: {
    type: "object",
    properties: {
      namespace: NAMESPACE_SCHEMA,
      num: {
        type: "integer",
        minimum: 1,
        maximum: SAMPLES_MAX,
        default: 25,
        description: "How many stored vectors are queries.",
      },
      top_k: {
        type: "integer",
        minimum: 1,
        maximum: NEIGHBOURS_MAX,
        default: 10,
        description: "How many neighbours of each are compared.",
      },
      filters: FILTERS_SCHEMA,
    },
    required: ["namespace"],
    additionalProperties: false,
  },
  run: async ({ namespace, ...given }, context) => {
    const names = ["num", "top_k", "filters"];
    const body = bodyText(names.map((name) => [name, jsonArgument(given, name)]));
    const asked = { operation: "recall", namespace: String(namespace), body } as const;
    return shortenAnswer(await callResult(context, asked), "lower num");
  },
};
