/** What a query needs besides the snapshot and itself. */

import {
  PROBE_EXACT_MATCHES_MAX,
  PROBE_MATCHES_PER_RESULT,
  PROBE_MATCHES_PER_ROOT,
} from "../base/cluster-limits.ts";
import { DatabaseError } from "../base/errors.ts";
import type { ArenaKernels } from "../kernel/arena-kernels.ts";
import type { ScanProgress } from "./executor/scan-progress.ts";

/** Indexes that can be turned on for an attribute that has documents already. */
export type IndexName = "filterable" | "full_text_search" | "regex" | "glob" | "fuzzy" | "ann";

/** How far the building of an index is. */
export interface BuildProgress {
  readonly documentsDone: number;
  readonly documentsTotal: number;
  /** When the client may try again. */
  readonly retryAfterMs: number;
}

/** How far ANN searches walk through clusters. */
export interface Probing {
  readonly exactMatchesMax: number;
  /** Matching documents for each one that is asked for. */
  readonly perResult: number;
  /** Matching documents for the root of how many match in each segment. */
  readonly perRoot: number;
}

/** What suits clusters of `CLUSTER_ROWS`. */
export const PROBING: Probing = {
  exactMatchesMax: PROBE_EXACT_MATCHES_MAX,
  perResult: PROBE_MATCHES_PER_RESULT,
  perRoot: PROBE_MATCHES_PER_ROOT,
};

/** Services that the thread running the query provides. */
export interface QueryContext {
  readonly kernels: ArenaKernels;
  /** Lets exact scans look at more vectors than memory holds. */
  readonly progress?: ScanProgress | undefined;
  /** Absent: `PROBING`. Tests make it small. */
  readonly probing?: Probing | undefined;
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
