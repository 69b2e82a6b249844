/** A small OpenAI-compatible embedding service for tests: a real HTTP server in this process. */

import { answerJson, startJsonService } from "./json-service.ts";

/** One request that the service saw. */
export interface EmbeddingCall {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions: number | undefined;
  readonly authorization: string | undefined;
}

/** How the next requests are answered. */
export type EmbeddingMood = "working" | "rate_limited" | "broken" | "too_long" | "misshapen";

/** The running service. */
export interface EmbeddingServer {
  readonly url: string;
  readonly calls: EmbeddingCall[];
  mood: EmbeddingMood;
  close(): Promise<void>;
}

/** Dimensions of vectors if a request asks for none. */
export const EMBEDDING_DIMENSIONS = 4;

/** Longest text that mood `too_long` takes, in characters. */
export const EMBEDDING_TEXT_MAX = 100;

interface SentBody {
  readonly model: string;
  readonly input: string | readonly string[];
  readonly dimensions?: number;
}

const FAULTS = {
  rate_limited: [429, "Rate limit reached for requests"],
  broken: [500, "The server had an error"],
} as const;

/** The service's vector of a text: counts of its letters, so that equal texts are equal vectors. */
export function letterVector(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const letter of text) vector[(letter.codePointAt(0) ?? 0) % dimensions] += 1;
  return vector;
}

/** Starts the service on a free port. */
export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const service = { calls: [] as EmbeddingCall[], mood: "working" as EmbeddingMood };
  const { url, close } = await startJsonService<SentBody>((body, response, request) => {
    const input = typeof body.input === "string" ? [body.input] : body.input;
    const { model, dimensions } = body;
    const { authorization } = request.headers;
    service.calls.push({ model, input, dimensions, authorization });
    const [status, answer] =
      request.url === "/v1/embeddings"
        ? answerTo(service.mood, input, dimensions ?? EMBEDDING_DIMENSIONS)
        : [404, { error: { message: `no route ${request.url}` } }];
    answerJson(response, status, answer, status === 429 ? { "retry-after": "1" } : {});
  });
  return Object.assign(service, { url: `${url}/v1`, close });
}

function answerTo(
  mood: EmbeddingMood,
  input: readonly string[],
  dimensions: number,
): [number, unknown] {
  if (mood === "rate_limited" || mood === "broken") {
    const [status, message] = FAULTS[mood];
    return [status, { error: { message } }];
  }
  if (mood === "misshapen") return [200, { data: [] }];
  if (mood === "too_long" && input.some((text) => text.length > EMBEDDING_TEXT_MAX)) {
    const message = "This model's maximum context length is 25 tokens";
    return [400, { error: { message, code: "context_length_exceeded" } }];
  }
  const data = input.map((text, index) => ({ index, embedding: letterVector(text, dimensions) }));
  const tokens = input.reduce((sum, text) => sum + text.split(" ").length, 0);
  // Any order is allowed: `index` says which text a vector belongs to.
  return [200, { data: data.reverse(), usage: { prompt_tokens: tokens, total_tokens: tokens } }];
}
