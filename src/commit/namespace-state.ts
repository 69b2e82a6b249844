import type { IndexBuild } from "../model/index-build.ts";
import { activeSchema } from "../namespace/active-text-options.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type { NamespaceState } from "../namespace/published-state.ts";
import type { OpenedNamespace } from "./namespace-options.ts";

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
    schema: activeSchema(facts),
    documentCount: documents.documentCount,
    unindexedCount: documents.memtable.documentCount,
    unindexedBytes: tail.bytes,
    logicalBytes: documents.logicalBytes,
    lastWriteAtMs: facts.settings?.lastWriteAtMs,
    builds,
  };
}
