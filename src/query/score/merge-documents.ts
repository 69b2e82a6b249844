import { assert } from "../../base/assert.ts";
import { mapInSteps, type Steps } from "../../base/steps.ts";
import { ScalarMap } from "../../base/tables/scalar-map.ts";
import type { QueryResult, ResultDocument } from "../../model/query-result.ts";
import type { DocumentId } from "../../model/value.ts";

/** A document that at least one of several rankings has. */
export type MergedDocument = Pick<ResultDocument, "id" | "attributes" | "computed">;

/**
 * The documents of several rankings, each once, in the order in which they are met. A member comes
 * from the first ranking that returns it.
 */
export function* mergeDocuments(results: readonly QueryResult[]): Steps<MergedDocument[]> {
  const known = new ScalarMap<DocumentId, MergedMembers>();
  let seenCount = 0;
  for (const result of results) {
    assert(result.kind === "documents", "a ranking of aggregates");
    for (const { id, attributes, computed } of result.documents) {
      let entry = known.get(id);
      if (entry === undefined) {
        entry = { id, attributes: new Map(), computed: new Map() };
        known.set(id, entry);
      }
      for (const member of attributes) addMember(entry.attributes, member);
      for (const member of computed) addMember(entry.computed, member);
      if (++seenCount % DOCUMENTS_PER_STEP === 0) yield;
    }
  }
  return yield* mapInSteps(known.values, DOCUMENTS_PER_STEP, ({ id, attributes, computed }) => ({
    id,
    attributes: [...attributes.values()],
    computed: [...computed.values()],
  }));
}

/** Documents that are merged between two pauses, in some microseconds each. */
const DOCUMENTS_PER_STEP = 256;

/** By name. */
interface MergedMembers {
  readonly id: DocumentId;
  readonly attributes: Map<string, ResultDocument["attributes"][number]>;
  readonly computed: Map<string, ResultDocument["computed"][number]>;
}

function addMember<T extends readonly [string, ...unknown[]]>(
  members: Map<string, T>,
  member: T,
): void {
  if (!members.has(member[0])) members.set(member[0], member);
}
