/** From a manifest's entry of a segment to the segment with its live documents. */

import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import type { SegmentId } from "../../base/ids.ts";
import type { SegmentReads } from "../../cache/segment-reads.ts";
import { countBits } from "../../codec/bitmap.ts";
import type { WriteBatch } from "../../log/wal-records.ts";
import type { SegmentEntry } from "../../model/segment-entry.ts";
import type { CountedDeletions } from "../../segment/deletions/counted-deletions.ts";
import { type StoredSegment, storedSegment } from "../../segment/memtable/stored-segments.ts";
import { asFaultOf, getTombstones } from "../../segment/segment-objects.ts";
import { openStoredSegment } from "../../segment/stored-segment-reader.ts";
import { type NamespaceGeneration, segmentKey } from "../../storage/object-keys.ts";
import type { ObjectStore } from "../../storage/object-store.ts";

/**
 * Opens a segment of the namespace `generation`. Reads its tombstones, if it has any, and nothing
 * else. Throws `corrupt` if they or the head are damaged.
 */
export async function openManifestSegment(
  entry: SegmentEntry,
  generation: NamespaceGeneration,
  from: { readonly store: ObjectStore; readonly reads: SegmentReads },
): Promise<StoredSegment> {
  const { id, documentCount, deletedCount, tombstoneObject } = entry;
  const object = segmentKey(entry.owner ?? generation, id);
  const head = Uint8Array.from(Buffer.from(entry.head, "base64"));
  const tombstones =
    tombstoneObject === undefined ? undefined : { object: tombstoneObject, deletedCount };
  const { indexFingerprint } = entry;
  const where = { object, head, objectBytes: entry.bytes, tombstones, indexFingerprint };
  try {
    const view = openStoredSegment(id, head, (bytes) => from.reads.sourceOf(object, bytes));
    if (view.documentCount !== documentCount) {
      throw damaged(`its head has ${view.documentCount} documents, not ${documentCount}`);
    }
    if (tombstoneObject === undefined) return storedSegment(view, where);
    const name = tombstoneObject as SegmentId;
    const found = await getTombstones(from.store, generation, { name, documentCount });
    if (documentCount - countBits(found.liveBitmap) !== deletedCount) {
      throw damaged(`${tombstoneObject} does not delete ${deletedCount}, as the manifest says`);
    }
    return storedSegment(view, where, found);
  } catch (error) {
    throw asFaultOf(object, error);
  }
}

/**
 * How many deleted documents of a segment have each term, as a newer entry of it says; undefined if
 * it says nothing. Of damage as well: queries do without, and whoever opens the segment reports it.
 */
export async function readCounted(
  { documentCount, tombstoneObject }: SegmentEntry,
  generation: NamespaceGeneration,
  store: ObjectStore,
): Promise<CountedDeletions | undefined> {
  if (tombstoneObject === undefined) return undefined;
  const of = { name: tombstoneObject as SegmentId, documentCount };
  try {
    return (await getTombstones(store, generation, of)).counted;
  } catch (error) {
    if (!isDatabaseError(error, "corrupt", "too_new", "too_old")) throw error;
    return undefined;
  }
}

/** Opens the segments that a batch imports, which are in the store already; [] if it imports none. */
export async function openImports(
  batch: WriteBatch,
  generation: NamespaceGeneration,
  from: { readonly store: ObjectStore; readonly reads: SegmentReads },
): Promise<StoredSegment[]> {
  const record = batch.find(({ kind }) => kind === "import");
  if (record?.kind !== "import") return [];
  return Promise.all(record.segments.map((entry) => openManifestSegment(entry, generation, from)));
}

function damaged(reason: string): DatabaseError {
  return new DatabaseError("corrupt", reason);
}
