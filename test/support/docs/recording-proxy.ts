/** A proxy in front of a server that keeps what passes, so that programs need not say it. */

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that passed, and its answer. */
export interface Exchange {
  /** First segment of the path that it was sent to; who sends is told apart by it. */
  readonly sender: string;
  readonly method: string;
  /** The path that the server was asked for. */
  readonly path: string;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
  readonly status: number;
  /** Parsed JSON; undefined without a body. */
  readonly answer: unknown;
}

/** A proxy that listens on a free port of this machine. */
export interface RecordingProxy {
  /** Base URL of one sender. */
  urlOf(sender: string): string;
  /** What one sender has asked so far. */
  exchangesOf(sender: string): Exchange[];
  close(): Promise<void>;
}

/** Starts a proxy to `target`, a base URL. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, sender, path] = /^\/([^/]*)(.*)$/.exec(request.url ?? "") as RegExpExecArray;
    const method = request.method ?? "";
    const body = Buffer.concat(chunks);
    const headers = keptHeaders(request.headers);
    const sent = { method, headers, ...(body.length > 0 && { body }) };
    const answer = await fetch(target + path, sent);
    const { status } = answer;
    const text = await answer.text();
    const parsed = { body: parsedJson(String(body)), answer: parsedJson(text) };
    exchanges.push({ sender, method, path, status, ...parsed });
    response.writeHead(status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urlOf: (sender) => `${url}/${sender}`,
    exchangesOf: (sender) => exchanges.filter((exchange) => exchange.sender === sender),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The headers that say what a request means. */
function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ["authorization", "content-type", "trawl-strict"];
  const found = names.filter((name) => headers[name] !== undefined);
  return Object.fromEntries(found.map((name) => [name, String(headers[name])]));
}

function parsedJson(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}
