/** What a query needs besides the snapshot and itself. */

import { DatabaseError } from "../base/errors.ts";
import type { ArenaKernels } from "../kernel/arena-kernels.ts";

/** Indexes that can be turned on for an attribute that has documents already. */
export type IndexName = "filterable" | "full_text_search" | "regex" | "glob" | "fuzzy" | "ann";

/** How far the building of an index is. */
export interface BuildProgress {
  readonly documentsDone: number;
  readonly documentsTotal: number;
  /** When the client may try again. */
  readonly retryAfterMs: number;
}

/** Services that the thread running the query provides. */
export interface QueryContext {
  readonly kernels: ArenaKernels;
  /** Undefined if the index is ready. Absent: all indexes are. */
  readonly indexState?: (attribute: string, index: IndexName) => BuildProgress | undefined;
}

/** Throws `building` if the attribute's index is not ready. */
export function requireIndex(
  context: Pick<QueryContext, "indexState">,
  attribute: string,
  index: IndexName,
): void {
  const progress = context.indexState?.(attribute, index);
  if (progress === undefined) return;
  const { documentsDone, documentsTotal, retryAfterMs } = progress;
  throw new DatabaseError(
    "building",
    `the ${index} index of attribute \`${attribute}\` is being built: ` +
      `${documentsDone} of ${documentsTotal} documents done; try again`,
    { attribute, retryAfterMs },
  );
}
