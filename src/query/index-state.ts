/** Turns the list of indexes that are being built into what queries ask. */

import { INDEX_BUILD_RETRY_MS } from "../base/limits.ts";
import type { IndexBuild } from "../namespace/published-state.ts";
import type { QueryContext } from "./query-options.ts";

/** The progress of the build of an attribute's index; undefined for indexes that are ready. */
export function indexState(builds: readonly IndexBuild[]): NonNullable<QueryContext["indexState"]> {
  return (attribute, index) => {
    const build = builds.find((other) => other.attribute === attribute && other.index === index);
    if (build === undefined) return undefined;
    const { documentsDone, documentsTotal } = build;
    return { documentsDone, documentsTotal, retryAfterMs: INDEX_BUILD_RETRY_MS };
  };
}
