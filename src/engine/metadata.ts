/** What the metadata endpoint tells of a namespace. */

import { assert } from "../base/assert.ts";
import type { NamespaceMetadata } from "../wire/metadata-json.ts";
import type { Namespace } from "./namespace.ts";

/**
 * Collects the metadata of a namespace that exists. Documents get their indexes with the commit, so
 * only those of an index that was turned on later can be unindexed.
 */
export function metadataOf(namespace: Namespace): NamespaceMetadata {
  const { schema, settings } = namespace.facts;
  assert(settings !== undefined, "metadata of a namespace that does not exist");
  const { logicalBytes, documentCount, builds } = namespace.state();
  const { pinning } = settings;
  const building = builds.reduce(
    (most, { documentsDone, documentsTotal }) => Math.max(most, documentsTotal - documentsDone),
    0,
  );
  return {
    schema,
    logicalBytes,
    documentCount,
    createdAtMs: settings.createdAtMs,
    updatedAtMs: settings.updatedAtMs,
    lastWriteAtMs: settings.lastWriteAtMs,
    encryption: settings.encryption,
    unindexed:
      building === 0
        ? undefined
        : { bytes: Math.ceil((logicalBytes * building) / documentCount), documentCount: building },
    pinning: pinning && {
      replicas: pinning.replicas,
      // One server holds every open namespace in memory: one replica is ready, whatever was asked.
      readyReplicas: 1,
      utilization: 0,
      updatedAtMs: pinning.updatedAtMs,
    },
    parent: settings.parent,
    shardCount: settings.shardCount,
    readOnly: settings.readOnly,
  };
}
