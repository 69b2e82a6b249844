/** A service that is sent JSON, for tests: a real HTTP server in this process. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The running service. */
export interface JsonService {
  /** Without a path. */
  readonly url: string;
  close(): Promise<void>;
}

/** Answers one request. */
export type JsonHandler<Body> = (
  body: Body,
  response: ServerResponse,
  request: IncomingMessage,
) => void;

/** Starts a service on a free port. */
export async function startJsonService<Body>(handle: JsonHandler<Body>): Promise<JsonService> {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    handle(JSON.parse(Buffer.concat(chunks).toString()), response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends an answer: a text as it is, and everything else as JSON. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
