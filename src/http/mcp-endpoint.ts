/**
 * `/mcp`: assistants' messages, answered by tools that ask this server as any client would, with
 * the key that came with the message. What they ask for is checked, limited, logged, counted and
 * audited like all else, under the message's own request id.
 */

import type { Caller } from "../access/caller.ts";
import { answerPieces, type HttpAnswer } from "../api/engine.ts";
import type { Clock } from "../base/clock.ts";
import { openDocs } from "../mcp/docs/open-docs.ts";
import { answerMessage } from "../mcp/mcp-exchange.ts";
import { McpServers, type ProtocolPackage } from "../mcp/mcp-servers.ts";
import type { CallOutcome, ServerCall } from "../mcp/tools/server-calls.ts";
import type { ApiRequest } from "./api-handler.ts";
import { innerMessage } from "./bodies/request-message.ts";
import type { ApiOutcome } from "./observability/api-outcome.ts";
import type { HttpLog } from "./observability/request-log.ts";
import { operationAddress } from "./routes/routes.ts";

/** What the endpoint works with. */
export interface McpEndpointOptions {
  /** Tools that change data are offered to keys that may. */
  readonly writes: boolean;
  readonly version: string;
  readonly clock: Clock;
  readonly log: HttpLog;
  /** Answers a request that a tool makes. */
  readonly handle: (request: ApiRequest) => Promise<ApiOutcome>;
  /** The trace of such a request below the message's. */
  readonly traceBelow: (outer: ApiRequest) => ApiRequest["trace"];
  /** Hears of each of these that is over. */
  readonly noteEnd: (request: ApiRequest, outcome: ApiOutcome, ms: number) => void;
}

/** See the file's head. */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  #opened: Promise<{ protocol: ProtocolPackage; servers: McpServers }> | undefined;

  constructor(options: McpEndpointOptions) {
    this.#options = options;
  }

  /** Answers a message whose caller is known. */
  async answer(request: ApiRequest, caller: Caller, body: Uint8Array): Promise<HttpAnswer> {
    const { protocol, servers } = await this.#open();
    const { signal, message } = request;
    const writes = this.#options.writes && mayWrite(caller);
    return answerMessage(protocol, { headers: message.headers, body, signal }, () =>
      servers.create({ writes, call: (call) => this.#call(request, call) }),
    );
  }

  /** The official package is large: it is loaded when the first message comes. */
  #open(): Promise<{ protocol: ProtocolPackage; servers: McpServers }> {
    this.#opened ??= this.#load().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #load(): Promise<{ protocol: ProtocolPackage; servers: McpServers }> {
    const { version, log } = this.#options;
    const protocol = await import("../mcp/protocol-package.ts");
    const onBug = (error: unknown) =>
      log("error", "a tool failed by a bug", { error: (error as Error).stack ?? String(error) });
    return { protocol, servers: new McpServers({ protocol, version, openDocs, onBug }) };
  }

  async #call(outer: ApiRequest, call: ServerCall): Promise<CallOutcome> {
    const { clock, handle, noteEnd } = this.#options;
    const { method, path, match } = operationAddress(call.operation, call.namespace);
    const startMs = clock.monotonicMs();
    const request: ApiRequest = {
      ...outer,
      message: innerMessage(outer.message, { method, body: call.body }),
      match,
      path,
      query: new URLSearchParams(call.parameters).toString(),
      beforeBody: () => {},
      signal: AbortSignal.any([outer.signal, call.signal]),
      arrivedMs: startMs,
      trace: this.#options.traceBelow(outer),
    };
    const outcome = await handle(request);
    noteEnd(request, outcome, clock.monotonicMs() - startMs);
    call.signal.throwIfAborted();
    return outcomeOf(outcome.answer);
  }
}

/** Whether tools that change data are of use to a caller. */
function mayWrite(caller: Caller): boolean {
  if (caller.kind === "anyone") return true;
  const { actions } = caller.key;
  return caller.kind === "key" && (actions.includes("write") || actions.includes("admin"));
}

function outcomeOf(answer: HttpAnswer): CallOutcome {
  const { status, headers } = answer;
  const body = Buffer.concat(answerPieces(answer));
  if (status === 200) return { kind: "served", body };
  const retryMs = headers["retry-after-ms"];
  const retry =
    retryMs === undefined ? "" : `; try again in ${Math.ceil(Number(retryMs) / 1000)} s`;
  return { kind: "refused", message: `${messageOf(body.toString("utf8"))}${retry}` };
}

/** The API's words; a bad name in a URL is the one error that is plain text. */
function messageOf(text: string): string {
  if (!text.startsWith("{")) return text;
  return String((JSON.parse(text) as { readonly error?: unknown }).error);
}
