/** A small service with the common rerank request, for tests: a real HTTP server in this process. */

import { answerJson, startJsonService } from "./json-service.ts";

/** One request that the service saw. */
export interface RerankCall {
  readonly model: string;
  readonly query: string;
  readonly documents: readonly string[];
  readonly authorization: string | undefined;
}

/** How the next requests are answered. */
export type RerankMood = "working" | "rate_limited" | "broken" | "misshapen";

/** The running service. */
export interface RerankServer {
  readonly url: string;
  readonly calls: RerankCall[];
  mood: RerankMood;
  close(): Promise<void>;
}

type SentBody = Pick<RerankCall, "model" | "query" | "documents">;

/** The service's score of a text: how often it has the query, less one. */
export function occurrenceScore(text: string, query: string): number {
  return text.split(query).length - 2;
}

/** Starts the service on a free port. */
export async function startRerankServer(): Promise<RerankServer> {
  const service = { calls: [] as RerankCall[], mood: "working" as RerankMood };
  const { url, close } = await startJsonService<SentBody>((body, response, request) => {
    const { model, query, documents } = body;
    const { authorization } = request.headers;
    service.calls.push({ model, query, documents, authorization });
    const [status, answer] = answerTo(service.mood, query, documents);
    answerJson(response, status, answer, status === 429 ? { "retry-after": "1" } : {});
  });
  return Object.assign(service, { url: `${url}/v2`, close });
}

function answerTo(
  mood: RerankMood,
  query: string,
  documents: readonly string[],
): [number, unknown] {
  if (mood === "rate_limited") return [429, { message: "Rate limit reached" }];
  if (mood === "broken") return [500, { message: "The server had an error" }];
  if (mood === "misshapen") return [200, { results: [] }];
  const results = documents.map((text, index) => ({
    index,
    relevance_score: occurrenceScore(text, query),
    document: { text },
  }));
  return [200, { id: "1", results: results.sort((a, b) => b.relevance_score - a.relevance_score) }];
}
