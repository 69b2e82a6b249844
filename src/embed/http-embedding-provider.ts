/**
 * Embeddings from any service that speaks the OpenAI API: `POST <url>/embeddings` with `model` and
 * `input`. Faults that may pass are tried again; what the service says of others reaches the user.
 */

import { MIB } from "../base/byte-sizes.ts";
import type { Clock } from "../base/clock.ts";
import { DatabaseError, invalid, isDatabaseError } from "../base/errors.ts";
import { decodeEmbeddings } from "./embedding-answer.ts";
import { KNOWN_MODELS, knownDimensions } from "./embedding-models.ts";
import type { EmbeddingProvider, EmbeddingRequest, Embeddings } from "./embedding-provider.ts";
import { EmbeddingRateLimit } from "./embedding-rate-limit.ts";

/** Texts of one request to an embedding service; our choice: above a write's and a query's. */
const EMBEDDING_BATCH_TEXTS = 32;
/** Longest text sent to an embedding service, in UTF-16 units: about 8,192 tokens of English. */
const EMBEDDING_TEXT_CHARS_MAX = 32_768;
/** How often a text that is too long for its model is halved before the request fails. */
const EMBEDDING_HALVINGS_MAX = 5;
/** Answer of an embedding service; our choice: 32 vectors of 10,752 long decimals. */
const EMBEDDING_ANSWER_BYTES_MAX = 16 * MIB;
/** How long one request to an embedding service may take. */
const EMBEDDING_TIMEOUT_MS = 20_000;
/** Tries of one request to an embedding service that does not answer. */
const EMBEDDING_ATTEMPTS_MAX = 3;
/** First wait between such tries; each next is twice as long. */
const EMBEDDING_RETRY_MS_MIN = 200;

/** Where the service is. */
export interface HttpEmbeddingOptions {
  /** Base URL to which `/embeddings` is added, such as `https://api.openai.com/v1`. */
  readonly url: string;
  readonly apiKey?: string;
  /** Dimensions by model, for models that are not known by name. */
  readonly dimensions?: ReadonlyMap<string, number>;
  readonly clock: Clock;
  readonly rateLimit?: EmbeddingRateLimit;
}

/** About how many UTF-16 units make a token, for the rate limit before the service has counted. */
const UNITS_PER_TOKEN = 4;

/** OpenAI's own API takes its models without the name of the maker. */
const OPENAI_HOST = "api.openai.com";

/** A service behind HTTP. */
export class HttpEmbeddingProvider implements EmbeddingProvider {
  readonly #options: HttpEmbeddingOptions;
  readonly #endpoint: string;
  readonly #rateLimit: EmbeddingRateLimit;

  constructor(options: HttpEmbeddingOptions) {
    this.#options = options;
    this.#endpoint = `${options.url.replace(/\/+$/, "")}/embeddings`;
    this.#rateLimit = options.rateLimit ?? new EmbeddingRateLimit(options.clock);
  }

  dimensionsOf(model: string): number | undefined {
    return this.#options.dimensions?.get(model) ?? knownDimensions(model);
  }

  async embed(request: EmbeddingRequest, signal?: AbortSignal): Promise<Embeddings> {
    const vectors: Float32Array[] = [];
    let tokens = 0;
    for (let i = 0; i < request.texts.length; i += EMBEDDING_BATCH_TEXTS) {
      const texts = request.texts.slice(i, i + EMBEDDING_BATCH_TEXTS);
      const batch = await this.#embedBatch({ ...request, texts }, signal);
      vectors.push(...batch.vectors);
      tokens += batch.tokens;
    }
    return { vectors, tokens };
  }

  /** Embeds few texts; those that the model finds too long are halved until it takes them. */
  async #embedBatch(request: EmbeddingRequest, signal?: AbortSignal): Promise<Embeddings> {
    let unitsMax = EMBEDDING_TEXT_CHARS_MAX;
    for (let halvings = 0; ; halvings++) {
      const texts = request.texts.map((text) => cutText(text, unitsMax));
      try {
        return await this.#embedWithRetries({ ...request, texts }, signal);
      } catch (error) {
        if (!isTooLong(error) || halvings >= EMBEDDING_HALVINGS_MAX) throw error;
        unitsMax = Math.max(...texts.map((text) => text.length)) >> 1;
      }
    }
  }

  async #embedWithRetries(request: EmbeddingRequest, signal?: AbortSignal): Promise<Embeddings> {
    const { model, texts } = request;
    const units = texts.reduce((sum, text) => sum + text.length, 0);
    const estimate = Math.ceil(units / UNITS_PER_TOKEN);
    for (let attempt = 1; ; attempt++) {
      this.#rateLimit.take(model, estimate);
      try {
        const embeddings = await this.#call(request, signal);
        this.#rateLimit.settle(model, estimate, embeddings.tokens);
        return embeddings;
      } catch (error) {
        signal?.throwIfAborted();
        if (!isDatabaseError(error, "unavailable") || attempt >= EMBEDDING_ATTEMPTS_MAX)
          throw error;
        await this.#options.clock.sleep(EMBEDDING_RETRY_MS_MIN * 2 ** (attempt - 1), signal);
      }
    }
  }

  async #call(request: EmbeddingRequest, signal?: AbortSignal): Promise<Embeddings> {
    const timeout = new AbortController();
    const ended = new AbortController();
    const { clock } = this.#options;
    clock.sleep(EMBEDDING_TIMEOUT_MS, ended.signal).then(
      () => timeout.abort(),
      () => undefined, // The call ended first.
    );
    const signals = signal ? [signal, timeout.signal] : [timeout.signal];
    try {
      const response = await fetch(this.#endpoint, {
        method: "POST",
        headers: this.#headers(),
        body: JSON.stringify(this.#body(request)),
        signal: AbortSignal.any(signals),
      });
      const text = await readBounded(response);
      if (!response.ok) throw this.#refusal(request.model, response, text);
      return decodeEmbeddings(text, request);
    } catch (error) {
      if (isDatabaseError(error)) throw error;
      throw timeout.signal.aborted
        ? unavailable(`does not answer within ${EMBEDDING_TIMEOUT_MS} ms`, error)
        : unavailable("cannot be reached", error);
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

  /** `dimensions` is sent only where needed, since many services know no such parameter. */
  #body({ model, texts, dimensions }: EmbeddingRequest): Record<string, unknown> {
    const isOpenAi = new URL(this.#endpoint).hostname === OPENAI_HOST;
    return {
      model: isOpenAi ? model.replace(/^openai\//, "") : model,
      input: texts,
      encoding_format: "float",
      ...(dimensions === this.dimensionsOf(model) ? {} : { dimensions }),
    };
  }

  #refusal(model: string, response: Response, text: string): DatabaseError {
    const { status } = response;
    const { apiKey } = this.#options;
    // Some services repeat the key that they refuse. It goes before the text is cut.
    const said = messageOf(apiKey === undefined ? text : text.replaceAll(apiKey, "…"));
    if (status === 429) {
      return new DatabaseError("overloaded", `💔 embedding service is overloaded: ${said}`, {
        retryAfterMs: retryAfterMs(response.headers),
      });
    }
    if (status === 401 || status === 403) {
      return new DatabaseError(
        "unavailable",
        `embedding service refuses this server's key (${status}): ${said}`,
      );
    }
    if (status >= 500 || status === 408) return unavailable(`answers ${status}: ${said}`);
    const hint =
      knownDimensions(model) === undefined ? `; known are ${KNOWN_MODELS.join(", ")}` : "";
    return invalid(`💔 embedding with model "${model}" failed (${status}): ${said}${hint}`);
  }
}

/** Cuts without leaving half of a surrogate pair. */
function cutText(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  const last = text.charCodeAt(unitsMax - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? unitsMax - 1 : unitsMax);
}

/** Services have no common code for a text that is too long, but similar words. */
const TOO_LONG =
  /context length|too long|too many tokens|maximum.{0,40}tokens|tokens.{0,40}(exceed|limit)/i;

function isTooLong(error: unknown): boolean {
  return isDatabaseError(error, "invalid") && TOO_LONG.test(error.message);
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > EMBEDDING_ANSWER_BYTES_MAX) {
      throw unavailable(`sends more than ${EMBEDDING_ANSWER_BYTES_MAX} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The service's own words: OpenAI's error shape, or the start of the text. */
function messageOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = (body as { error?: unknown } | null)?.error;
    const message = (error as { message?: unknown } | null)?.message ?? error;
    if (typeof message === "string") return message.slice(0, 500);
  } catch {
    // No JSON: the text itself is all there is.
  }
  return text.slice(0, 200);
}

/** `retry-after-ms`, or `retry-after` in seconds; one second if neither is given. */
function retryAfterMs(headers: Headers): number {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (ms >= 0) return Math.ceil(ms);
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return seconds >= 0 ? Math.ceil(seconds * 1000) : 1000;
}

function unavailable(reason: string, cause?: unknown): DatabaseError {
  return new DatabaseError("unavailable", `embedding service ${reason}`, { cause });
}
