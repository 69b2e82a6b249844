import { bodyText, jsonArgument } from "./argument-json.ts";
import { callResult } from "./call-result.ts";
import { CONFIRM_SCHEMA, confirmedNamespace } from "./confirmed-namespace.ts";
import type { McpTool } from "./mcp-tool.ts";
import { ToolFault } from "./mcp-tool.ts";
import { FILTERS_SCHEMA, NAMESPACE_SCHEMA } from "./query-arguments.ts";
import { shortenAnswer } from "./shorten-answer.ts";

/** Rows of one call: a model that writes more had better use `trawl import`. */
const ROWS_MAX = 1000;

/** Members of a call that have at most `ROWS_MAX` items each. */
const LIMITED = {
  upsert_rows: {
    type: ["array", "string"],
    maxItems: ROWS_MAX,
    description:
      "Documents to store as they are, each with its id; one of the same id is replaced.",
    examples: [[{ id: 1, title: "A walrus at sea", year: 1999 }]],
  },
  patch_rows: {
    type: ["array", "string"],
    maxItems: ROWS_MAX,
    description: "Attributes to change of documents that are there, each with its id.",
    examples: [[{ id: 1, year: 2000 }]],
  },
  deletes: {
    type: ["array", "string"],
    maxItems: ROWS_MAX,
    description: "Ids of documents to delete.",
    examples: [[1, 2]],
  },
} as const;

const CHANGES = {
  ...LIMITED,
  delete_by_filter: {
    ...FILTERS_SCHEMA,
    description: "Deletes all documents that match; filters as those of query.",
  },
} as const;

/** `write`: changes documents of one namespace. */
export const writeTool: McpTool = {
  name: "write",
  title: "Change documents",
  description:
    "Stores, changes or deletes documents of one namespace, all of it or nothing, and makes the " +
    "namespace if it is not there. Give at least one of upsert_rows, patch_rows, deletes and " +
    "delete_by_filter. Call describe_namespace first and keep to the types of its schema.",
  effect: "writes",
  schema: {
    type: "object",
    properties: {
      namespace: NAMESPACE_SCHEMA,
      confirm: CONFIRM_SCHEMA,
      ...CHANGES,
      schema: {
        type: ["object", "string"],
        description: "Types of new attributes, and which are searched: see search_docs.",
        examples: [{ title: { type: "string", full_text_search: true } }],
      },
      distance_metric: {
        type: "string",
        enum: ["cosine_distance", "euclidean_squared", "dot_product"],
        description: "Of a new namespace with vectors.",
      },
    },
    required: ["namespace", "confirm"],
    additionalProperties: false,
  },
  run: async (given, context) => {
    const namespace = confirmedNamespace(given);
    const names = [...Object.keys(CHANGES), "schema"];
    const members = names.map((name) => {
      const itemsMax = name in LIMITED ? ROWS_MAX : undefined;
      return [name, jsonArgument(given, name, { itemsMax })] as const;
    });
    if (members.every(([, json]) => json === undefined)) {
      throw new ToolFault(`there is nothing to write; give one of ${names.join(", ")}`);
    }
    const { distance_metric: metric } = given;
    const all = [...members, ["distance_metric", metric && JSON.stringify(metric)] as const];
    const body = bodyText(all as (readonly [string, string | undefined])[]);
    return shortenAnswer(await callResult(context, { operation: "write", namespace, body }), LESS);
  },
};

const LESS = "write less at once";
