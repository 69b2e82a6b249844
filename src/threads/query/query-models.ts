/**
 * What a request leaves to models: the vectors of its texts, before it runs, and the order of what
 * was found.
 */

import type { Clock } from "../../base/clock.ts";
import type { EmbeddingProvider } from "../../embed/embedding-provider.ts";
import type { RerankProvider } from "../../embed/rerank-provider.ts";
import type { QueryRequest } from "../../model/query.ts";
import type { QueryResult } from "../../model/query-result.ts";
import type { EmbeddingStats } from "../../model/request-stats.ts";
import type { Schema } from "../../model/schema.ts";
import { checkRerank } from "../../query/bind/check-rerank.ts";
import { embedTexts, withEmbeddings } from "../../query/bind/embed-query.ts";
import { rerankCandidates, rerankedResult } from "../../query/score/rerank-results.ts";
import type { QueryLife } from "./turns/query-life.ts";
import type { QueryTurns } from "./turns/query-turns.ts";

/** A request without texts that wait to be embedded. */
export interface PreparedQuery {
  readonly request: QueryRequest;
  readonly embeddingStats: EmbeddingStats | undefined;
}

/**
 * Puts vectors in the place of texts, after it has checked what else depends on a service. Throws
 * `HandedOver`.
 */
export async function embedRequest(
  request: QueryRequest,
  schema: Schema,
  of: {
    readonly embedding: EmbeddingProvider;
    readonly reranking: RerankProvider;
    readonly clock: Clock;
    readonly turns: Pick<QueryTurns, "mayWait">;
  },
  life: QueryLife,
): Promise<PreparedQuery> {
  const { embedding, reranking, clock, turns } = of;
  if (request.rerank !== undefined) checkRerank(request.rerank, schema, reranking.models);
  const texts = embedTexts(request, schema);
  // No model is asked twice.
  if (texts.length > 0 || request.rerank !== undefined) turns.mayWait();
  if (texts.length === 0) return { request, embeddingStats: undefined };
  life.enter(embedStep);
  const startedMs = clock.monotonicMs();
  let tokens = 0;
  const vectors: Float32Array[] = [];
  for (const { text, model, dimensions } of texts) {
    const asked = embedding.embed({ model, texts: [text], dimensions }, life.signal);
    const embedded = await life.waitFor("embed", asked);
    vectors.push(...embedded.vectors);
    tokens += embedded.tokens;
  }
  const embeddingStats = { tokens, ms: clock.monotonicMs() - startedMs };
  return { request: withEmbeddings(request, vectors, schema), embeddingStats };
}

/** Has a model rank what was found, if the request asks for that. Results own their values. */
export async function rerankFound(
  results: readonly QueryResult[],
  { rerank }: QueryRequest,
  { reranking, turns }: { readonly reranking: RerankProvider; readonly turns: QueryTurns },
  life: QueryLife,
): Promise<readonly QueryResult[]> {
  if (rerank === undefined) return results;
  life.enter(rerankStep);
  const candidates = await turns.run(rerankCandidates(results, rerank), life);
  const { model, query } = rerank;
  const asked = { model, query, documents: candidates.texts };
  if (asked.documents.length === 0) return [rerankedResult(candidates, [], rerank)];
  const scores = await life.waitFor("rerank", reranking.rerank(asked, life.signal));
  return [rerankedResult(candidates, scores, rerank)];
}

const embedStep = (): string => "embedding its texts";
const rerankStep = (): string => "reranking what it found";
