/**
 * The HTTP server: Fastify around the handler of requests. Bodies are never parsed here; the engine
 * reads them as they arrive. Limits on slow clients, request ids and a clean stop belong to this
 * file.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server as TlsServer } from "node:tls";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { KeyLimiter } from "../access/key-limits.ts";
import { KeyOperations } from "../access/key-operations.ts";
import type { KeyRing } from "../access/key-ring.ts";
import {
  answerBytes,
  DRAIN_MS_MAX,
  type Engine,
  type EngineMetric,
  type HttpAnswer,
} from "../api/engine.ts";
import { errorAnswer, errorBody } from "../api/error-answer.ts";
import { clipName } from "../base/bounded-text.ts";
import type { Clock } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";
import { nextTurn } from "../base/next-turn.ts";
import type { Random } from "../base/random.ts";
import { compressAnswer } from "./answers/compress-answer.ts";
import { sendAnswer } from "./answers/send-answer.ts";
import { WaitingAnswers } from "./answers/waiting-answers.ts";
import { ApiHandler, type ApiOptions, type ApiRequest, BODY_SWEEP_MS } from "./api-handler.ts";
import { BodyBudget } from "./bodies/body-budget.ts";
import { discardRest, endsWithAnswer } from "./bodies/rest-of-body.ts";
import { endConnection } from "./connections/end-connection.ts";
import { IdleConnections } from "./connections/idle-connections.ts";
import { hostFault } from "./connections/request-target.ts";
import {
  IDLE_CONNECTION_MS_MAX,
  limitServer,
  transportOf,
} from "./connections/server-transport.ts";
import { TLS_POLL_MS, type TlsFiles } from "./connections/tls-files.ts";
import { trackConnections } from "./connections/track-connections.ts";
import type { HttpConfig } from "./http-config.ts";
import { McpEndpoint } from "./mcp-endpoint.ts";
import type { AuditLog } from "./observability/audit-log.ts";
import { TELEMETRY_HEADER } from "./observability/client-telemetry.ts";
import { HttpMetrics } from "./observability/http-metrics.ts";
import { NamespaceTraffic } from "./observability/namespace-traffic.ts";
import { RecentSlowRequests } from "./observability/recent-slow-requests.ts";
import type { HttpLog } from "./observability/request-log.ts";
import {
  RequestTracing,
  type TracingOptions,
  traceMetrics,
} from "./observability/request-tracing.ts";
import { SlowRequests } from "./observability/slow-requests.ts";
import { WarningLog } from "./observability/warning-log.ts";
import { OriginCheck } from "./origin-check.ts";
import type { PageSite } from "./pages/page-site.ts";
import { REFUSED, RequestEnds } from "./request-ends.ts";
import {
  explainMiss,
  ROUTER_ENTRIES,
  type RouteMatch,
  type RouteRequest,
  routedUrl,
  siteEntries,
} from "./routes/routes.ts";
import { ServiceAnswers } from "./service-answers.ts";

/** Limits of idle connections; `CONNECTIONS_MAX` bounds all connections. */
const IDLE_LIMITS = {
  announcedCount: 8_000,
  crowdedCount: 9_000,
  idleMs: IDLE_CONNECTION_MS_MAX,
};
/** A client's own request id, in characters; a longer one is replaced. */
const REQUEST_ID_CHARS_MAX = 128;
/** How often a stopping server closes the connections that have become idle. */
const DRAIN_SWEEP_MS = 100;
/** For so long queries may go on when the server stops. */
const QUERY_GRACE_MS = 25;

/** Methods whose bodies the framework would parse. */
const METHODS_WITH_BODY = ["DELETE", "OPTIONS", "PATCH", "POST", "PUT"];
const FRAMEWORK_READS_NO_BODY = { hasBody: false, overrideExisting: true };

type FrameworkError = Partial<Pick<FastifyError, "statusCode">> & Error;

type RouteParameters = Readonly<Record<string, string>>;

/** What the server is made of. */
export interface HttpOptions {
  readonly config: HttpConfig;
  readonly engine: Engine;
  /** Whoever opened it polls it. */
  readonly keys: KeyRing;
  /** The requests for keys to the object store; absent: they are not counted. */
  readonly keyMetrics?: () => readonly EngineMetric[];
  /** Absent: there is none. Whoever made it closes it. */
  readonly audit?: AuditLog | undefined;
  /** Absent: the server speaks plain HTTP. */
  readonly tls?: TlsFiles | undefined;
  /** Pages for browsers; the first is where a browser that asks for `/` is sent. */
  readonly sites: readonly PageSite[];
  /** Makes the reference when it is first asked for. */
  readonly openapi: () => Promise<object>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: HttpLog;
  readonly version: string;
  /** Absent: no request is traced. */
  readonly tracing?: TracingOptions | undefined;
}

/** No browser may read an answer as another type than its content type. */
const SAFE_HEADERS = { "x-content-type-options": "nosniff" };
const REQUEST_ID = new RegExp(`^[A-Za-z0-9._:/+=@-]{1,${REQUEST_ID_CHARS_MAX}}$`);

/** See the file's head. */
export class HttpServer {
  readonly #options: HttpOptions;
  readonly #budget: BodyBudget;
  readonly #metrics: HttpMetrics;
  readonly #handler: ApiHandler;
  readonly #ends: RequestEnds;
  readonly #slow: SlowRequests;
  readonly #recentSlow: RecentSlowRequests;
  readonly #traffic: NamespaceTraffic;
  readonly #tracing: RequestTracing | undefined;
  readonly #origins: OriginCheck;
  readonly #app: FastifyInstance;
  readonly #awaitingContinue = new WeakSet<object>();
  readonly #answers: WaitingAnswers;
  readonly #connections: IdleConnections;
  #requestsInFlight = 0;
  #closing: Promise<void> | undefined;
  #stopSweeping: () => void = () => {};
  #stopLooking: () => void = () => {};

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#budget = new BodyBudget(options.config.bodyBytesInFlightMax);
    this.#answers = new WaitingAnswers(options.config);
    this.#connections = new IdleConnections(IDLE_LIMITS, options.clock);
    this.#metrics = new HttpMetrics({
      answerBytesWaiting: () => this.#answers.bytes,
      bodyBytesInFlight: () => this.#budget.bytesUsed,
      requestsInFlight: () => this.#requestsInFlight,
    });
    this.#slow = new SlowRequests(options.clock, options.config);
    this.#recentSlow = new RecentSlowRequests(options.clock);
    const { keys: ring, clock, random, tracing } = options;
    this.#tracing = tracing && new RequestTracing(tracing, clock, random);
    this.#traffic = new NamespaceTraffic(options.clock, options.config.metricsNamespacesMax);
    this.#ends = new RequestEnds({
      metrics: this.#metrics,
      traffic: this.#traffic,
      slow: this.#slow,
      recentSlow: this.#recentSlow,
      warnings: new WarningLog(options.log),
      audit: options.audit,
      log: options.log,
      noteBytes: (bytes) => options.engine.noteBytes(bytes),
      tracing: this.#tracing,
    });
    this.#origins = new OriginCheck({ ...options.config, hasKey: () => ring.isLocked });
    const service = new ServiceAnswers({
      ...options,
      metrics: this.#metrics,
      otherMetrics: () => this.#otherMetrics(),
      isClosing: () => this.#closing !== undefined,
    });
    this.#handler = new ApiHandler({
      engine: options.engine,
      keys: ring,
      trawl: {
        keys: new KeyOperations({ ring, clock, random }),
        slowRequests: () => this.#slowRequestsJson(),
      },
      limiter: new KeyLimiter(clock),
      origins: this.#origins,
      budget: this.#budget,
      strict: options.config.strict,
      answerMcp: this.#mcpAnswers(),
      answerService: (name, headers) => service.answer(name, headers),
    });
    this.#app = this.#createApp();
  }

  /** The framework's instance; tests inject requests into it without sockets. */
  get app(): FastifyInstance {
    return this.#app;
  }

  /** What answers assistants' messages; their tools' requests end as all others do. */
  #mcpAnswers(): ApiOptions["answerMcp"] {
    const { config, version, clock, log } = this.#options;
    if (config.mcp === "off") return undefined;
    const endpoint = new McpEndpoint({
      writes: config.mcp === "writing",
      version,
      clock,
      log,
      handle: (request) => this.#handler.handle(request),
      noteEnd: (request, outcome, ms) => this.#ends.note(request, outcome, ms),
      traceBelow: ({ trace }) => trace && this.#tracing?.beginBelow(trace),
    });
    return (request, caller, body) => endpoint.answer(request, caller, body);
  }

  /** Starts to accept connections and resolves to the URL under which the server is reached. */
  async listen(): Promise<string> {
    const { host, port } = this.#options.config;
    const stop = this.#options.clock.every(BODY_SWEEP_MS, () => {
      this.#handler.sweep();
      this.#cutOffStalled();
      // A request that has arrived is read before.
      void nextTurn().then(() => this.#connections.sweep());
    });
    this.#stopSweeping = stop;
    const { clock, tls } = this.#options;
    if (tls) this.#stopLooking = clock.every(TLS_POLL_MS, () => void this.#lookAtTls(tls));
    await this.#app.listen({ host, port });
    const address = this.#app.server.address() as AddressInfo;
    const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
    return `http${tls ? "s" : ""}://${shown}:${address.port}`;
  }

  /**
   * Reports for `drainDelayMs` that it is not ready, and continues to serve. Then stops accepting,
   * lets requests in progress finish for `DRAIN_MS_MAX`, and cuts the rest. Queries have
   * `QUERY_GRACE_MS`. The engine stays open.
   */
  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  async #drain(): Promise<void> {
    const { clock, config, engine } = this.#options;
    // Load balancers see it in this time, and send requests elsewhere before connections are
    // refused.
    if (config.drainDelayMs > 0) await clock.sleep(config.drainDelayMs);
    const over = new AbortController();
    const ended = clock.sleep(QUERY_GRACE_MS, over.signal).then(
      () => engine.stopQueries(),
      () => {},
    );
    const cut = clock.sleep(DRAIN_MS_MAX, over.signal).then(
      () => this.#app.server.closeAllConnections(),
      () => {},
    );
    // Those that become idle while draining, or were still accepted, count, too.
    const stopEnding = clock.every(DRAIN_SWEEP_MS, () => {
      void nextTurn().then(() => this.#connections.endAll());
    });
    // Requests that have arrived are read first, since closing the listener closes idle
    // connections.
    await nextTurn();
    await this.#app.close();
    stopEnding();
    over.abort();
    await Promise.all([cut, ended]);
    this.#stopSweeping();
    this.#stopLooking();
    this.#metrics.close();
  }

  #createApp(): FastifyInstance {
    const app = Fastify({
      logger: false,
      genReqId: (message) => this.#requestId(message.headers["x-request-id"]),
      ...transportOf(this.#options.tls, BODY_SWEEP_MS),
      forceCloseConnections: "idle",
      return503OnClosing: false,
      exposeHeadRoutes: false,
      rewriteUrl: ({ url = "/" }) => routedUrl(url),
      // What is too long is said where names are checked.
      routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
      frameworkErrors: (_error, request, reply) => this.#refuse(request, reply),
      clientErrorHandler: (error, socket) => endConnection(error, socket, this.#options.clock),
    });
    // Neither bodies nor their content types are the framework's.
    for (const method of METHODS_WITH_BODY) app.addHttpMethod(method, FRAMEWORK_READS_NO_BODY);
    const { sites } = this.#options;
    for (const { methods, url, match } of [...ROUTER_ENTRIES, ...sites.flatMap(siteEntries)]) {
      app.route({
        method: [...methods],
        url,
        handler: (request, reply) =>
          this.#serve(request, reply, (sent) => match(sent, request.params as RouteParameters)),
      });
    }
    app.setNotFoundHandler((request, reply) => this.#refuse(request, reply));
    app.setErrorHandler((error: FrameworkError, request, reply) => {
      // Only the framework's own checks of headers end here; the handler itself never throws.
      const answer = errorBody(error.statusCode ?? 500, error.message);
      sendAnswer(reply.raw, answer, { ...SAFE_HEADERS, "x-request-id": request.id }, undefined);
      reply.hijack();
      return undefined;
    });
    const { clock } = this.#options;
    limitServer(app.server, { awaitingContinue: this.#awaitingContinue, clock });
    // Node's own would cut off answers that are written, but not sent to their ends.
    app.server.closeIdleConnections = () => this.#connections.endAll();
    trackConnections(app.server, this.#connections, { isTls: this.#options.tls !== undefined });
    return app;
  }

  /** Takes over a new certificate for connections that are opened from now on. */
  async #lookAtTls(tls: TlsFiles): Promise<void> {
    const { log } = this.#options;
    const seen = await tls.look();
    if (seen.kind === "same") return;
    if (seen.kind === "unusable") {
      log("error", "the new TLS certificate is not used, the old one stays", {
        error: seen.reason,
      });
      return;
    }
    (this.#app.server as unknown as TlsServer).setSecureContext(seen.pair);
    log("info", "a new TLS certificate is used", { validTo: seen.validTo });
  }

  /** Answers a request that the router has no route for. */
  #refuse(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.#serve(request, reply, explainMiss);
  }

  async #serve(
    request: FastifyRequest,
    reply: FastifyReply,
    match: (sent: RouteRequest) => RouteMatch,
  ): Promise<void> {
    const startMs = this.#options.clock.monotonicMs();
    const gone = new AbortController();
    const response = reply.raw;
    this.#requestsInFlight++;
    this.#connections.begin(request.raw.socket);
    const over = new Promise<void>((resolve) => {
      response.once("close", () => {
        onceArrived(request.raw, () => this.#connections.end(request.raw.socket));
        if (!response.writableFinished) gone.abort(new Error("the client closed the connection"));
        resolve();
      });
    });
    const { method } = request;
    const [path, query] = splitUrl(request.originalUrl);
    const matched = this.#messageFault(request.raw) ?? match({ method, path });
    const isOperation = matched.kind === "operation";
    const isTraced = isOperation || matched.kind === "mcp";
    const trace = isTraced ? this.#tracing?.begin(request.headers.traceparent) : undefined;
    const asked: ApiRequest = {
      id: request.id,
      message: request.raw,
      match: matched,
      path,
      query,
      beforeBody: () => {
        if (this.#awaitingContinue.delete(request.raw)) response.writeContinue();
      },
      signal: gone.signal,
      arrivedMs: startMs,
      detailsMs: trace === undefined ? this.#slow.detailsMs : 0,
      trace,
    };
    const outcome = await this.#handler.handle(asked);
    const accepted = request.headers["accept-encoding"] as string;
    const answer = this.#admit(response, await compressAnswer(outcome.answer, accepted));
    const sent = answer.status === outcome.answer.status ? outcome : { ...outcome, answer };
    void over.then(() => {
      const ms = this.#options.clock.monotonicMs() - startMs;
      this.#requestsInFlight--;
      this.#ends.note(asked, sent, ms);
    });
    const report = request.headers[TELEMETRY_HEADER];
    // What clients say that may not make requests is not counted.
    if (report !== undefined && isOperation) {
      if (!REFUSED.has(outcome.answer.status)) this.#metrics.report(String(report));
    }
    this.#send(request, response, { answer, bytesReceived: outcome.bytesReceived });
    reply.hijack();
  }

  /** Returns the refusal of a malformed message, independent of its route. */
  #messageFault(message: IncomingMessage): RouteMatch | undefined {
    const fault = hostFault(message);
    if (fault !== undefined) return { kind: "bad_message", status: 400, fault };
    const { expect } = message.headers;
    // HTTP/1.0 knows no expectations.
    const isMet = this.#awaitingContinue.has(message) || message.httpVersion !== "1.1";
    if (expect === undefined || isMet) return undefined;
    const shown = JSON.stringify(clipName(expect));
    const rule = "the only one that is met is `100-continue`";
    const told = `cannot meet the expectation ${shown}: ${rule}`;
    return { kind: "bad_message", status: 417, fault: told };
  }

  #send(
    { id, raw: message, headers: asked }: FastifyRequest,
    response: ServerResponse,
    { answer, bytesReceived }: { readonly answer: HttpAnswer; readonly bytesReceived: number },
  ): void {
    const awaitsContinue = this.#awaitingContinue.has(message);
    const answered = { message, bytesReceived, awaitsContinue };
    const isLast =
      this.#closing !== undefined || this.#connections.areMany || endsWithAnswer(answered);
    const headers = {
      ...SAFE_HEADERS,
      "x-request-id": id,
      ...(isLast && { connection: "close" }),
      ...this.#origins.answerHeaders(asked.origin),
    };
    const endsAnyway = answer.headers.connection === "close" || !response.shouldKeepAlive;
    const { clock } = this.#options;
    discardRest(answered, response, { clock, isLast: isLast || endsAnyway });
    sendAnswer(response, answer, headers, asked["accept-encoding"] as string);
  }

  /** The answer, or that it finds no room among those that wait for their clients. */
  #admit(response: ServerResponse, answer: HttpAnswer): HttpAnswer {
    if (this.#answers.admit(response, answerBytes(answer))) return answer;
    const { bytes } = this.#answers;
    const refusal = errorAnswer(
      new DatabaseError(
        "overloaded",
        `💔 ${bytes} bytes of answers wait for clients that have not read them, and this one has ` +
          `${answerBytes(answer)}: at most ${this.#options.config.answerBytesMax} may wait; read ` +
          "the answers that were sent, or retry later",
      ),
    );
    this.#answers.admit(response, answerBytes(refusal));
    // What was done stays done, and is told to the audit.
    const { effects, refused } = answer;
    return { ...refusal, ...(effects && { effects }), ...(refused && { refused }) };
  }

  #cutOffStalled(): void {
    const cutCount = this.#answers.sweep(BODY_SWEEP_MS);
    if (cutCount === 0) return;
    const seconds = this.#options.config.answerStallMs / 1000;
    this.#options.log("warn", "clients were cut off that read nothing of their answers", {
      connections: cutCount,
      seconds,
    });
  }

  #slowRequestsJson(): Readonly<Record<string, unknown>> {
    const { slowRequestMs, slowRequestsLoggedMax } = this.#options.config;
    return {
      slow_query_ms: slowRequestMs,
      slow_query_sample: slowRequestsLoggedMax,
      slow_queries: this.#recentSlow.list(),
    };
  }

  #otherMetrics(): readonly EngineMetric[] {
    const { audit, keyMetrics, tracing } = this.#options;
    const traces = traceMetrics(tracing?.exporter.stats);
    const counted = [...this.#traffic.metrics(), ...(audit?.metrics() ?? []), ...traces];
    return [...(keyMetrics?.() ?? []), ...counted];
  }

  #requestId(sent: string | string[] | undefined): string {
    if (typeof sent === "string" && REQUEST_ID.test(sent)) return sent;
    return Buffer.from(this.#options.random.bytes(12)).toString("base64url");
  }
}

/** Calls `done` when a message has arrived to its end, or never will. */
function onceArrived(message: IncomingMessage, done: () => void): void {
  if (message.complete || message.destroyed) done();
  else message.once("close", done);
}

/** Path and query string of a URL as sent. */
function splitUrl(url: string): [path: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}
