import { clip } from "../../base/bounded-text.ts";
import type { DocsPiece } from "../docs/docs-piece.ts";
import type { McpTool } from "./mcp-tool.ts";

const PIECES_DEFAULT = 3;
/** So many pieces fit a result. */
const PIECES_MAX = 8;

/** `search_docs`: how to use Trawl, from the pages that came with it. */
export const searchDocsTool: McpTool = {
  name: "search_docs",
  title: "Search Trawl's documentation",
  description:
    "Finds pieces of Trawl's own documentation: settings, commands, operators of filters, " +
    "limits, error messages, backups, keys. It knows nothing of the documents that are " +
    "stored: those are found with query.",
  effect: "reads",
  schema: {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 1000,
        description: "Words to look for.",
        examples: ["create an API key that can only read"],
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: PIECES_MAX,
        default: PIECES_DEFAULT,
        description: "How many pieces come back.",
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  run: async ({ query, limit = PIECES_DEFAULT }, { docs }) => {
    const pieces = (await docs()).search(String(query), Number(limit));
    if (pieces.length > 0) return pieces.map(pieceText).join("\n\n");
    const words = clip(String(query));
    return `No page has any of these words: ${words}. Try others, such as the name of a setting.`;
  },
};

function pieceText({ path, headings, text }: DocsPiece): string {
  return `[${path}] ${headings.join(" › ")}\n${text}`;
}
