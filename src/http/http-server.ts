/**
 * The HTTP server: Fastify around the handler of requests. Bodies are never parsed here; the engine
 * reads them as they arrive. Limits on slow clients, compression of answers, request ids, log lines
 * and metrics belong to this file.
 */

import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Engine, EngineAnswer } from "../api/engine.ts";
import { errorBody } from "../api/error-answer.ts";
import type { Clock } from "../base/clock.ts";
import {
  BODY_DISCARD_MS_MAX,
  BODY_SWEEP_MS,
  CONNECTIONS_MAX,
  DRAIN_MS_MAX,
  DRAIN_SWEEP_MS,
  HEADERS_MS_MAX,
  KEEP_ALIVE_MS,
  REQUEST_ID_CHARS_MAX,
  REQUEST_MS_MAX,
} from "../base/limits.ts";
import type { Random } from "../base/random.ts";
import { ApiHandler, type ApiOutcome } from "./api-handler.ts";
import { authCheck } from "./auth.ts";
import { BodyBudget } from "./body-budget.ts";
import { compressAnswer } from "./compress-answer.ts";
import type { HttpConfig } from "./http-config.ts";
import { HttpMetrics } from "./http-metrics.ts";
import { type HttpLog, logOutcome } from "./request-log.ts";
import type { ServiceRoute } from "./routes.ts";

/** What the server is made of. */
export interface HttpParts {
  readonly config: HttpConfig;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: HttpLog;
  readonly version: string;
}

const SERVED_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const REQUEST_ID = new RegExp(`^[A-Za-z0-9._:/+=@-]{1,${REQUEST_ID_CHARS_MAX}}$`);
const encoder = new TextEncoder();

/** See the file's head. */
export class HttpServer {
  readonly #parts: HttpParts;
  readonly #budget: BodyBudget;
  readonly #metrics: HttpMetrics;
  readonly #handler: ApiHandler;
  readonly #app: FastifyInstance;
  readonly #awaitingContinue = new WeakSet<object>();
  #requestsInFlight = 0;
  #closing: Promise<void> | undefined;
  #stopSweeping: () => void = () => {};

  constructor(parts: HttpParts) {
    this.#parts = parts;
    this.#budget = new BodyBudget(parts.config.bodyBytesInFlightMax);
    this.#metrics = new HttpMetrics({
      bodyBytesInFlight: () => this.#budget.bytesUsed,
      requestsInFlight: () => this.#requestsInFlight,
    });
    this.#handler = new ApiHandler({
      engine: parts.engine,
      auth: authCheck(parts.config.apiKey),
      budget: this.#budget,
      answerService: (name) => this.#answerService(name),
    });
    this.#app = this.#createApp();
  }

  /** The framework's instance; tests inject requests into it without sockets. */
  get app(): FastifyInstance {
    return this.#app;
  }

  /** Starts to accept connections and resolves to the URL under which the server is reached. */
  async listen(): Promise<string> {
    const { host, port } = this.#parts.config;
    const stop = this.#parts.clock.every(BODY_SWEEP_MS, () => this.#handler.sweep());
    this.#stopSweeping = stop;
    await this.#app.listen({ host, port });
    const address = this.#app.server.address() as AddressInfo;
    const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
    return `http://${shown}:${address.port}`;
  }

  /**
   * Stops accepting, lets the requests under way finish for `DRAIN_MS_MAX`, then cuts the rest.
   * The engine stays open.
   */
  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  async #drain(): Promise<void> {
    const over = new AbortController();
    const cut = this.#parts.clock.sleep(DRAIN_MS_MAX, over.signal).then(
      () => this.#app.server.closeAllConnections(),
      () => {},
    );
    // Node closes idle connections only once; those that become idle while draining count, too.
    const stopClosing = this.#parts.clock.every(DRAIN_SWEEP_MS, () =>
      this.#app.server.closeIdleConnections(),
    );
    await this.#app.close();
    stopClosing();
    over.abort();
    await cut;
    this.#stopSweeping();
    this.#metrics.close();
  }

  #createApp(): FastifyInstance {
    const app = Fastify({
      logger: false,
      genReqId: (message) => this.#requestId(message.headers["x-request-id"]),
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: REQUEST_MS_MAX,
      http: {
        headersTimeout: HEADERS_MS_MAX,
        connectionsCheckingInterval: BODY_SWEEP_MS,
        // Node refuses requests without a host in a shape of its own; nothing here needs the host.
        requireHostHeader: false,
      },
      forceCloseConnections: "idle",
      return503OnClosing: false,
      exposeHeadRoutes: false,
      frameworkErrors: (_error, request, reply) => this.#serve(request, reply),
      clientErrorHandler: (error, socket) => {
        if (socket.writable && error.code !== "ECONNRESET") socket.end(clientErrorText(error.code));
        else socket.destroy();
      },
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, done) => done(null));
    app.route({
      method: SERVED_METHODS,
      url: "*",
      handler: (request, reply) => this.#serve(request, reply),
    });
    app.setNotFoundHandler((request, reply) => this.#serve(request, reply));
    app.setErrorHandler((error: { statusCode?: number; message: string }, request, reply) => {
      // Only the framework's own checks of headers end here; the handler itself never throws.
      const answer = errorBody(error.statusCode ?? 500, error.message);
      return send(reply, answer, request.id);
    });
    limitServer(app.server, this.#awaitingContinue);
    return app;
  }

  async #serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const startMs = this.#parts.clock.monotonicMs();
    const gone = new AbortController();
    const response = reply.raw;
    this.#requestsInFlight++;
    const over = new Promise<void>((resolve) => {
      response.once("close", () => {
        if (!response.writableFinished) gone.abort(new Error("the client closed the connection"));
        resolve();
      });
    });
    const outcome = await this.#handler.handle({
      message: request.raw,
      beforeBody: () => {
        if (this.#awaitingContinue.delete(request.raw)) response.writeContinue();
      },
      signal: gone.signal,
    });
    void over.then(() => this.#noteEnd(request, outcome, startMs));
    const answer = await compressAnswer(
      outcome.answer,
      request.headers["accept-encoding"] as string,
    );
    if (this.#closing !== undefined) reply.header("connection", "close");
    this.#limitRest(request, response);
    return send(reply, answer, request.id);
  }

  #noteEnd(request: FastifyRequest, outcome: ApiOutcome, startMs: number): void {
    const { clock, config, log } = this.#parts;
    const ms = clock.monotonicMs() - startMs;
    this.#requestsInFlight--;
    this.#metrics.observe(outcome.operation, outcome.answer.status, ms / 1000);
    logOutcome(log, { request, outcome, ms, slowMs: config.slowRequestMs });
  }

  /** Cuts the connection of a client that goes on and on sending a body whose answer is known. */
  #limitRest(request: FastifyRequest, response: ServerResponse): void {
    const message = request.raw;
    if (message.complete || this.#awaitingContinue.has(message)) return;
    const received = new AbortController();
    for (const event of ["end", "close"]) message.once(event, () => received.abort());
    response.once("finish", () => message.resume());
    this.#parts.clock.sleep(BODY_DISCARD_MS_MAX, received.signal).then(
      () => message.destroy(),
      () => {},
    );
  }

  async #answerService(name: ServiceRoute["name"]): Promise<EngineAnswer> {
    const { engine, version } = this.#parts;
    switch (name) {
      case "root":
        return json(200, { status: "OK", service: "trawl", version });
      case "health":
        return json(200, { status: "OK" });
      case "readiness": {
        if (this.#closing !== undefined) return errorBody(503, "the server is shutting down");
        const { ready, reason } = engine.status();
        return ready ? json(200, { status: "OK" }) : errorBody(503, reason ?? "not ready yet");
      }
      case "metrics": {
        const body = encoder.encode(await this.#metrics.render(engine.metrics()));
        return { status: 200, headers: { "content-type": this.#metrics.contentType }, body };
      }
    }
  }

  #requestId(sent: string | string[] | undefined): string {
    if (typeof sent === "string" && REQUEST_ID.test(sent)) return sent;
    return Buffer.from(this.#parts.random.bytes(12)).toString("base64url");
  }
}

function limitServer(server: Server, awaitingContinue: WeakSet<object>): void {
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

function send(reply: FastifyReply, answer: EngineAnswer, requestId: string): FastifyReply {
  const { buffer, byteOffset, byteLength } = answer.body;
  reply.code(answer.status).headers(answer.headers).header("x-request-id", requestId);
  return reply.send(Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength));
}

function json(status: number, value: object): EngineAnswer {
  const body = encoder.encode(JSON.stringify(value));
  return { status, headers: { "content-type": "application/json" }, body };
}

/** A whole response for bytes that are no HTTP request, by Node's error code. */
function clientErrorText(code: string): string {
  const [status, reason, message] =
    code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? [408, "Request Timeout", "the request did not arrive in time"]
      : code === "HPE_HEADER_OVERFLOW"
        ? [431, "Request Header Fields Too Large", "the request's headers are too large"]
        : [400, "Bad Request", `the bytes received are no valid HTTP request (${code})`];
  const body = JSON.stringify({ status: "error", error: message });
  return (
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\nconnection: close\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
