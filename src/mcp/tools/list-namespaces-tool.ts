import { callResult } from "./call-result.ts";
import type { McpTool } from "./mcp-tool.ts";
import { shortenAnswer } from "./shorten-answer.ts";

const PAGE_SIZE_DEFAULT = 100;
/** Names of 128 characters, so many of them, fit the result. */
const PAGE_SIZE_MAX = 200;

/** `trawl_list_namespaces`: what there is to search. */
export const listNamespacesTool: McpTool = {
  name: "trawl_list_namespaces",
  title: "List namespaces",
  description:
    "Lists the namespaces of this Trawl server, each a set of documents to search, by name. " +
    "Begin here, then call describe_namespace for one of them. Where `next_cursor` is not null " +
    "there are more: pass it as `cursor`.",
  effect: "reads",
  schema: {
    type: "object",
    properties: {
      prefix: {
        type: "string",
        maxLength: 128,
        description: "Lists only names that begin with this.",
        examples: ["bo"],
      },
      cursor: {
        type: "string",
        maxLength: 1024,
        description: "`next_cursor` of the page before.",
      },
      page_size: {
        type: "integer",
        minimum: 1,
        maximum: PAGE_SIZE_MAX,
        default: PAGE_SIZE_DEFAULT,
        description: "How many names come at once.",
      },
    },
    additionalProperties: false,
  },
  run: async ({ prefix, cursor, page_size = PAGE_SIZE_DEFAULT }, context) => {
    const parameters = {
      page_size: String(page_size),
      ...(prefix !== undefined && { prefix: String(prefix) }),
      ...(cursor !== undefined && { cursor: String(cursor) }),
    };
    const body = await callResult(context, { operation: "list_namespaces", parameters });
    return shortenAnswer(body, "ask with a longer prefix or a smaller page_size");
  },
};
