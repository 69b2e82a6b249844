import type { NamespaceFacts } from "./namespace-facts.ts";
import type { OpenedNamespace } from "./namespace-parts.ts";
import type { IndexBuild, NamespaceState } from "./published-state.ts";
import { servedSchema } from "./served-texts.ts";

/** What queries and metadata need to know of an open namespace, as of now. */
export function stateOf(
  { instance, documents, tail }: OpenedNamespace,
  now: {
    readonly facts: NamespaceFacts;
    readonly retired: boolean;
    readonly builds: readonly IndexBuild[];
  },
): NamespaceState {
  const { facts, retired, builds } = now;
  return {
    instance,
    retired,
    sequence: facts.sequence,
    schema: servedSchema(facts),
    documentCount: documents.documentCount,
    unindexedCount: documents.memtable.documentCount,
    unindexedBytes: tail.bytes,
    logicalBytes: documents.logicalBytes,
    lastWriteAtMs: facts.settings?.lastWriteAtMs,
    builds,
  };
}
