/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) of several rankings into one. */

import { least } from "../../base/heap.ts";
import { mapInSteps, type Steps } from "../../base/steps.ts";
import { ScalarMap } from "../../base/tables/scalar-map.ts";
import type { Fusion } from "../../model/query.ts";
import type { QueryResult } from "../../model/query-result.ts";
import { compareScalars, type DocumentId } from "../../model/value.ts";
import { roundScore } from "../documents/segment-scores.ts";
import { mergeDocuments } from "./merge-documents.ts";

/**
 * Scores each document with the sum of weight / (rankConstant + rank) over the rankings that have
 * it, rank counted from 1; best first, ties by id.
 */
export function* fuseResults(results: readonly QueryResult[], fusion: Fusion): Steps<QueryResult> {
  const merged = yield* mergeDocuments(results);
  const scores = new ScalarMap<DocumentId, number>();
  for (const [index, result] of results.entries()) {
    if (result.kind !== "documents") continue;
    for (const [rank, { id }] of result.documents.entries()) {
      const score = fusion.weights[index] / (fusion.rankConstant + rank + 1);
      scores.set(id, (scores.get(id) ?? 0) + score);
      if (rank % DOCUMENTS_PER_STEP === DOCUMENTS_PER_STEP - 1) yield;
    }
  }
  const scored = yield* mapInSteps(merged, DOCUMENTS_PER_STEP, (document) => {
    return { ...document, dist: roundScore(scores.get(document.id) ?? 0) };
  });
  const documents = yield* least(scored, fusion.offset + fusion.limit, compareScored);
  return { kind: "documents", documents: documents.slice(fusion.offset) };
}

/** Documents that are scored between two pauses, in about a microsecond each. */
const DOCUMENTS_PER_STEP = 512;

/** Best first, ties by id, which no two have in common. */
function compareScored(
  a: { readonly id: DocumentId; readonly dist: number },
  b: { readonly id: DocumentId; readonly dist: number },
): number {
  return b.dist - a.dist || compareScalars(a.id, b.id);
}
