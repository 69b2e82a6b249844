/** Assistants' side of tests: the official client, of either revision. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** Revisions of the protocol that the client can be held to. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

/** One of them. */
export type Revision = (typeof REVISIONS)[number];

/** What a call of a tool came to. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** A client that speaks this revision and no other; it is not connected. */
export function mcpClient(revision: Revision): Client {
  const mode = revision === "2025-11-25" ? ("legacy" as const) : { pin: revision };
  return new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
}

/** How a client comes to a server. */
export interface ConnectOptions {
  readonly revision?: Revision;
  readonly key?: string;
  /** Further ones of each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client that is connected to a server over HTTP. */
export async function connectMcp(
  url: string,
  { revision = "2026-07-28", key, headers: further }: ConnectOptions = {},
): Promise<Client> {
  const client = mcpClient(revision);
  const headers: Record<string, string> = {
    ...further,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }),
  );
  return client;
}

/** Calls a tool and reads its text. */
export async function callTool(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
): Promise<ToolResult> {
  const { content, isError = false } = await client.callTool({ name, arguments: given });
  const [only, ...others] = content;
  if (only?.type !== "text" || others.length > 0) throw new Error(JSON.stringify(content));
  return { text: only.text, isError };
}
