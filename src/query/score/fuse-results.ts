/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) of several rankings into one. */

import type { Fusion } from "../../model/query.ts";
import type { QueryResult } from "../../model/query-result.ts";
import { compareScalars, type DocumentId } from "../../model/value.ts";
import { mergeDocuments } from "./merge-documents.ts";
import { roundScore } from "./segment-scores.ts";

/**
 * Scores each document with the sum of weight / (rankConstant + rank) over the rankings that have
 * it, rank counted from 1; best first, ties by id.
 */
export function fuseResults(results: readonly QueryResult[], fusion: Fusion): QueryResult {
  const merged = mergeDocuments(results);
  const scores = new Map<DocumentId, number>();
  results.forEach((result, index) => {
    if (result.kind !== "documents") return;
    result.documents.forEach(({ id }, rank) => {
      const score = fusion.weights[index] / (fusion.rankConstant + rank + 1);
      scores.set(id, (scores.get(id) ?? 0) + score);
    });
  });
  const documents = merged
    .map((document) => ({ ...document, dist: roundScore(scores.get(document.id) ?? 0) }))
    .sort((a, b) => b.dist - a.dist || compareScalars(a.id, b.id))
    .slice(fusion.offset, fusion.offset + fusion.limit);
  return { kind: "documents", documents };
}
