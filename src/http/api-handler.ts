/**
 * One request from its route to its finished answer, apart from sockets and frameworks:
 * authentication, the body's rules, the engine.
 */

import type { IncomingHttpHeaders } from "node:http";
import { authorize, type Caller } from "../access/caller.ts";
import type { KeyLimiter } from "../access/key-limits.ts";
import type { KeyRing } from "../access/key-ring.ts";
import {
  answerBytes,
  type Engine,
  type EngineRequest,
  type HttpAnswer,
  type OperationName,
} from "../api/engine.ts";
import { answerWithId, errorAnswer, errorBody } from "../api/error-answer.ts";
import { clip } from "../base/bounded-text.ts";
import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError, invalid } from "../base/errors.ts";
import { namespaceName } from "../base/ids.ts";
import { NumberMap } from "../base/tables/number-map.ts";
import { QUERY_BODY_BYTES_MAX, WRITE_BODY_BYTES_MAX } from "../model/contract-limits.ts";
import type { RequestScope } from "../model/request-scope.ts";
import type { RequestTrace } from "../trace/trace-context.ts";
import { IMPORT_HELD_BYTES_MAX } from "../wire/write/line-batches.ts";
import type { BodyBudget } from "./bodies/body-budget.ts";
import {
  type BodyRules,
  BodyStalled,
  ClientLeft,
  RequestBody,
  UnsupportedEncoding,
} from "./bodies/request-body.ts";
import type { RequestMessage } from "./bodies/request-message.ts";
import { clientOf, isLocalClient } from "./client-of.ts";
import { type ApiOutcome, CLIENT_GONE_STATUS } from "./observability/api-outcome.ts";
import type { OriginCheck } from "./origin-check.ts";
import { answerPage } from "./pages/page-site.ts";
import { isForAdmins, needOf } from "./routes/route-needs.ts";
import { type RouteMatch, regionOf, type ServiceRoute } from "./routes/routes.ts";
import { handleTrawl, TRAWL_BODY_BYTES_MAX, type TrawlSources } from "./trawl-handler.ts";

/** `true` or `false`: whether unknown fields are refused. */
const STRICT_HEADER = "trawl-strict";
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** Longest message of an assistant: a write of some hundred documents, or a query with a vector. */
const MCP_BODY_BYTES_MAX = MIB;
/** How often bodies are checked for progress. */
export const BODY_SWEEP_MS = 1000;

type OperationMatch = Extract<RouteMatch, { kind: "operation" }>;
type TrawlMatch = Extract<RouteMatch, { kind: "trawl" }>;

/** One request as the handler needs it. */
export interface ApiRequest {
  /** Names it in the log and the audit. */
  readonly id: string;
  readonly message: RequestMessage;
  /** What its method and path ask for. */
  readonly match: RouteMatch;
  /** As sent, up to the query string. */
  readonly path: string;
  /** The query string, without its question mark. */
  readonly query: string;
  /** Called before the body is read: answers `Expect: 100-continue`. */
  readonly beforeBody: () => void;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** When it began to arrive, by the monotonic clock. */
  readonly arrivedMs: number;
  /** From how many milliseconds on a query's answer has details. */
  readonly detailsMs: number | undefined;
  /** Undefined: it is not traced. */
  readonly trace: RequestTrace | undefined;
}

type BodyOutcome = Pick<ApiOutcome, "answer" | "bytesReceived" | "bug" | "target">;

/** What the handler works with. */
export interface ApiOptions {
  readonly engine: Engine;
  readonly keys: Pick<KeyRing, "identify" | "whenRecent">;
  /** Of the server's own addresses. */
  readonly trawl: TrawlSources;
  readonly limiter: KeyLimiter;
  readonly origins: OriginCheck;
  readonly budget: BodyBudget;
  /** Unknown fields are refused where a request does not say. */
  readonly strict: boolean;
  /** Answers an assistant's message; absent: nobody does. */
  readonly answerMcp?:
    | ((request: ApiRequest, caller: Caller, body: Uint8Array) => Promise<HttpAnswer>)
    | undefined;
  readonly answerService: (
    name: ServiceRoute["name"],
    headers: IncomingHttpHeaders,
  ) => Promise<HttpAnswer>;
}

/** See the file's head. */
export class ApiHandler {
  readonly #options: ApiOptions;
  readonly #bodies = new NumberMap<RequestBody>();
  #nextBody = 0;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** Answers one request; never rejects. */
  async handle(request: ApiRequest): Promise<ApiOutcome> {
    const outcome = await this.#handle(request);
    return { ...outcome, answer: answerWithId(outcome.answer, request.id) };
  }

  async #handle(request: ApiRequest): Promise<ApiOutcome> {
    const { match } = request;
    let named = nameMatch(match);
    if (match.kind === "bad_message") return { ...named, answer: refusal(match, request) };
    try {
      if (match.kind === "page" || (match.kind === "service" && !match.route.guarded)) {
        return { ...named, answer: await this.#answerItself(match, request) };
      }
      const recent = this.#options.keys.whenRecent();
      if (recent !== undefined) await recent;
      const { headers, method = "GET" } = request.message;
      // Browsers ask without the key.
      const preflight = this.#options.origins.preflight(method, headers);
      if (preflight !== undefined) return { ...named, answer: preflight };
      this.#options.origins.check(headers);
      const caller = this.#options.keys.identify(headers.authorization);
      named = { ...named, ...actorOf(caller) };
      return { ...named, ...(await this.#answer(caller, request)) };
    } catch (error) {
      return { ...named, ...failure(error) };
    }
  }

  /** Answers a request of a known caller within the limits of its key. */
  async #answer(caller: Caller, request: ApiRequest): Promise<BodyOutcome> {
    const { limiter } = this.#options;
    const key = caller.kind === "anyone" ? undefined : caller.key;
    if (key !== undefined) limiter.admit(key);
    const outcome = await this.#serve(caller, request);
    if (key !== undefined) limiter.charge(key, outcome.bytesReceived + answerBytes(outcome.answer));
    return outcome;
  }

  async #serve(caller: Caller, request: ApiRequest): Promise<BodyOutcome> {
    const { match } = request;
    const scope = admit(caller, request);
    switch (match.kind) {
      case "service":
      case "page":
        return { answer: await this.#answerItself(match, request), bytesReceived: 0 };
      case "operation":
        return this.#operate(match, request, { scope, caller });
      case "trawl":
        return this.#handleTrawl(match, request, caller);
      case "mcp":
        return this.#handleMcp(request, caller);
      default:
        return { answer: refusal(match, request), bytesReceived: 0 };
    }
  }

  /** Answers what is about the server itself and not about data. */
  #answerItself(
    match: Extract<RouteMatch, { kind: "service" | "page" }>,
    { path, message: { headers } }: ApiRequest,
  ): Promise<HttpAnswer> {
    if (match.kind === "page") return answerPage(match.site, { path, headers });
    return this.#options.answerService(match.route.name, headers);
  }

  /** Looks for bodies that make no progress; to be called every `BODY_SWEEP_MS`. */
  sweep(): void {
    for (const body of this.#bodies.values()) body.tick(BODY_SWEEP_MS);
  }

  #operate(
    match: OperationMatch,
    request: ApiRequest,
    { caller, scope }: { readonly caller: Caller; readonly scope: RequestScope | undefined },
  ): Promise<BodyOutcome> {
    const { namespace } = match.parameters;
    const rules = { ...bodyBounds(match.route.operation), namespace };
    return this.#withBody(request, rules, async (body) => {
      const { strict, engine } = this.#options;
      return engine.handle({
        ...toEngineRequest(match, request, body),
        isStrict: asksForStrict(request.message.headers) ?? strict,
        ...(caller.kind !== "anyone" && { key: caller.key.id }),
        ...(scope !== undefined && { scope }),
      });
    });
  }

  async #handleTrawl(match: TrawlMatch, request: ApiRequest, caller: Caller): Promise<BodyOutcome> {
    const { route, parameters } = match;
    let target: string | undefined = parameters.id && clip(parameters.id);
    const rules = { bytesMax: TRAWL_BODY_BYTES_MAX, namespace: undefined };
    const outcome = await this.#withBody(request, rules, async (body) => {
      const { socket, headers } = request.message;
      const isLocal = isLocalClient(socket.remoteAddress, headers);
      const asked = { route, parameters, caller, isLocal, body };
      const handled = await handleTrawl(asked, this.#options.trawl);
      target = handled.target ?? target;
      return handled.answer;
    });
    return target === undefined ? outcome : { ...outcome, target };
  }

  async #handleMcp(request: ApiRequest, caller: Caller): Promise<BodyOutcome> {
    const { answerMcp } = this.#options;
    if (answerMcp === undefined) {
      const answer = errorBody(404, "assistants are not served here: the server has --no-mcp");
      return { answer, bytesReceived: 0 };
    }
    const rules = { bytesMax: MCP_BODY_BYTES_MAX, namespace: undefined };
    return this.#withBody(request, rules, async (body) =>
      answerMcp(request, caller, await body.whole()),
    );
  }

  /** Answers with the body at hand; what ended the body goes before what was made of it. */
  async #withBody(
    request: ApiRequest,
    rules: Pick<BodyRules, "bytesMax" | "heldBytesMax" | "namespace">,
    answerWith: (body: RequestBody) => Promise<HttpAnswer>,
  ): Promise<BodyOutcome> {
    const body = new RequestBody(request.message, {
      ...rules,
      budget: this.#options.budget,
      client: clientOf(request.message.socket.remoteAddress),
      beforeRead: request.beforeBody,
    });
    const number = this.#nextBody++;
    this.#bodies.set(number, body);
    try {
      const answer = await answerWith(body);
      const { fault, bytesReceived } = body;
      if (isGone(request, fault)) {
        const { times, spans, effects, refused } = answer;
        // What was done stays done: the audit tells of it also where nobody waits for the answer.
        const seen = {
          ...(times && { times }),
          ...(spans && { spans }),
          ...(effects && { effects }),
          ...(refused && { refused }),
        };
        return { answer: { ...CLIENT_GONE, ...seen }, bytesReceived };
      }
      return { ...(fault === undefined ? { answer } : failure(fault)), bytesReceived };
    } catch (error) {
      const { fault, bytesReceived } = body;
      if (isGone(request, fault)) return { answer: CLIENT_GONE, bytesReceived };
      return { ...failure(fault ?? error), bytesReceived };
    } finally {
      this.#bodies.delete(number);
      body.release();
    }
  }
}

/** Throws unless the caller may make the request; what it may see then. */
function admit(caller: Caller, { match, message }: ApiRequest): RequestScope | undefined {
  if (caller.kind === "anyone" && isForAdmins(match)) {
    if (isLocalClient(message.socket.remoteAddress, message.headers)) return undefined;
    throw new DatabaseError(
      "forbidden",
      "without API keys, keys and backups are managed from the server's own machine alone, not " +
        "through proxies: ask there for http://127.0.0.1, or start the server with --api-key",
    );
  }
  const need = needOf(match);
  return need && authorize(caller, need);
}

/** What of a body may come, and be in memory. */
function bodyBounds(operation: OperationName): Pick<BodyRules, "bytesMax" | "heldBytesMax"> {
  switch (operation) {
    case "write":
      return { bytesMax: WRITE_BODY_BYTES_MAX };
    case "import":
      return { bytesMax: Number.POSITIVE_INFINITY, heldBytesMax: IMPORT_HELD_BYTES_MAX };
    default:
      return { bytesMax: QUERY_BODY_BYTES_MAX };
  }
}

/** A body ends before the connection is known to be closed. */
function isGone({ signal }: ApiRequest, fault: Error | undefined): boolean {
  return signal.aborted || fault instanceof ClientLeft;
}

const CLIENT_GONE = errorBody(CLIENT_GONE_STATUS, "the client closed the connection");

function toEngineRequest(
  match: OperationMatch,
  request: ApiRequest,
  body: RequestBody,
): Omit<EngineRequest, "isStrict"> {
  const { namespace, ...parameters } = match.parameters;
  // The first of equal names wins, and path parameters win over the query string's.
  const all: Record<string, string> = Object.create(null);
  const { query } = request;
  if (query !== "") for (const [name, value] of new URLSearchParams(query)) all[name] ??= value;
  Object.assign(all, parameters);
  const { method } = match.route;
  const region = regionOf(request.path);
  return {
    operation: match.route.operation,
    ...(namespace !== undefined && { namespace: namespaceName(namespace) }),
    parameters: all,
    ...(METHODS_WITH_BODY.has(method) && { body: body.chunks() }),
    apiVersion: match.apiVersion,
    ...(region !== undefined && { region }),
    respondAsync: prefersAsync(request.message.headers.prefer),
    signal: request.signal,
    arrivedMs: request.arrivedMs,
    ...(request.detailsMs !== undefined && { detailsMs: request.detailsMs }),
    ...(request.trace !== undefined && { tracedAtMs: request.trace.arrivedAtMs }),
  };
}

/** Whether the request wants its unknown fields refused; undefined if it does not say. */
function asksForStrict({ [STRICT_HEADER]: asked }: IncomingHttpHeaders): boolean | undefined {
  if (asked === undefined) return undefined;
  if (asked === "true" || asked === "false") return asked === "true";
  const got = JSON.stringify(clip(String(asked)));
  throw invalid(`💔 the header ${STRICT_HEADER} must be "true" or "false", got ${got}`);
}

function prefersAsync(prefer: string | string[] | undefined): boolean {
  if (prefer === undefined) return false;
  const preferences = Array.isArray(prefer) ? prefer.join(",") : prefer;
  return preferences.split(/[,;]/).some((part) => part.trim().toLowerCase() === "respond-async");
}

function nameMatch(match: RouteMatch): Omit<ApiOutcome, "answer"> {
  if (match.kind === "service") return { operation: match.route.name, bytesReceived: 0 };
  if (match.kind === "page") return { operation: "page", bytesReceived: 0 };
  if (match.kind === "trawl") return { operation: match.route.name, bytesReceived: 0 };
  if (match.kind === "mcp") return { operation: "mcp", bytesReceived: 0 };
  if (match.kind !== "operation") return { operation: "none", bytesReceived: 0 };
  const { namespace } = match.parameters;
  const operation = match.route.operation;
  return { operation, bytesReceived: 0, ...(namespace !== undefined && { namespace }) };
}

/** Who a caller is, as the audit names it. */
function actorOf(caller: Caller): Pick<ApiOutcome, "actor"> {
  if (caller.kind === "anyone") return {};
  const { id: key, name } = caller.key;
  return { actor: { key, name, ...(caller.kind === "token" && { token: true }) } };
}

/** The answer to a request that no operation was found for. */
function refusal(
  match: Exclude<RouteMatch, { kind: "operation" | "service" | "page" | "trawl" | "mcp" }>,
  { message: { method = "GET" }, path }: ApiRequest,
): HttpAnswer {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  switch (match.kind) {
    case "bad_message": {
      const answer = errorBody(match.status, match.fault);
      // A malformed message leaves its end unknown, so the connection cannot be used again.
      return { ...answer, headers: { ...answer.headers, connection: "close" } };
    }
    case "bad_namespace":
      return {
        status: 400,
        headers: { "content-type": "text/plain; charset=utf-8" },
        body: new TextEncoder().encode(`Invalid URL: ${match.fault}`),
      };
    case "malformed":
      return errorBody(400, `Invalid URL: ${shown} has a percent sign that starts no escape`);
    case "wrong_method": {
      const allowed = match.allowed.join(", ");
      const served = `${method} is not served at ${shown} (served: ${allowed})`;
      const answer = errorBody(405, `${served}; did you mean ${match.nearest}?`);
      return { ...answer, headers: { ...answer.headers, allow: allowed } };
    }
    case "unknown":
      return errorBody(
        404,
        `🤷 there is no route ${method} ${shown}; did you mean ${match.nearest}?`,
      );
  }
}

function failure(error: unknown): Pick<ApiOutcome, "answer" | "bug"> {
  if (error instanceof BodyStalled) {
    const answer = errorBody(408, error.message);
    return { answer: { ...answer, headers: { ...answer.headers, connection: "close" } } };
  }
  if (error instanceof UnsupportedEncoding) return { answer: errorBody(415, error.message) };
  const answer = errorAnswer(error);
  if (answer.status === 500) return { answer, bug: error };
  if (answer.status !== 401) return { answer };
  return { answer: { ...answer, headers: { ...answer.headers, "www-authenticate": "Bearer" } } };
}
