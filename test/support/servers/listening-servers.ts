/** HTTP servers over fake engines that listen, and clients that send whatever a test wants. */

import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { afterEach } from "vitest";
import { type HttpChoices, type HttpFixture, httpFixture } from "./http-fixture.ts";

/** A response, read to its end. */
interface ReadAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly error: string;
}

/** A request; absent members are those of a write to the namespace `a`. */
interface SentRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | number>;
  readonly body?: Uint8Array | string;
}

/** Starts servers for one test file, which calls it at its top; each test's are closed after it. */
export function listeningServers() {
  const open: HttpFixture[] = [];

  afterEach(async () => {
    const fixtures = open.splice(0);
    let closed = false;
    const closing = Promise.all(fixtures.map(({ server }) => server.close()));
    void closing.finally(() => {
      closed = true;
    });
    while (!closed) {
      await turn();
      for (const { tick } of fixtures) tick(1);
    }
    await closing;
  });

  return async function start(config: HttpChoices = {}) {
    const fixture = httpFixture(config);
    open.push(fixture);
    const url = new URL(await fixture.server.listen());
    const send = (sent: SentRequest): Promise<ReadAnswer> =>
      new Promise((resolve, reject) => {
        const { method = "POST", path = "/v2/namespaces/a", headers = {}, body } = sent;
        const call = httpRequest(
          { host: url.hostname, port: url.port, method, path, headers },
          (response) => {
            const chunks: Buffer[] = [];
            response.on("data", (chunk: Buffer) => chunks.push(chunk));
            response.on("end", () => {
              const bytes = Buffer.concat(chunks);
              const isJson = response.headers["content-type"]?.includes("json") === true;
              const plain = response.headers["content-encoding"] === "gzip" ? "" : String(bytes);
              const error = isJson && plain !== "" ? (JSON.parse(plain).error ?? "") : "";
              const { statusCode: status = 0, headers } = response;
              resolve({ status, headers, body: bytes, error });
            });
            response.on("error", reject);
          },
        );
        call.on("error", reject);
        call.end(body);
      });
    const raw = (bytes: string): { socket: ReturnType<typeof connect>; text: Promise<string> } => {
      const socket = connect(Number(url.port), url.hostname);
      const text = new Promise<string>((resolve, reject) => {
        let received = "";
        socket.on("data", (chunk) => {
          received += String(chunk);
        });
        socket.on("error", reject);
        socket.on("close", () => resolve(received));
      });
      socket.write(bytes);
      return { socket, text };
    };
    return { ...fixture, send, raw };
  };
}

/** Lets what is ready run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
