/** The answer of an OpenAI-compatible service: checked, since another program made it. */

import { DatabaseError } from "../base/errors.ts";
import type { EmbeddingRequest, Embeddings } from "./embedding-provider.ts";
import { answerObject, parseModelAnswer, unusableAnswer } from "./model-answer.ts";

/** Reads vectors in the order of the texts. Throws `unavailable` if the answer is not usable. */
export function decodeEmbeddings(text: string, request: EmbeddingRequest): Embeddings {
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
