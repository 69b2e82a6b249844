import type { OpenedNamespace } from "../engine/namespace-parts.ts";
import { servedSchema } from "../engine/served-texts.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type { IndexBuild, NamespaceState } from "../namespace/published-state.ts";

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
