/** All tools, in the order in which they are listed: what is needed first comes first. */

import { deleteNamespaceTool } from "./tools/delete-namespace-tool.ts";
import { describeNamespaceTool } from "./tools/describe-namespace-tool.ts";
import { explainTool } from "./tools/explain-tool.ts";
import { listNamespacesTool } from "./tools/list-namespaces-tool.ts";
import type { McpTool } from "./tools/mcp-tool.ts";
import { queryTool } from "./tools/query-tool.ts";
import { recallTool } from "./tools/recall-tool.ts";
import { searchDocsTool } from "./tools/search-docs-tool.ts";
import { writeTool } from "./tools/write-tool.ts";

const READING_TOOLS: readonly McpTool[] = [
  listNamespacesTool,
  describeNamespaceTool,
  queryTool,
  explainTool,
  recallTool,
  searchDocsTool,
];

const WRITING_TOOLS: readonly McpTool[] = [writeTool, deleteNamespaceTool];

/** The tools that are offered; those that change data where `writes` says so. */
export function offeredTools({ writes }: { readonly writes: boolean }): readonly McpTool[] {
  return writes ? [...READING_TOOLS, ...WRITING_TOOLS] : READING_TOOLS;
}
