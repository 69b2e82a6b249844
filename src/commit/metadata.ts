/** What the metadata endpoint tells of a namespace. */

import { assert } from "../base/assert.ts";
import type { NamespaceMetadata } from "../wire/answers/metadata-json.ts";
import type { Namespace } from "./namespace.ts";

/** Collects the metadata of a namespace that exists. */
export function metadataOf(namespace: Namespace): NamespaceMetadata {
  const { schema, settings } = namespace.facts;
  assert(settings !== undefined, "metadata of a namespace that does not exist");
  const { logicalBytes, documentCount, index } = namespace.state();
  const { pinning } = settings;
  return {
    schema,
    logicalBytes,
    documentCount,
    createdAtMs: settings.createdAtMs,
    updatedAtMs: settings.updatedAtMs,
    lastWriteAtMs: settings.lastWriteAtMs,
    encryption: settings.encryption,
    unindexedCount: index.unindexedCount,
    unindexed: index.isUpToDate
      ? undefined
      : { bytes: index.unindexedBytes, documentCount: index.unindexedCount },
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
