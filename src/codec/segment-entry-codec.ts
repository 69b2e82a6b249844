/**
 * Entries of segments as JSON, for manifests and WAL records. They are stored with the members of
 * `SegmentEntry`.
 */

import { namespaceNameFault } from "../base/ids.ts";
import type { SegmentEntry, SegmentOwner } from "../model/segment-entry.ts";

/** Tells whether a value that came from JSON has the members of an entry. */
export function isSegmentEntry(value: unknown): value is SegmentEntry {
  if (!isRecord(value)) return false;
  const { id, tombstoneObject, head, owner, indexFingerprint } = value;
  const counts = ["documentCount", "bytes", "deletedCount"];
  return (
    typeof id === "string" &&
    typeof head === "string" &&
    typeof indexFingerprint === "string" &&
    (tombstoneObject === undefined || typeof tombstoneObject === "string") &&
    (owner === undefined || isOwner(owner)) &&
    counts.every((name) => typeof value[name] === "number")
  );
}

function isOwner(value: unknown): value is SegmentOwner {
  if (!isRecord(value)) return false;
  const { name, generation } = value;
  const isNamed = typeof name === "string" && namespaceNameFault(name) === undefined;
  return isNamed && Number.isSafeInteger(generation);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
