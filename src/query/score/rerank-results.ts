/** Rankings made into one by the scores that a model gives to a text of each document. */

import type { Steps } from "../../base/steps.ts";
import type { ModelRerank } from "../../model/query.ts";
import type { QueryResult } from "../../model/query-result.ts";
import { compareScalars } from "../../model/value.ts";
import { roundScore } from "../documents/segment-scores.ts";
import { type MergedDocument, mergeDocuments } from "./merge-documents.ts";

/** What is to be scored. */
export interface RerankCandidates {
  /** Those that have a text, each once. */
  readonly documents: readonly MergedDocument[];
  /** Theirs, in the same order; none is empty. */
  readonly texts: readonly string[];
  /** Those that have none. */
  readonly textless: readonly MergedDocument[];
}

/** Finds the documents of all rankings, and their texts. */
export function* rerankCandidates(
  results: readonly QueryResult[],
  { attribute }: ModelRerank,
): Steps<RerankCandidates> {
  const documents: MergedDocument[] = [];
  const texts: string[] = [];
  const textless: MergedDocument[] = [];
  for (const document of yield* mergeDocuments(results)) {
    const text = document.attributes.find(([name]) => name === attribute)?.[2];
    if (typeof text !== "string" || text === "") {
      textless.push(document);
    } else {
      documents.push(document);
      texts.push(text);
    }
  }
  return { documents, texts, textless };
}

/**
 * The window of the ranking by `scores`, of which each text has one: the highest first, ties by id.
 * Documents without a text come last, by id and without a score.
 */
export function rerankedResult(
  { documents, textless }: RerankCandidates,
  scores: readonly number[],
  { limit, offset }: ModelRerank,
): QueryResult {
  const scored = documents
    .map((document, i) => ({ ...document, dist: roundScore(scores[i]) }))
    .sort((a, b) => b.dist - a.dist || compareScalars(a.id, b.id));
  const unscored = textless
    .map((document) => ({ ...document, dist: undefined }))
    .sort((a, b) => compareScalars(a.id, b.id));
  return { kind: "documents", documents: [...scored, ...unscored].slice(offset, offset + limit) };
}
