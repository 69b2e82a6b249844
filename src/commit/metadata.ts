/** What the metadata endpoint tells of a namespace. */

import { assert } from "../base/assert.ts";
import { fitsPatterns, type NamespacePatterns } from "../model/namespace-pattern.ts";
import type { NamespaceMetadata } from "../wire/answers/metadata-json.ts";
import type { Namespace } from "./namespace.ts";

/** Collects the metadata of a namespace that exists; a parent that is not `visible` is left out. */
export function metadataOf(namespace: Namespace, visible: NamespacePatterns): NamespaceMetadata {
  const { schema, settings } = namespace.facts;
  assert(settings !== undefined, "metadata of a namespace that does not exist");
  const { logicalBytes, documentCount, index } = namespace.state();
  const { pinning, parent } = settings;
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
    parent: parent !== undefined && fitsPatterns(visible, parent) ? parent : undefined,
    shardCount: settings.shardCount,
    readOnly: settings.readOnly,
  };
}
