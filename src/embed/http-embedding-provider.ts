/**
 * Embeddings from any service that speaks the OpenAI API: `POST <url>/embeddings` with `model` and
 * `input`. Faults that may pass are tried again; what the service says of others reaches the user.
 */

import type { Clock } from "../base/clock.ts";
import { askWithCutTexts } from "./cut-texts.ts";
import { decodeEmbeddings } from "./embedding-answer.ts";
import { KNOWN_MODELS, knownDimensions } from "./embedding-models.ts";
import type { EmbeddingProvider, EmbeddingRequest, Embeddings } from "./embedding-provider.ts";
import { EmbeddingRateLimit } from "./embedding-rate-limit.ts";
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
