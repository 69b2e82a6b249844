/** Turns the list of indexes that are being built into what queries ask. */

import type { IndexBuild } from "../../model/index-build.ts";
import type { QueryOptions } from "./query-options.ts";

/** Documents that are indexed in a millisecond, about: 50,000 with a text take some 3 s. */
const INDEX_DOCUMENTS_PER_MS = 20;
/** What a build takes beside its documents: an indexer has to hear of it, and read and write. */
const INDEX_BUILD_MS_MIN = 300;
/** Where a build takes longer than was to be expected, a client waits another part of its time. */
const INDEX_BUILD_LATE_SHARE = 8;
/** Shortest time after which a client should ask again. */
const INDEX_RETRY_MS_MIN = 100;
/** Longest such time, since what remains is an estimate. */
const INDEX_RETRY_MS_MAX = 10_000;

/**
 * The progress of the build of an attribute's index; undefined for indexes that are ready. The
 * builds have taken `elapsedMs` by now.
 */
export function indexState(
  builds: readonly IndexBuild[],
  elapsedMs: number,
): NonNullable<QueryOptions["indexState"]> {
  return (attribute, index) => {
    const build = builds.find((other) => other.attribute === attribute && other.index === index);
    if (build === undefined) return undefined;
    const { documentsDone, documentsTotal } = build;
    const retryAfterMs = remainingMs(documentsTotal - documentsDone, elapsedMs);
    return { documentsDone, documentsTotal, retryAfterMs };
  };
}

/** When to ask again for an index that so many documents lack, in milliseconds. */
function remainingMs(documentCount: number, elapsedMs: number): number {
  const expectedMs = INDEX_BUILD_MS_MIN + documentCount / INDEX_DOCUMENTS_PER_MS;
  const isLate = elapsedMs >= expectedMs;
  const leftMs = isLate ? elapsedMs / INDEX_BUILD_LATE_SHARE : expectedMs - elapsedMs;
  return Math.min(INDEX_RETRY_MS_MAX, Math.max(INDEX_RETRY_MS_MIN, leftMs));
}
