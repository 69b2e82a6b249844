/** A client of the HTTP API: one server, lasting connections, retries that the server asks for. */

import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { refusalOf, transportFault } from "./answer-fault.ts";
import { ApiAnswer } from "./api-answer.ts";
import { ClientError } from "./client-error.ts";
import { planRetry } from "./retry-plan.ts";

/** Connections to the server that are open at once; more requests wait for one. */
const CONNECTIONS_MAX = 64;
/** What is waited for one request in all, by default. */
const RETRY_WAIT_MS_MAX = 60_000;
/** How long a server may send nothing, by default: far above the 30 s that a query may take. */
const SILENCE_MS_MAX = 120_000;

/** Which server, and how patiently. */
export interface ClientOptions {
  /** As `parseBaseUrl` returns it. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** What messages call the server, if it is not one of Trawl. */
  readonly serverName?: string;
  /** How long the server may send nothing while a request is under way, in milliseconds. */
  readonly silenceMsMax?: number | undefined;
  /** What may be waited in all before one request is sent for the last time, in milliseconds. */
  readonly retryWaitMsMax?: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Told before each wait, so that nobody wonders. */
  readonly onRetry?: ((fault: ClientError, waitMs: number) => void) | undefined;
}

/** One request. */
export interface ApiRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Below the base URL; make it with `apiPath`. */
  readonly path: string;
  /** Query parameters; undefined ones are left out. */
  readonly parameters?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, instead of `json`; a function is called for each try. */
  readonly body?: string | Uint8Array | (() => AsyncIterable<Uint8Array>);
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether nothing changes if the request takes effect twice: then it is sent again also where
   * nobody knows what became of it. GET and HEAD are so by themselves.
   */
  readonly repeatable?: boolean;
  /** Whether it is never sent again, for measurements of single requests. */
  readonly once?: boolean;
  /** Ends the request; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Ends its repetition: what is under way is waited for, and not sent again if it fails. */
  readonly lastTry?: AbortSignal | undefined;
}

/** A path of segments, each escaped: `apiPath("v2", "namespaces", name)`. */
export function apiPath(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join("");
}

/** See the file's head. */
export class ApiClient {
  /** The server's base URL. */
  readonly url: string;
  readonly #options: ClientOptions;
  readonly #agent: http.Agent;
  #hasAnswered = false;

  constructor(options: ClientOptions) {
    this.url = options.url;
    this.#options = options;
    const { Agent } = options.url.startsWith("https:") ? https : http;
    this.#agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
  }

  /**
   * Sends a request, again where the server asks for it, and returns the answer once it begins.
   * Throws `ClientError` for every answer that is no success.
   */
  async send(request: ApiRequest): Promise<ApiAnswer> {
    const { clock, random, onRetry } = this.#options;
    const repeatable =
      request.repeatable ?? (request.method === "GET" || request.method === "HEAD");
    let waitedMs = 0;
    for (let tries = 1; ; tries++) {
      const sent = { unsent: true };
      try {
        return await this.#try(request, sent);
      } catch (error) {
        if (!(error instanceof ClientError) || request.once === true) throw error;
        const failed = { fault: error, tries, waitedMs, repeatable, ...sent };
        const knownServer = this.#hasAnswered;
        const waitMsMax = this.#options.retryWaitMsMax ?? RETRY_WAIT_MS_MAX;
        const waitMs = planRetry({ ...failed, knownServer }, waitMsMax, random);
        const { signal, lastTry } = request;
        if (waitMs === undefined || lastTry?.aborted) throw error;
        onRetry?.(error, waitMs);
        const signals = [signal, lastTry].filter((each) => each !== undefined);
        await clock.sleep(waitMs, AbortSignal.any(signals)).catch((reason: unknown) => {
          throw signal?.aborted ? reason : error;
        });
        waitedMs += waitMs;
      }
    }
  }

  /** Sends a request and reads its answer as `ApiAnswer.json` does. */
  async json<T>(request: ApiRequest): Promise<T> {
    return (await this.send(request)).json<T>();
  }

  /** Closes the connections; requests under way fail. */
  close(): void {
    this.#agent.destroy();
  }

  async #try(request: ApiRequest, sent: { unsent: boolean }): Promise<ApiAnswer> {
    request.signal?.throwIfAborted();
    const url = this.url + request.path + queryText(request.parameters);
    const body = request.json === undefined ? request.body : JSON.stringify(request.json);
    const { message, outgoing } = await this.#exchange(url, { request, body, sent });
    this.#hasAnswered = true;
    const answer = new ApiAnswer(url, message);
    const asked = { method: request.method, url, baseUrl: this.url };
    const fault = await refusalOf(answer, { ...asked, serverName: this.#options.serverName });
    if (fault === undefined) return answer;
    outgoing.destroy(); // The server has not asked for the rest of a body that it refuses.
    throw fault;
  }

  #exchange(
    url: string,
    { request, body, sent }: Exchange,
  ): Promise<{ message: http.IncomingMessage; outgoing: http.ClientRequest }> {
    const { silenceMsMax = SILENCE_MS_MAX } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<{
      message: http.IncomingMessage;
      outgoing: http.ClientRequest;
    }>();
    const outgoing = (url.startsWith("https:") ? https : http).request(url, {
      method: request.method,
      agent: this.#agent,
      headers: this.#headers(request, body),
      // The socket's own time without bytes in either direction, so that long bodies may take long.
      timeout: silenceMsMax,
      ...(request.signal && { signal: request.signal }),
    });
    let message: http.IncomingMessage | undefined;
    let sourceFault: unknown;
    outgoing.once("socket", (socket) => {
      const onConnect = () => {
        sent.unsent = false;
      };
      if (socket.connecting) socket.once("connect", onConnect);
      else onConnect();
    });
    outgoing.on("timeout", () => {
      const why = `${url} sent nothing for ${silenceMsMax / 1000} s; try a longer --timeout`;
      (message ?? outgoing).destroy(new ClientError("timed_out", why));
    });
    outgoing.on("response", (response) => {
      message = response;
      resolve({ message, outgoing });
    });
    outgoing.on("error", (error) => {
      if (request.signal?.aborted) return reject(request.signal.reason);
      if (sourceFault !== undefined) return reject(sourceFault);
      reject(
        error instanceof ClientError
          ? error
          : transportFault(error, this.url, this.#options.serverName),
      );
    });
    if (typeof body !== "function") outgoing.end(body);
    else {
      const source = Readable.from(
        noting(body(), (error) => {
          sourceFault = error;
        }),
      );
      // What goes wrong comes as the request's error, or with an answer that came before the end.
      pipeline(source, outgoing).catch(() => undefined);
    }
    return promise;
  }

  #headers({ json, headers }: ApiRequest, body: ApiRequest["body"]): http.OutgoingHttpHeaders {
    const { apiKey } = this.#options;
    return {
      accept: "application/json",
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined &&
        typeof body !== "function" && { "content-length": Buffer.byteLength(body) }),
      ...headers,
    };
  }
}

interface Exchange {
  readonly request: ApiRequest;
  readonly body: ApiRequest["body"];
  readonly sent: { unsent: boolean };
}

/** Passes a body on, and says what its source throws: that is no fault of the connection. */
async function* noting(
  body: AsyncIterable<Uint8Array>,
  onFault: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    onFault(error);
    throw error;
  }
}

function queryText(parameters: ApiRequest["parameters"] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) given.append(name, String(value));
  }
  return given.size === 0 ? "" : `?${given}`;
}
