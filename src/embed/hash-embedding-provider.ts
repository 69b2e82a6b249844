/**
 * Deterministic vectors without a model: words and their three-letter parts, hashed to signed
 * dimensions ("feature hashing", Weinberger et al. 2009) and scaled to length 1. Texts that share
 * words are near each other; meaning is beyond it. For tests and offline trials.
 */

import { knownDimensions } from "./embedding-models.ts";
import type { EmbeddingProvider, EmbeddingRequest, Embeddings } from "./embedding-provider.ts";
import { hashText } from "./hash-text.ts";

/** Dimensions for models that are not known by name. */
const DIMENSIONS_DEFAULT = 256;
/** Parts tie together forms of a word; whole words count more. */
const WORD_WEIGHT = 1;
const PART_WEIGHT = 0.35;
const PART_LENGTH = 3;

/** An embedder that needs nothing but the text. */
export const hashEmbeddingProvider: EmbeddingProvider = {
  embed: (request) => Promise.resolve(embedAll(request)),
  dimensionsOf: (model) => knownDimensions(model) ?? DIMENSIONS_DEFAULT,
};

function embedAll({ texts, dimensions }: EmbeddingRequest): Embeddings {
  let tokens = 0;
  const vectors = texts.map((text) => {
    const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    tokens += Math.max(1, words.length);
    return embedWords(words, dimensions);
  });
  return { vectors, tokens };
}

function embedWords(words: readonly string[], dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const word of words) {
    addFeature(sums, word, WORD_WEIGHT);
    const framed = `<${word}>`;
    for (let i = 0; i + PART_LENGTH <= framed.length; i++) {
      addFeature(sums, framed.slice(i, i + PART_LENGTH), PART_WEIGHT);
    }
  }
  const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0));
  // A text without words, or whose features cancel out, still needs a direction.
  if (length === 0) sums[0] = 1;
  return Float32Array.from(sums, (value) => value / (length || 1));
}

function addFeature(sums: Float64Array, feature: string, weight: number): void {
  const hash = hashText(feature);
  const sign = hash >>> 31 === 1 ? -1 : 1;
  sums[(hash & 0x7fffffff) % sums.length] += sign * weight;
}
