import type { IndexBuild } from "../model/index-build.ts";
import { activeSchema } from "../namespace/active-text-options.ts";
import { type IndexedState, indexStatus } from "../namespace/index-status.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type { NamespaceState } from "../namespace/published-state.ts";
import type { Thresholds } from "../namespace/thresholds.ts";
import type { OpenedNamespace } from "./opened/namespace-options.ts";

/** What changes while a namespace is open, beside its documents. */
export interface CurrentState {
  readonly facts: NamespaceFacts;
  readonly retired: boolean;
  readonly builds: readonly IndexBuild[];
  readonly buildsSinceMs: number | undefined;
}

/** What queries and metadata need to know of an open namespace, as of now. */
export function stateOf(
  opened: OpenedNamespace,
  now: CurrentState,
  thresholds: Thresholds,
): NamespaceState {
  const { instance, documents, tail } = opened;
  const { facts, retired, builds, buildsSinceMs } = now;
  return {
    instance,
    retired,
    sequence: facts.sequence,
    schema: activeSchema(facts),
    documentCount: documents.documentCount,
    index: indexStatus(indexedState(opened, now), thresholds),
    unindexedBytes: tail.bytes,
    logicalBytes: documents.logicalBytes,
    lastWriteAtMs: facts.settings?.lastWriteAtMs,
    builds,
    buildsSinceMs,
  };
}

/** What decides whether an indexer has something to do. */
export function indexedState(
  { documents, tail }: OpenedNamespace,
  { facts, builds }: Pick<CurrentState, "facts" | "builds">,
): IndexedState {
  return {
    documentCount: documents.documentCount,
    logicalBytes: documents.logicalBytes,
    log: {
      entryCount: tail.count,
      bytes: tail.bytes,
      documentCount: documents.memtable.documentCount,
    },
    builds,
    isReindexing: facts.activeTextOptions.size > 0,
  };
}
