import type { IndexBuild } from "../model/index-build.ts";
import type { IndexedState } from "../namespace/index-status.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type { OpenedNamespace } from "./opened/namespace-options.ts";

/** Decides whether an indexer has something to do for an open namespace. */
export function indexedState(
  { documents, tail }: OpenedNamespace,
  now: { readonly facts: NamespaceFacts; readonly builds: readonly IndexBuild[] },
): IndexedState {
  return {
    documentCount: documents.documentCount,
    logicalBytes: documents.logicalBytes,
    log: {
      entryCount: tail.count,
      bytes: tail.bytes,
      documentCount: documents.memtable.documentCount,
    },
    builds: now.builds,
    isReindexing: now.facts.activeTextOptions.size > 0,
  };
}
