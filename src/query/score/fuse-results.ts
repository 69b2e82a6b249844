/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) of several rankings into one. */

import { assert } from "../../base/assert.ts";
import type { Fusion } from "../../model/query.ts";
import type { QueryResult, ResultDocument } from "../../model/query-result.ts";
import { compareScalars, type DocumentId } from "../../model/value.ts";
import { roundScore } from "./segment-scores.ts";

/** One document on the way into the fused list. */
interface FusedDocument {
  readonly id: DocumentId;
  score: number;
  /** By name, from the first subquery that returned it. */
  readonly attributes: Map<string, ResultDocument["attributes"][number]>;
  readonly computed: Map<string, ResultDocument["computed"][number]>;
}

/**
 * Scores each document with the sum of weight / (rankConstant + rank) over the rankings that have
 * it, rank counted from 1; best first, ties by id.
 */
export function fuseResults(results: readonly QueryResult[], fusion: Fusion): QueryResult {
  const fused = new Map<DocumentId, FusedDocument>();
  results.forEach((result, index) => {
    assert(result.kind === "documents", "fusion of aggregates");
    result.documents.forEach((document, rank) => {
      const entry = fused.get(document.id) ?? newEntry(document.id);
      fused.set(document.id, entry);
      entry.score += fusion.weights[index] / (fusion.rankConstant + rank + 1);
      for (const member of document.attributes) addMember(entry.attributes, member);
      for (const member of document.computed) addMember(entry.computed, member);
    });
  });
  const documents = [...fused.values()]
    .map(({ id, score, attributes, computed }) => ({
      id,
      dist: roundScore(score),
      attributes: [...attributes.values()],
      computed: [...computed.values()],
    }))
    .sort((a, b) => b.dist - a.dist || compareScalars(a.id, b.id))
    .slice(fusion.offset, fusion.offset + fusion.limit);
  return { kind: "documents", documents };
}

function newEntry(id: DocumentId): FusedDocument {
  return { id, score: 0, attributes: new Map(), computed: new Map() };
}

function addMember<T extends readonly [string, ...unknown[]]>(
  members: Map<string, T>,
  member: T,
): void {
  if (!members.has(member[0])) members.set(member[0], member);
}
