import { assert } from "../../base/assert.ts";
import type { QueryResult, ResultDocument } from "../../model/query-result.ts";
import type { DocumentId } from "../../model/value.ts";

/** A document that at least one of several rankings has. */
export type MergedDocument = Pick<ResultDocument, "id" | "attributes" | "computed">;

/**
 * The documents of several rankings, each once, in the order in which they are met. A member comes
 * from the first ranking that returns it.
 */
export function mergeDocuments(results: readonly QueryResult[]): MergedDocument[] {
  const merged = new Map<DocumentId, MergedMembers>();
  for (const result of results) {
    assert(result.kind === "documents", "a ranking of aggregates");
    for (const { id, attributes, computed } of result.documents) {
      const entry = merged.get(id) ?? { attributes: new Map(), computed: new Map() };
      merged.set(id, entry);
      for (const member of attributes) addMember(entry.attributes, member);
      for (const member of computed) addMember(entry.computed, member);
    }
  }
  return [...merged].map(([id, { attributes, computed }]) => ({
    id,
    attributes: [...attributes.values()],
    computed: [...computed.values()],
  }));
}

/** By name. */
interface MergedMembers {
  readonly attributes: Map<string, ResultDocument["attributes"][number]>;
  readonly computed: Map<string, ResultDocument["computed"][number]>;
}

function addMember<T extends readonly [string, ...unknown[]]>(
  members: Map<string, T>,
  member: T,
): void {
  if (!members.has(member[0])) members.set(member[0], member);
}
