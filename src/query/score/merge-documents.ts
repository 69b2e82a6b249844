import { assert } from "../../base/assert.ts";
import { mapInSteps, type Steps } from "../../base/steps.ts";
import { ScalarMap } from "../../base/tables/scalar-map.ts";
import type { Fusion } from "../../model/query.ts";
import type { QueryResult, ResultDocument } from "../../model/query-result.ts";
import type { DocumentId } from "../../model/value.ts";
import { roundScore } from "../documents/segment-scores.ts";

/** A document that at least one of several rankings has. */
export interface MergedDocument extends Pick<ResultDocument, "id" | "attributes" | "computed"> {
  /**
   * Sum of weight / (rankConstant + rank) over the rankings that have it, rank counted from 1, as a
   * float32; 0 without a fusion.
   */
  readonly dist: number;
}

/**
 * The documents of several rankings, each once, in the order in which they are met. A member comes
 * from the first ranking that returns it. Scores are summed in the order of the rankings.
 */
export function* mergeDocuments(
  results: readonly QueryResult[],
  fusion?: Fusion,
): Steps<MergedDocument[]> {
  const known = new ScalarMap<DocumentId, MergedMembers>();
  let seenCount = 0;
  for (const [index, result] of results.entries()) {
    assert(result.kind === "documents", "a ranking of aggregates");
    for (const [rank, { id, attributes, computed }] of result.documents.entries()) {
      const entry = known.getOrAdd(id, newMembers);
      for (const member of attributes) addMember(entry.attributes, member);
      for (const member of computed) addMember(entry.computed, member);
      if (fusion) entry.score += fusion.weights[index] / (fusion.rankConstant + rank + 1);
      if (++seenCount % DOCUMENTS_PER_STEP === 0) yield;
    }
  }
  return yield* mapInSteps(known.values, DOCUMENTS_PER_STEP, (entry) => ({
    id: entry.id,
    attributes: [...entry.attributes.values()],
    computed: [...entry.computed.values()],
    dist: roundScore(entry.score),
  }));
}

/** Documents that are merged between two pauses, in some microseconds each. */
const DOCUMENTS_PER_STEP = 256;

/** By name. */
interface MergedMembers {
  readonly id: DocumentId;
  readonly attributes: Map<string, ResultDocument["attributes"][number]>;
  readonly computed: Map<string, ResultDocument["computed"][number]>;
  score: number;
}

function newMembers(id: DocumentId): MergedMembers {
  return { id, attributes: new Map(), computed: new Map(), score: 0 };
}

function addMember<T extends readonly [string, ...unknown[]]>(
  members: Map<string, T>,
  member: T,
): void {
  if (!members.has(member[0])) members.set(member[0], member);
}
