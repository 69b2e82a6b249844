/** Node's server beneath the framework: plain or TLS, its patience, and what it expects. */

import type { Server } from "node:http";
import type { FastifyHttpOptions } from "fastify";
import type { Clock } from "../../base/clock.ts";
import { refuseConnect } from "./end-connection.ts";
import { normalizeTarget } from "./request-target.ts";
import type { TlsFiles } from "./tls-files.ts";

/** Time for a client to send a request's headers; Node's default is a minute, attackers' choice. */
const HEADERS_MS_MAX = 20_000;
/** Time for a complete request to arrive; 512 MB at 5 Mbit/s take 14 minutes. */
const REQUEST_MS_MAX = 900_000;
/**
 * Time for which clients may keep an idle connection (`Keep-Alive: timeout=75`): longer than common
 * proxies (60 s), shorter than the 4 minutes after which some networks forget connections.
 */
const KEEP_ALIVE_HINT_MS = 75_000;
/**
 * Time for which an idle connection is kept. A request that a client sends just when the connection
 * ends is lost, and the client may not retry it. So this is longer than each pool of the official
 * SDKs keeps a connection: undici until 2 s before the hint (4 s without a hint), httpx 5 s, Go and
 * Rust 90 s, Java's OkHttp 5 minutes. One minute more is for clients whose event loop was busy.
 */
export const IDLE_CONNECTION_MS_MAX = 360_000;
/** Open connections; each costs some 20 KiB, so this is 200 MiB at worst. */
const CONNECTIONS_MAX = 10_000;

/**
 * What Node's server is told of connections, whichever kind it is. `checkMs` is how often it looks
 * for those that take too long.
 */
export function transportOf(
  tls: TlsFiles | undefined,
  checkMs: number,
): Pick<FastifyHttpOptions<Server>, "http" | "keepAliveTimeout" | "requestTimeout"> {
  const limits = {
    headersTimeout: HEADERS_MS_MAX,
    connectionsCheckingInterval: checkMs,
    // `IdleConnections` ends them before: Node's own timers cannot see what has just arrived.
    keepAliveTimeoutBuffer: IDLE_CONNECTION_MS_MAX,
    // Node refuses requests without a host in a shape of its own, and accepts repeated ones.
    requireHostHeader: false,
  };
  const times = { keepAliveTimeout: KEEP_ALIVE_HINT_MS, requestTimeout: REQUEST_MS_MAX };
  if (tls === undefined) return { http: limits, ...times };
  // The framework's types know one kind of server at a time; this one has all that the other has.
  const secure = { https: { ...limits, ...tls.pair, handshakeTimeout: HEADERS_MS_MAX } };
  return { ...(secure as unknown as Pick<FastifyHttpOptions<Server>, "http">), ...times };
}

/** Options of `limitServer`. */
interface ServerLimits {
  readonly awaitingContinue: WeakSet<object>;
  readonly clock: Clock;
}

/** Bounds connections, and puts off what `Expect` asks for: those requests come to be in the set. */
export function limitServer(server: Server, { awaitingContinue, clock }: ServerLimits): void {
  server.maxConnections = CONNECTIONS_MAX;
  // The framework must see the normalized URL.
  server.prependListener("request", normalizeTarget);
  // Without this, Node asks for the body before anybody has looked at the headers.
  server.on("checkContinue", (message, response) => {
    awaitingContinue.add(message);
    server.emit("request", message, response);
  });
  // Other expectations are refused where all requests are answered.
  server.on("checkExpectation", (message, response) => {
    server.emit("request", message, response);
  });
  server.on("connect", (_message, socket) => refuseConnect(socket, clock));
}
