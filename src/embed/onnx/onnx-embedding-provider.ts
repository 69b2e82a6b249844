/**
 * Asks the thread that runs ONNX models where a request names one, and leaves all other models to
 * another provider.
 */

import { DatabaseError, invalid } from "../../base/errors.ts";
import type { EmbeddingProvider, EmbeddingRequest, Embeddings } from "../embedding-provider.ts";
import type { FromOnnx, OnnxModelInfo, OnnxPort } from "./onnx-messages.ts";

/** What a provider needs. */
export interface OnnxEmbeddingOptions {
  readonly models: readonly OnnxModelInfo[];
  /** To the thread with the models. */
  readonly port: OnnxPort;
  /** Embeds with all models that are not among them. */
  readonly others: EmbeddingProvider;
}

/** See the file's head. */
export class OnnxEmbeddingProvider implements EmbeddingProvider {
  readonly #options: OnnxEmbeddingOptions;
  readonly #dimensions: ReadonlyMap<string, number>;
  readonly #waiting = new Map<number, PromiseWithResolvers<Embeddings>>();
  #calls = 0;

  constructor(options: OnnxEmbeddingOptions) {
    this.#options = options;
    const { models, port } = options;
    this.#dimensions = new Map(models.map(({ name, dimensions }) => [name, dimensions]));
    port.on("message", (message) => this.#onMessage(message));
  }

  dimensionsOf(model: string): number | undefined {
    return this.#dimensions.get(model) ?? this.#options.others.dimensionsOf(model);
  }

  async embed(request: EmbeddingRequest, signal?: AbortSignal): Promise<Embeddings> {
    const { model, texts, dimensions } = request;
    const own = this.#dimensions.get(model);
    if (own === undefined) return this.#options.others.embed(request, signal);
    if (dimensions !== own) {
      throw invalid(
        `💔 embedding model "${model}" makes vectors of ${own} dimensions, and ${dimensions} are ` +
          "asked for: leave `dims` out, or name another model",
      );
    }
    signal?.throwIfAborted();
    const call = this.#calls++;
    const waiting = Promise.withResolvers<Embeddings>();
    this.#waiting.set(call, waiting);
    const { port } = this.#options;
    const leave = () => {
      port.postMessage({ kind: "cancel", call });
      waiting.reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    port.postMessage({ kind: "embed", call, model, texts });
    try {
      return await waiting.promise;
    } finally {
      signal?.removeEventListener("abort", leave);
      this.#waiting.delete(call);
    }
  }

  /** What nobody waits for any more is passed over. */
  #onMessage(message: FromOnnx): void {
    const waiting = this.#waiting.get(message.call);
    if (message.kind === "embedded") {
      const { vectors, tokens } = message;
      waiting?.resolve({ vectors, tokens });
      return;
    }
    const { code, message: text, retryAfterMs } = message;
    waiting?.reject(
      new DatabaseError(code, text, retryAfterMs === undefined ? {} : { retryAfterMs }),
    );
  }
}
