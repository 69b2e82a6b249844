/** What the metadata endpoint tells of a namespace. */

import { assert } from "../base/assert.ts";
import type { NamespaceMetadata } from "../wire/answers/metadata-json.ts";
import type { Namespace } from "./namespace.ts";

/**
 * Collects the metadata of a namespace that exists. Unindexed is what an indexer has yet to fold
 * into segments, once it is enough to be worth that, and what lacks an index that was turned on
 * later.
 */
export function metadataOf(namespace: Namespace): NamespaceMetadata {
  const { schema, settings } = namespace.facts;
  assert(settings !== undefined, "metadata of a namespace that does not exist");
  const { logicalBytes, documentCount, unindexedCount } = namespace.state();
  const { pinning } = settings;
  return {
    schema,
    logicalBytes,
    documentCount,
    createdAtMs: settings.createdAtMs,
    updatedAtMs: settings.updatedAtMs,
    lastWriteAtMs: settings.lastWriteAtMs,
    encryption: settings.encryption,
    unindexedCount,
    unindexed: unindexedOf(namespace),
    pinning: pinning && {
      replicas: pinning.replicas,
      utilization: 0,
      updatedAtMs: pinning.updatedAtMs,
    },
    parent: settings.parent,
    shardCount: settings.shardCount,
    readOnly: settings.readOnly,
  };
}

/**
 * Undefined: everything is indexed, or not enough is unindexed to be worth it. While an index of
 * other full-text settings is made, everything lacks it.
 */
function unindexedOf(namespace: Namespace): NamespaceMetadata["unindexed"] {
  const { logicalBytes, documentCount, builds, unindexedBytes, unindexedCount } = namespace.state();
  const building = builds.reduce(
    (most, { documentsDone, documentsTotal }) => Math.max(most, documentsTotal - documentsDone),
    0,
  );
  // Where all documents are deleted, nothing is left that needs an index.
  if (building > 0 && documentCount > 0) {
    const bytes = Math.ceil((logicalBytes * building) / documentCount);
    return { bytes, documentCount: building };
  }
  if (namespace.facts.activeTextOptions.size > 0) return { bytes: logicalBytes, documentCount };
  if (!namespace.isLogLong) return undefined;
  return { bytes: unindexedBytes, documentCount: unindexedCount };
}
