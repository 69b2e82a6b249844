import { answerObject, parseModelAnswer, unusableAnswer } from "./model-answer.ts";

/**
 * Reads the scores of a reranking service's answer, in the order of the documents. Throws
 * `unavailable` if it does not have one finite number for each of `documentCount`.
 */
export function decodeRelevanceScores(text: string, documentCount: number): number[] {
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
