/** Node's server beneath the framework: plain or TLS, its patience, and what it expects. */

import type { Server, ServerResponse } from "node:http";
import type { FastifyHttpOptions } from "fastify";
import { errorBody } from "../../api/error-answer.ts";
import type { TlsFiles } from "./tls-files.ts";

/** Time for a client to send a request's headers; Node's default is a minute, attackers' choice. */
const HEADERS_MS_MAX = 20_000;
/**
 * How much longer an idle connection is kept than clients are told. A client whose event loop was
 * busy counts too few seconds (undici counts its own ticks), and would send on a connection that
 * ends just then: a request that was not answered, and that it may not repeat by itself.
 */
const KEEP_ALIVE_GRACE_MS = 60_000;
/** Open connections; each costs some 20 KiB, so this is 200 MiB at worst. */
const CONNECTIONS_MAX = 10_000;

/**
 * What Node's server is told of connections, whichever kind it is. `checkMs` is how often it looks
 * for those that take too long.
 */
export function transportOf(
  tls: TlsFiles | undefined,
  checkMs: number,
): Pick<FastifyHttpOptions<Server>, "http"> {
  const limits = {
    headersTimeout: HEADERS_MS_MAX,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeoutBuffer: KEEP_ALIVE_GRACE_MS,
    // Node refuses requests without a host in a shape of its own; nothing here needs the host.
    requireHostHeader: false,
  };
  if (tls === undefined) return { http: limits };
  // The framework's types know one kind of server at a time; this one has all that the other has.
  const secure = { https: { ...limits, ...tls.pair, handshakeTimeout: HEADERS_MS_MAX } };
  return secure as unknown as Pick<FastifyHttpOptions<Server>, "http">;
}

/** Bounds connections, and puts off what `Expect` asks for: those requests come to be in the set. */
export function limitServer(server: Server, awaitingContinue: WeakSet<object>): void {
  server.maxConnections = CONNECTIONS_MAX;
  // Without this, Node asks for the body before anybody has looked at the headers.
  server.on("checkContinue", (message, response) => {
    awaitingContinue.add(message);
    server.emit("request", message, response);
  });
  server.on("checkExpectation", (message, response: ServerResponse) => {
    const expectation = JSON.stringify(message.headers.expect);
    const { status, headers, body } = errorBody(417, `cannot meet the expectation ${expectation}`);
    response.writeHead(status, { ...headers, "content-length": body.byteLength }).end(body);
  });
}
