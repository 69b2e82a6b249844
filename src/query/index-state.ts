/** Turns the list of indexes that are being built into what queries ask. */

import type { IndexBuild } from "../model/index-build.ts";
import type { QueryOptions } from "./query-options.ts";

/** When a query that needs an index in the making may try again; our choice. */
const INDEX_BUILD_RETRY_MS = 500;

/** The progress of the build of an attribute's index; undefined for indexes that are ready. */
export function indexState(builds: readonly IndexBuild[]): NonNullable<QueryOptions["indexState"]> {
  return (attribute, index) => {
    const build = builds.find((other) => other.attribute === attribute && other.index === index);
    if (build === undefined) return undefined;
    const { documentsDone, documentsTotal } = build;
    return { documentsDone, documentsTotal, retryAfterMs: INDEX_BUILD_RETRY_MS };
  };
}
