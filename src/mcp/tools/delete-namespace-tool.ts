import { callResult } from "./call-result.ts";
import { CONFIRM_SCHEMA, confirmedNamespace } from "./confirmed-namespace.ts";
import type { McpTool } from "./mcp-tool.ts";
import { NAMESPACE_SCHEMA } from "./query-arguments.ts";
import { shortenAnswer } from "./shorten-answer.ts";

/** `delete_namespace`: removes one with all its documents. */
export const deleteNamespaceTool: McpTool = {
  name: "delete_namespace",
  title: "Delete a namespace",
  description:
    "Deletes a namespace with all its documents. This cannot be undone without a backup or a " +
    "checkpoint: never call it unless your user has asked for this namespace to be deleted.",
  effect: "deletes",
  schema: {
    type: "object",
    properties: { namespace: NAMESPACE_SCHEMA, confirm: CONFIRM_SCHEMA },
    required: ["namespace", "confirm"],
    additionalProperties: false,
  },
  run: async (given, context) => {
    const asked = { operation: "delete_namespace", namespace: confirmedNamespace(given) } as const;
    return shortenAnswer(await callResult(context, asked), "look at the namespace's name");
  },
};
