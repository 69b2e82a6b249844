import { invalid } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { scaleToLength } from "../scale-to-length.ts";
import type { ModelFolder } from "./model-folder.ts";
import { parseTokenizer, type Tokenizer } from "./parse-tokenizer.ts";
import type { StaticEmbedding, StaticModel } from "./static-model.ts";

/** Tokens of a text that count, the first ones; model2vec's default. */
const TOKENS_MAX = 512;

/**
 * Embeds as model2vec does: the mean of the vectors of a text's first tokens, each by its weight,
 * scaled to length 1 if the folder says so. A text without a known token is all zeros.
 */
export class FolderModel implements StaticModel {
  readonly #folder: ModelFolder;
  readonly #tokenizer: Tokenizer;

  /** Parses the folder's tokenizer: some ten milliseconds for each ten thousand tokens. */
  constructor(folder: ModelFolder) {
    this.#folder = folder;
    const text = new TextDecoder().decode(Uint8Array.from(folder.tokenizer));
    this.#tokenizer = parseTokenizer(text);
  }

  get dimensions(): number {
    return this.#folder.dimensions;
  }

  *embed(text: string): Steps<StaticEmbedding> {
    const { dimensions, vectors, weights, places, normalizes } = this.#folder;
    const tokens = yield* this.#tokenizer.tokensOf(text, TOKENS_MAX);
    const sums = new Float64Array(dimensions);
    for (const token of tokens) {
      const weight = weights?.[token] ?? 1;
      const start = (places?.[token] ?? token) * dimensions;
      for (let i = 0; i < dimensions; i++) sums[i] += weight * vectors[start + i];
    }
    const vector = Float32Array.from(sums, (sum) => sum / Math.max(1, tokens.length));
    checkFinite(vector, this.#folder.name);
    if (normalizes) scaleToLength(vector, 1);
    return { vector, tokens: tokens.length };
  }
}

/** Throws `invalid` where weights and vectors, each of which is finite, are too much together. */
function checkFinite(vector: Float32Array, model: string): void {
  const wrong = vector.find((value) => !Number.isFinite(value));
  if (wrong === undefined) return;
  throw invalid(
    `💔 embedding model "${model}" makes a vector of ${wrong} from a text; its folder's weights ` +
      "or vectors are too large: name another model",
  );
}
