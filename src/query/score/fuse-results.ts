/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) of several rankings into one. */

import { least } from "../../base/heap.ts";
import type { Steps } from "../../base/steps.ts";
import type { Fusion } from "../../model/query.ts";
import type { QueryResult } from "../../model/query-result.ts";
import { compareScalars } from "../../model/value.ts";
import { type MergedDocument, mergeDocuments } from "./merge-documents.ts";

/** Ranks each document by its score of all rankings that have it; best first, ties by id. */
export function* fuseResults(results: readonly QueryResult[], fusion: Fusion): Steps<QueryResult> {
  const merged = yield* mergeDocuments(results, fusion);
  const documents = yield* least(merged, fusion.offset + fusion.limit, compareScored);
  return { kind: "documents", documents: documents.slice(fusion.offset) };
}

/** Best first, ties by id, which no two have in common. */
function compareScored(a: MergedDocument, b: MergedDocument): number {
  return b.dist - a.dist || compareScalars(a.id, b.id);
}
