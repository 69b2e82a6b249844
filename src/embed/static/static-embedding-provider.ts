/**
 * Embeds with static models where a request names one, and leaves all other models to another
 * provider. A model is made when it is asked for first.
 */

import type { Clock } from "../../base/clock.ts";
import { invalid } from "../../base/errors.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { Slices } from "../../base/slices.ts";
import type { Steps } from "../../base/steps.ts";
import { cutModelText } from "../cut-texts.ts";
import type { EmbeddingProvider, EmbeddingRequest, Embeddings } from "../embedding-provider.ts";
import type { StaticModel } from "./static-model.ts";

/** A model that is there, and how it is made. */
export interface StaticModelSource {
  readonly dimensions: number;
  /** Memory that each thread takes which has loaded it; an upper bound. */
  readonly threadBytes: number;
  /** Throws what a request for the model should hear. */
  load(): Promise<StaticModel>;
}

/** What a provider needs. */
export interface StaticEmbeddingOptions {
  /** By name. */
  readonly models: ReadonlyMap<string, StaticModelSource>;
  /** Embeds with all models that are not static. */
  readonly others: EmbeddingProvider;
  readonly clock: Clock;
}

/** See the file's head. */
export class StaticEmbeddingProvider implements EmbeddingProvider {
  readonly #options: StaticEmbeddingOptions;
  readonly #loaded = new Map<string, Promise<StaticModel>>();

  constructor(options: StaticEmbeddingOptions) {
    this.#options = options;
  }

  dimensionsOf(model: string): number | undefined {
    const { models, others } = this.#options;
    return models.get(model)?.dimensions ?? others.dimensionsOf(model);
  }

  /** Memory that this thread takes for each model that it has loaded, by name. */
  loadedBytes(): ReadonlyMap<string, number> {
    const { models } = this.#options;
    return new Map(
      [...this.#loaded.keys()].map((name) => [name, models.get(name)?.threadBytes ?? 0]),
    );
  }

  async embed(request: EmbeddingRequest, signal?: AbortSignal): Promise<Embeddings> {
    const { models, others } = this.#options;
    const source = models.get(request.model);
    if (source === undefined) return others.embed(request, signal);
    const { model: name, texts, dimensions } = request;
    if (dimensions !== source.dimensions) {
      throw invalid(
        `💔 embedding model "${name}" makes vectors of ${source.dimensions} dimensions, ` +
          `and ${dimensions} are asked for: leave \`dims\` out, or name another model`,
      );
    }
    const model = await this.#load(name, source);
    const { clock } = this.#options;
    const check = () => signal?.throwIfAborted();
    return new Slices({ clock, yield: nextTurn, check }).run(embedAll(model, texts));
  }

  /** What failed is tried again by the next request. */
  async #load(name: string, source: StaticModelSource): Promise<StaticModel> {
    const loading = this.#loaded.get(name) ?? source.load();
    this.#loaded.set(name, loading);
    try {
      return await loading;
    } catch (error) {
      this.#loaded.delete(name);
      throw error;
    }
  }
}

function* embedAll(model: StaticModel, texts: readonly string[]): Steps<Embeddings> {
  const vectors: Float32Array[] = [];
  let tokens = 0;
  for (const text of texts) {
    const embedded = yield* model.embed(cutModelText(text));
    vectors.push(embedded.vector);
    tokens += embedded.tokens;
    yield;
  }
  return { vectors, tokens };
}
