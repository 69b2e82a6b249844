/**
 * A proxy before a real service that fails on purpose: what a network and a service under load do
 * to requests, with the service's own semantics behind it.
 */

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "../../../src/base/random.ts";
import { answerError } from "./scripted-s3.ts";

/** Probability of each fault, by request; those of one request exclude each other. */
export interface ProxyFaults {
  /** The connection breaks before the service hears of the request. */
  readonly lost: number;
  /** 500 before the service hears of it. */
  readonly failed: number;
  /** The service asks for fewer requests. */
  readonly throttled: number;
  /** The service does as asked, and its answer is lost. */
  readonly answerLost: number;
  /** The service does as asked, and says 500. */
  readonly answerFailed: number;
  /** The answer's body is cut in half. */
  readonly cut: number;
  /** The service gets the request twice, and the client the second answer. */
  readonly repeated: number;
}

/** A request on its way. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
}

/** Waits on the way of a request. */
export interface ProxyDelays {
  /** Called when the request is there. The service gets it when the promise resolves. */
  readonly before?: () => Promise<void>;
  /** Called when the service has answered. The client gets the answer when the promise resolves. */
  readonly after?: () => Promise<void>;
}

/** A running proxy. */
export interface FaultyProxy {
  readonly url: string;
  /** Faults so far, by kind. */
  readonly counts: Readonly<Record<keyof ProxyFaults, number>>;
  /** Undefined: no faults. */
  faults: Partial<ProxyFaults> | undefined;
  /** Chooses the delays of each request; undefined: no delays. */
  delays: ((request: ProxiedRequest) => ProxyDelays) | undefined;
  close(): Promise<void>;
}

/** Starts a proxy for the service at `target`, with a seeded choice of faults. */
export async function startFaultyProxy(target: string, random: Random): Promise<FaultyProxy> {
  const counts: Record<keyof ProxyFaults, number> = {
    lost: 0,
    failed: 0,
    throttled: 0,
    answerLost: 0,
    answerFailed: 0,
    cut: 0,
    repeated: 0,
  };
  const proxy: Pick<FaultyProxy, "faults" | "delays"> = { faults: undefined, delays: undefined };
  const pick = (): keyof ProxyFaults | undefined => {
    let left = random.next();
    for (const [kind, rate] of Object.entries(proxy.faults ?? {})) {
      left -= rate;
      if (left >= 0) continue;
      counts[kind as keyof ProxyFaults]++;
      return kind as keyof ProxyFaults;
    }
    return undefined;
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const fault = pick();
    incoming.on("error", () => undefined); // The client gave up.
    if (fault === "lost") return void response.destroy();
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    if (fault === "failed") return answerError(response, 500, "InternalError");
    if (fault === "throttled") return answerError(response, 503, "SlowDown");
    const { method = "", url = "" } = incoming;
    const delays = proxy.delays?.({ method, url });
    await delays?.before?.();
    const sent = { incoming, body: Buffer.concat(parts) };
    if (fault === "repeated") await forward(target, sent);
    const { answer, body } = await forward(target, sent);
    await delays?.after?.();
    if (fault === "answerLost") response.destroy();
    else if (fault === "answerFailed") answerError(response, 500, "InternalError");
    else respond(response, answer, { body, isCut: fault === "cut" });
  };
  const server = createServer((incoming, response) => {
    // The client has aborted, or the service has ended.
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${port}`,
    counts,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Sends the request on with its own headers, which its signature covers. */
function forward(
  target: string,
  { incoming, body }: { incoming: IncomingMessage; body: Buffer },
): Promise<{ answer: IncomingMessage; body: Buffer }> {
  const { method, headers, url = "/" } = incoming;
  const { hostname, port } = new URL(target);
  return new Promise((resolve, reject) => {
    const onward = request({ hostname, port, method, path: url, headers }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part);
      resolve({ answer, body: Buffer.concat(parts) });
    });
    onward.on("error", reject);
    onward.end(body);
  });
}

function respond(
  response: ServerResponse,
  { statusCode = 500, headers }: IncomingMessage,
  { body, isCut }: { body: Buffer; isCut: boolean },
): void {
  const { "transfer-encoding": _, connection: __, ...others } = headers;
  response.writeHead(statusCode, { ...others, "content-length": body.length });
  if (!isCut) return void response.end(body);
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
}
