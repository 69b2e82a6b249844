import { type ToolContext, ToolFault } from "./mcp-tool.ts";
import type { ServerCall } from "./server-calls.ts";

/** Makes a request and returns its answer's body. Throws `ToolFault` in the server's own words. */
export async function callResult(
  { call, signal }: ToolContext,
  request: Omit<ServerCall, "signal">,
): Promise<Uint8Array> {
  const outcome = await call({ ...request, signal });
  if (outcome.kind === "served") return outcome.body;
  throw new ToolFault(outcome.message);
}
