/**
 * Embeddings from any service that speaks the OpenAI API: `POST <url>/embeddings` with `model` and
 * `input`. Faults that may pass are tried again; what the service says of others reaches the user.
 */

import type { Clock } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";
import { askWithCutTexts } from "./cut-texts.ts";
import { KNOWN_MODELS, knownDimensions } from "./embedding-models.ts";
import type { EmbeddingProvider, EmbeddingRequest, Embeddings } from "./embedding-provider.ts";
import { EmbeddingRateLimit } from "./embedding-rate-limit.ts";
import { answerObject, parseModelAnswer, unusableAnswer } from "./model-answer.ts";
import { ModelService } from "./model-service.ts";

/** Texts of one request to an embedding service; our choice: above a write's and a query's. */
const EMBEDDING_BATCH_TEXTS = 32;

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

const OPENAI_HOST = "api.openai.com";

/** A service behind HTTP. */
export class HttpEmbeddingProvider implements EmbeddingProvider {
  readonly #options: HttpEmbeddingOptions;
  readonly #service: ModelService;
  /** OpenAI's own API takes its models without the name of the maker. */
  readonly #isOpenAi: boolean;
  readonly #rateLimit: EmbeddingRateLimit;

  constructor(options: HttpEmbeddingOptions) {
    this.#options = options;
    const { apiKey, clock } = options;
    const endpoint = `${options.url.replace(/\/+$/, "")}/embeddings`;
    this.#service = new ModelService({ task: "embedding", endpoint, apiKey, clock });
    this.#isOpenAi = new URL(endpoint).hostname === OPENAI_HOST;
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
      const batch = await askWithCutTexts(texts, (cut) =>
        this.#embedBatch({ ...request, texts: cut }, signal),
      );
      vectors.push(...batch.vectors);
      tokens += batch.tokens;
    }
    return { vectors, tokens };
  }

  #embedBatch(request: EmbeddingRequest, signal?: AbortSignal): Promise<Embeddings> {
    const { model, texts } = request;
    const units = texts.reduce((sum, text) => sum + text.length, 0);
    const estimate = Math.ceil(units / UNITS_PER_TOKEN);
    const asked = { model, body: this.#body(request), hint: hintFor(model) };
    return this.#service.retry(async () => {
      this.#rateLimit.take(model, estimate);
      const embeddings = decodeEmbeddings(await this.#service.post(asked, signal), request);
      this.#rateLimit.settle(model, estimate, embeddings.tokens);
      return embeddings;
    }, signal);
  }

  /** `dimensions` is sent only where needed, since many services know no such parameter. */
  #body({ model, texts, dimensions }: EmbeddingRequest): Record<string, unknown> {
    return {
      model: this.#isOpenAi ? model.replace(/^openai\//, "") : model,
      input: texts,
      encoding_format: "float",
      ...(dimensions === this.dimensionsOf(model) ? {} : { dimensions }),
    };
  }
}

function hintFor(model: string): string {
  return knownDimensions(model) === undefined ? `; known are ${KNOWN_MODELS.join(", ")}` : "";
}

/** Reads vectors in the order of the texts. Throws `unavailable` if the answer is not usable. */
function decodeEmbeddings(text: string, request: EmbeddingRequest): Embeddings {
  const { data, usage } = parseModelAnswer("embedding", text);
  if (!Array.isArray(data)) throw unusable("`data` is no array");
  if (data.length !== request.texts.length) {
    throw unusable(`${request.texts.length} texts gave ${data.length} vectors`);
  }
  const vectors: (Float32Array | undefined)[] = request.texts.map(() => undefined);
  data.forEach((item: unknown, position) => {
    const { index = position, embedding } = answerObject(
      "embedding",
      item,
      "an element of `data` is no object",
    );
    if (typeof index !== "number" || !(index in vectors)) throw unusable("`index` is out of range");
    vectors[index] = vectorOf(embedding, request);
  });
  return {
    vectors: vectors.map((vector) => {
      if (!vector) throw unusable("an index is missing");
      return vector;
    }),
    tokens: tokensOf(usage),
  };
}

function vectorOf(embedding: unknown, { model, dimensions }: EmbeddingRequest): Float32Array {
  if (!Array.isArray(embedding)) throw unusable("`embedding` is no array of numbers");
  if (embedding.length !== dimensions) {
    throw new DatabaseError(
      "invalid",
      `💔 embedding model "${model}" gave ${embedding.length} dimensions, ` +
        `but the attribute has ${dimensions} dimensions`,
    );
  }
  const vector = Float32Array.from(embedding, Number);
  if (!vector.every(Number.isFinite))
    throw unusable("`embedding` holds something else than numbers");
  return vector;
}

/** Services without usage figures count as none. */
function tokensOf(usage: unknown): number {
  const { total_tokens, prompt_tokens } = (usage ?? {}) as Record<string, unknown>;
  const tokens = Number(total_tokens ?? prompt_tokens ?? 0);
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

function unusable(reason: string): DatabaseError {
  return unusableAnswer("embedding", reason);
}
