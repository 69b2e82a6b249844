/**
 * A server that answers requests as a test says: for what a client makes of each answer and of each
 * fault of the connection. It knows nothing of S3's semantics.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it came, with its body. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Answers one request; leaving it unanswered is allowed. */
export type Script = (request: ReceivedRequest, response: ServerResponse) => void;

/** A running server. */
export interface ScriptedS3 {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Starts a server on a free port. */
export async function startScriptedS3(script: Script): Promise<ScriptedS3> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("error", () => undefined); // The client gave up.
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const whole = { method, url, headers, body: Buffer.concat(parts) };
      received.push(whole);
      script(whole, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with an error of S3's form. */
export function answerError(response: ServerResponse, status: number, code: string): void {
  const error = `<Error><Code>${code}</Code><Message>said ${code}</Message></Error>`;
  const head = response.writeHead(status, { "content-type": "application/xml" });
  head.end(`<?xml version="1.0"?>${error}`);
}
