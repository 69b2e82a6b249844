/**
 * What of a namespace waits to be indexed, and when an indexer is to be told. Pure: metadata,
 * queries and hints to indexers all ask here, so that they cannot contradict each other
 * (docs/adr/0022-folds.md).
 */

import type { IndexBuild } from "../model/index-build.ts";
import type { IndexStatus } from "../model/index-status.ts";
import type { Thresholds } from "./thresholds.ts";

/** How long writes must have paused before what they left in the log is folded. */
export const FOLD_PAUSE_MS = 1_000;
/**
 * How long after a manifest little of the log stays there: this bounds how often a namespace is
 * folded for writes that come one at a time.
 */
export const FOLD_REST_MS = 30_000;

/** What is known of a namespace. */
export interface IndexedState {
  /** Live ones. */
  readonly documentCount: number;
  readonly logicalBytes: number;
  /** What no manifest covers. */
  readonly log: LogBacklog;
  readonly builds: readonly IndexBuild[];
  /** Its full-text indexes are made anew by other settings. */
  readonly isReindexing: boolean;
}

/** The part of a log that no manifest covers. */
export interface LogBacklog {
  readonly entryCount: number;
  readonly bytes: number;
  /** Live documents that are in memory alone. */
  readonly documentCount: number;
}

/** How much that is. */
export type BacklogSize =
  /** Nothing that needs an indexer, perhaps all of a namespace that is too small for one. */
  | "none"
  /** Some of a larger namespace. */
  | "small"
  /** Worth a segment of its own. */
  | "ample"
  /** It makes openings slow. */
  | "long";

type Limits = Pick<
  Thresholds,
  "indexTailBytes" | "indexTailEntries" | "foldBytesMin" | "foldDocumentsMin"
>;

/** Tells how much of the log waits for an indexer. */
export function backlogSize(
  { documentCount, logicalBytes, log }: Omit<IndexedState, "builds" | "isReindexing">,
  limits: Limits,
): BacklogSize {
  const { foldBytesMin, foldDocumentsMin } = limits;
  if (log.bytes >= limits.indexTailBytes || log.entryCount >= limits.indexTailEntries)
    return "long";
  if (log.bytes >= foldBytesMin || log.documentCount >= foldDocumentsMin) return "ample";
  const isTiny = documentCount < foldDocumentsMin && logicalBytes < foldBytesMin;
  return isTiny || log.documentCount === 0 ? "none" : "small";
}

/** Tells whether indexers should hear of a log now. */
export function isFoldDue(
  size: BacklogSize,
  since: {
    /** Time since the last entry. */
    readonly quietMs: number;
    /** Time since a manifest covered entries; infinite if none has. */
    readonly foldedMs: number;
  },
): boolean {
  switch (size) {
    case "none":
      return false;
    case "small":
      return since.quietMs >= FOLD_PAUSE_MS && since.foldedMs >= FOLD_REST_MS;
    case "ample":
      return since.quietMs >= FOLD_PAUSE_MS;
    case "long":
      return true;
  }
}

/** Decides what metadata and queries say. */
export function indexStatus(state: IndexedState, limits: Limits): IndexStatus {
  const { documentCount, logicalBytes, log, builds, isReindexing } = state;
  const lacking = builds.map(({ documentsDone, documentsTotal }) => documentsTotal - documentsDone);
  const building = isReindexing ? documentCount : Math.min(documentCount, Math.max(0, ...lacking));
  const unindexedCount = Math.max(building, log.documentCount);
  const isBuilding = builds.length > 0 || isReindexing;
  if (!isBuilding && backlogSize(state, limits) === "none")
    return { isUpToDate: true, unindexedBytes: 0, unindexedCount };
  const share = documentCount === 0 ? 0 : building / documentCount;
  const unindexedBytes = Math.max(Math.ceil(logicalBytes * share), log.bytes);
  return { isUpToDate: false, unindexedBytes, unindexedCount };
}
