/**
 * Scores from any service with the common rerank request: `POST <url>/rerank` with `model`, `query`
 * and `documents`, answered with an `index` and a `relevance_score` for each. Such models look at
 * one document at a time, so that many may go in several requests.
 */

import type { Clock } from "../base/clock.ts";
import { askWithCutTexts } from "./cut-texts.ts";
import { answerObject, parseModelAnswer, unusableAnswer } from "./model-answer.ts";
import { ModelService } from "./model-service.ts";
import type { RerankProvider, RerankRequest } from "./rerank-provider.ts";

/** Documents of one request; our choice: what services take without being told otherwise. */
const RERANK_BATCH_DOCUMENTS = 100;
/** UTF-16 units of the documents of one request that has several; our choice. */
const RERANK_BATCH_CHARS = 2 ** 20;

/** Where the service is. */
export interface HttpRerankOptions {
  /** Base URL to which `/rerank` is added, such as `https://api.cohere.com/v2`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** Names of its models that queries may use. */
  readonly models: readonly string[];
  readonly clock: Clock;
}

/** A service behind HTTP. */
export class HttpRerankProvider implements RerankProvider {
  readonly models: readonly string[];
  readonly #service: ModelService;

  constructor({ url, apiKey, models, clock }: HttpRerankOptions) {
    this.models = models;
    const endpoint = `${url.replace(/\/+$/, "")}/rerank`;
    this.#service = new ModelService({ task: "reranking", endpoint, apiKey, clock });
  }

  async rerank(request: RerankRequest, signal?: AbortSignal): Promise<readonly number[]> {
    const scores: number[] = [];
    for (const documents of batchesOf(request.documents)) {
      const batch = await askWithCutTexts(documents, (cut) =>
        this.#rerankBatch({ ...request, documents: cut }, signal),
      );
      scores.push(...batch);
    }
    return scores;
  }

  #rerankBatch(
    { model, query, documents }: RerankRequest,
    signal?: AbortSignal,
  ): Promise<readonly number[]> {
    const body = { model, query, documents, top_n: documents.length, return_documents: false };
    return this.#service.retry(async () => {
      const text = await this.#service.post({ model, body, hint: "" }, signal);
      return decodeRelevanceScores(text, documents.length);
    }, signal);
  }
}

/** Divides documents into parts of bounded number and length, each with at least one. */
function batchesOf(documents: readonly string[]): string[][] {
  const batches: string[][] = [];
  let chars = 0;
  for (const document of documents) {
    chars += document.length;
    const last = batches.at(-1);
    if (last === undefined || last.length >= RERANK_BATCH_DOCUMENTS || chars > RERANK_BATCH_CHARS) {
      batches.push([document]);
      chars = document.length;
    } else {
      last.push(document);
    }
  }
  return batches;
}

/**
 * Reads the scores of a reranking service's answer, in the order of the documents. Throws
 * `unavailable` if it does not have one finite number for each of `documentCount`.
 */
function decodeRelevanceScores(text: string, documentCount: number): number[] {
  const { results } = parseModelAnswer("reranking", text);
  if (!Array.isArray(results)) throw unusableAnswer("reranking", "`results` is no array");
  if (results.length !== documentCount) {
    const reason = `${documentCount} documents gave ${results.length} results`;
    throw unusableAnswer("reranking", reason);
  }
  const scores = new Array<number | undefined>(documentCount).fill(undefined);
  for (const item of results as unknown[]) {
    const { index, relevance_score: score } = answerObject(
      "reranking",
      item,
      "an element of `results` is no object",
    );
    if (typeof score !== "number" || !Number.isFinite(score)) {
      throw unusableAnswer("reranking", "`relevance_score` is no number");
    }
    if (typeof index === "number" && index in scores) scores[index] = score;
  }
  return scores.map((score, index) => {
    if (score === undefined) throw unusableAnswer("reranking", `index ${index} is missing`);
    return score;
  });
}
