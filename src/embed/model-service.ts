/**
 * A service that runs models behind HTTP: JSON in, JSON out, within a time and a size. Transient
 * faults are tried again. Clients read the service's messages about a refused model or text. Its
 * other messages are about the server's account and network, and only logs have them.
 */

import { MIB } from "../base/byte-sizes.ts";
import type { Clock } from "../base/clock.ts";
import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { refusedByModel } from "./cut-texts.ts";

/** Answer of such a service; our choice: 32 vectors of 10,752 long decimals. */
const ANSWER_BYTES_MAX = 16 * MIB;
/** How long one request may take. */
const REQUEST_MS_MAX = 20_000;
/** Tries of one request to a service that does not answer. */
const ATTEMPTS_MAX = 3;
/** First wait between such tries; each next is twice as long. */
const RETRY_MS_MIN = 200;

/** Where the service is and what it does. */
export interface ModelServiceOptions {
  /** For messages: "embedding service". */
  readonly task: "embedding" | "reranking";
  /** URL that requests are posted to. */
  readonly endpoint: string;
  readonly apiKey?: string | undefined;
  readonly clock: Clock;
}

/** A request for one model. */
export interface ModelRequest {
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What to add where the service refuses the model or a text; may be empty. */
  readonly hint: string;
}

/** See the file's head. */
export class ModelService {
  readonly #options: ModelServiceOptions;

  constructor(options: ModelServiceOptions) {
    this.#options = options;
  }

  /**
   * Calls `attempt`, and again while it throws `unavailable`, a few times. An aborted `signal` ends
   * that with its reason.
   */
  async retry<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let tried = 1; ; tried++) {
      try {
        return await attempt();
      } catch (error) {
        signal?.throwIfAborted();
        if (!isDatabaseError(error, "unavailable") || tried >= ATTEMPTS_MAX) throw error;
        await this.#options.clock.sleep(RETRY_MS_MIN * 2 ** (tried - 1), signal);
      }
    }
  }

  /**
   * Sends one request and reads the text of its answer. Throws `overloaded` with a time to wait,
   * `unavailable` where the service fails, `invalid` where it refuses the model or a text.
   */
  async post(request: ModelRequest, signal?: AbortSignal): Promise<string> {
    const { clock, endpoint } = this.#options;
    const timeout = new AbortController();
    const ended = new AbortController();
    clock.sleep(REQUEST_MS_MAX, ended.signal).then(
      () => timeout.abort(),
      () => undefined, // The call ended first.
    );
    const signals = signal ? [signal, timeout.signal] : [timeout.signal];
    try {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: this.#headers(),
        body: JSON.stringify(request.body),
        signal: AbortSignal.any(signals),
      });
      const text = await this.#readBounded(response);
      if (!response.ok) throw this.#refusal(request, response, text);
      return text;
    } catch (error) {
      if (isDatabaseError(error)) throw error;
      throw timeout.signal.aborted
        ? this.#unavailable(`does not answer within ${REQUEST_MS_MAX} ms`, { cause: error })
        : this.#unavailable("cannot be reached", { said: causeOf(error), cause: error });
    } finally {
      ended.abort();
    }
  }

  #headers(): Record<string, string> {
    const { apiKey } = this.#options;
    return {
      "content-type": "application/json",
      accept: "application/json",
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
  }

  async #readBounded(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) {
        throw this.#unavailable(`sends more than ${ANSWER_BYTES_MAX} bytes`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  #refusal({ model, hint }: ModelRequest, response: Response, text: string): DatabaseError {
    const { task } = this.#options;
    const { status } = response;
    const { apiKey } = this.#options;
    // Some services repeat the key that they refuse. It goes before the text is cut.
    const { said, isMessage } = messageOf(
      apiKey === undefined ? text : text.replaceAll(apiKey, "…"),
    );
    if (status === 429) {
      const clientMessage = `💔 ${task} service is overloaded`;
      return new DatabaseError("overloaded", `${clientMessage}: ${said}`, {
        retryAfterMs: retryAfterMs(response.headers),
        clientMessage,
      });
    }
    if (status === 401 || status === 403) {
      return this.#unavailable(`refuses this server's key (${status})`, { said });
    }
    if (status >= 500 || status === 408) {
      return this.#unavailable(`answers ${status}`, { said });
    }
    const what = `💔 ${task} with model "${model}" failed (${status})`;
    // Pages of proxies are no words of the service.
    const clientMessage = isMessage ? undefined : `${what}${hint}`;
    return refusedByModel(`${what}: ${said}${hint}`, said, { clientMessage });
  }

  #unavailable(
    reason: string,
    { said, cause }: { readonly said?: string; readonly cause?: unknown } = {},
  ): DatabaseError {
    const what = `${this.#options.task} service ${reason}`;
    if (said === undefined) return new DatabaseError("unavailable", what, { cause });
    return new DatabaseError("unavailable", `${what}: ${said}`, { cause, clientMessage: what });
  }
}

/** The service's own words: OpenAI's error shape, or the start of the text, which is no message. */
function messageOf(text: string): { readonly said: string; readonly isMessage: boolean } {
  try {
    const body: unknown = JSON.parse(text);
    const error = (body as { error?: unknown } | null)?.error;
    const message = (error as { message?: unknown } | null)?.message ?? error;
    if (typeof message === "string") return { said: message.slice(0, 500), isMessage: true };
  } catch {
    // No JSON: the text itself is all there is.
  }
  return { said: text.slice(0, 200), isMessage: false };
}

/** The system's words for a connection that failed, which `fetch` has in its error's cause. */
function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const said = cause instanceof Error ? cause : error;
  return said instanceof Error ? said.message : String(said);
}

/** `retry-after-ms`, or `retry-after` in seconds; one second if neither is given. */
function retryAfterMs(headers: Headers): number {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return Math.ceil(ms);
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return seconds >= 0 ? Math.ceil(seconds * 1000) : 1000;
}
