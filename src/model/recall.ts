/** Measuring how many true neighbours the approximate search finds. */

import type { Filter } from "./filter.ts";
import type { RankBy } from "./query.ts";
import type { ResultDocument } from "./query-result.ts";

/** What to measure; the defaults are filled in by the parser. */
export interface RecallRequest {
  /** How many stored vectors are sampled as queries; 1 when `rankBy` is given. */
  readonly sampleCount: number;
  /** How many neighbours are compared. */
  readonly topK: number;
  readonly filter: Filter | undefined;
  /** An ANN ranking to measure instead of sampled vectors. */
  readonly rankBy: RankBy | undefined;
  readonly includeGroundTruth: boolean;
}

/** The means over all sampled queries; all zero but `recall`, which is 1, if there is no vector. */
export interface RecallResult {
  /** Share of true neighbours found, 0 to 1. */
  readonly recall: number;
  /** Neighbours that the exact search returned. */
  readonly exhaustiveCount: number;
  /** Neighbours that the approximate search returned. */
  readonly annCount: number;
  /** Present iff asked for. */
  readonly groundTruth:
    | readonly { readonly query: Float32Array; readonly neighbours: readonly ResultDocument[] }[]
    | undefined;
}
