/**
 * One message over HTTP, and its answer: the official package serves the revision without sessions,
 * and the one before without keeping any.
 */

import type { McpServer } from "@modelcontextprotocol/server";
import type { ProtocolPackage } from "./mcp-servers.ts";

/** Containers within containers; filters of a query have a tenth. */
const DEPTH_MAX = 64;
/** Arrays and objects of a message; empty ones take twenty times their text in memory. */
const CONTAINERS_MAX = 50_000;
/** Members of an object: four times the attributes of a document. The package visits each. */
export const MCP_MEMBERS_MAX = 4096;
/** Characters of a tool's name, and of a message's own id, which answers repeat. */
const NAME_CHARS_MAX = 128;
/** Of JSON-RPC: the message is no JSON, or no request. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** A message as it came. */
export interface McpExchange {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** What goes back. */
export interface McpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Answers a message by a server of its own. Rejects for bugs. */
export async function answerMessage(
  protocol: ProtocolPackage,
  exchange: McpExchange,
  createServer: () => McpServer,
): Promise<McpAnswer> {
  const message = parseMessage(exchange.body);
  if ("fault" in message) return message.fault;
  const errors: Error[] = [];
  const handler = protocol.createMcpHandler(createServer, {
    // Nothing is told of by itself, so that no stream has to stay open.
    maxSubscriptions: 0,
    keepAliveMs: 0,
    onerror: (error) => errors.push(error),
  });
  const { signal } = exchange;
  const request = new Request("http://trawl/mcp", {
    method: "POST",
    headers: plainHeaders(exchange.headers),
    signal,
  });
  const response = await handler.fetch(request, { parsedBody: message.parsed });
  const body = Buffer.from(await response.arrayBuffer());
  await handler.close();
  if (response.status >= 500 && errors.length > 0) throw errors[0];
  const type = response.headers.get("content-type") ?? "application/json";
  return { status: response.status, headers: { "content-type": type }, body };
}

function parseMessage(
  body: Uint8Array,
): { readonly parsed: unknown } | { readonly fault: McpAnswer } {
  const shape = shapeFault(body);
  if (shape !== undefined) return { fault: rpcError(INVALID_REQUEST, shape) };
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch (error) {
    const reason = `the body is no JSON: ${(error as Error).message}`;
    return { fault: rpcError(PARSE_ERROR, reason) };
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    const reason = "the body must be one JSON-RPC message; send several in requests of their own";
    return { fault: rpcError(INVALID_REQUEST, reason) };
  }
  const reason = longName(parsed);
  return reason === undefined ? { parsed } : { fault: rpcError(INVALID_REQUEST, reason) };
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Bounds a message by its bytes, in a few nanoseconds each: to parse one of 90,000 members takes 70
 * ms, and to check it ten times as long, without a pause.
 */
function shapeFault(body: Uint8Array): string | undefined {
  const members = new Uint32Array(DEPTH_MAX + 1);
  const isObject = new Uint8Array(DEPTH_MAX + 1);
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = stringEnd(body, at + 1);
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > DEPTH_MAX) {
        return `the message has more than ${DEPTH_MAX} levels of arrays and objects`;
      }
      if (++containers > CONTAINERS_MAX) {
        return `the message has more than ${CONTAINERS_MAX} arrays and objects; send less at once`;
      }
      members[depth] = 1;
      isObject[depth] = byte === OPEN_OBJECT ? 1 : 0;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth = Math.max(0, depth - 1);
    } else if (byte === COMMA && isObject[depth] === 1 && ++members[depth] > MCP_MEMBERS_MAX) {
      return `an object of the message has more than ${MCP_MEMBERS_MAX} members; send less at once`;
    }
  }
  return undefined;
}

/** The end of the string whose first character is at `start`. */
function stringEnd(body: Uint8Array, start: number): number {
  let at = start;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** What an answer would repeat whole, however long it is. */
function longName(message: object): string | undefined {
  const { id, params } = message as { readonly id?: unknown; readonly params?: unknown };
  const { name } = (params ?? {}) as { readonly name?: unknown };
  for (const [what, text] of Object.entries({ id, "params.name": name })) {
    if (typeof text !== "string" || text.length <= NAME_CHARS_MAX) continue;
    return `\`${what}\` has ${text.length} characters; at most ${NAME_CHARS_MAX} are taken`;
  }
  return undefined;
}

function rpcError(code: number, message: string): McpAnswer {
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
  return {
    status: 400,
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode(body),
  };
}

function plainHeaders(headers: McpExchange["headers"]): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    // The body was read already, and may have been compressed.
    if (value === undefined || /^(?:content-(?:length|encoding)|authorization)$/.test(name))
      continue;
    plain[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return plain;
}
