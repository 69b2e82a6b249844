/** The documents of a namespace as a write resolves against them. */

import type { Schema } from "../model/schema.ts";
import { bindCondition } from "../query/bind-condition.ts";
import { matchIds } from "../query/match-documents.ts";
import type { Memtable } from "../segment/memtable.ts";
import type { CurrentDocuments } from "../write/resolve-batch.ts";
import { indexState } from "./index-state.ts";
import type { IndexBuild } from "./published-state.ts";

/** Gives `resolveBatch` its reading functions. */
export function currentDocuments(
  memtable: Memtable,
  schema: Schema,
  builds: readonly IndexBuild[],
): CurrentDocuments {
  const context = { indexState: indexState(builds) };
  return {
    locate: (id) => {
      const found = memtable.locate(id);
      return found && { view: found.segment.view, ordinal: found.ordinal };
    },
    matchIds: (filter, cap) =>
      matchIds({ schema, segments: memtable.segments }, filter, cap, context),
    condition: (filter) => bindCondition(filter, schema),
  };
}
