/**
 * Segments and their tombstones as objects in the store. A segment's object is a frame around the
 * segment's block (segment/segment-format.ts); its tombstones are a frame around the bitmap of live
 * documents, as little-endian 32-bit words.
 */

import { DatabaseError } from "../base/errors.ts";
import type { SegmentId } from "../base/ids.ts";
import { decodeFrame, encodeFrame } from "../codec/frame.ts";
import { type NamespaceGeneration, segmentKey } from "../storage/object-keys.ts";
import { ALWAYS, type ObjectStore } from "../storage/object-store.ts";

const VERSION = 1;

/** Puts a sealed segment; returns the size of the object. */
export async function putSegment(
  store: ObjectStore,
  at: NamespaceGeneration,
  id: SegmentId,
  sealed: Uint8Array,
): Promise<number> {
  const object = await encodeFrame({
    kind: "segment",
    version: VERSION,
    parts: [sealed],
    compression: "never",
  });
  await store.put(segmentKey(at, id), object, ALWAYS);
  return object.length;
}

/** Reads a sealed segment. Throws `corrupt` if it is missing or damaged. */
export async function getSegment(
  store: ObjectStore,
  at: NamespaceGeneration,
  id: SegmentId,
): Promise<Uint8Array> {
  return getPayload(store, at, id, "segment");
}

/** Puts the live bitmap of a segment under a name of its own. */
export async function putTombstones(
  store: ObjectStore,
  at: NamespaceGeneration,
  name: SegmentId,
  live: Uint32Array,
): Promise<void> {
  const bytes = new Uint8Array(live.length * 4);
  const view = new DataView(bytes.buffer);
  live.forEach((word, index) => void view.setUint32(index * 4, word, true));
  const object = await encodeFrame({
    kind: "tombstones",
    version: VERSION,
    parts: [bytes],
    compression: "if smaller",
  });
  await store.put(segmentKey(at, name), object, ALWAYS);
}

/** Reads a live bitmap of a segment with `documentCount` documents. */
export async function getTombstones(
  store: ObjectStore,
  at: NamespaceGeneration,
  of: { readonly name: SegmentId; readonly documentCount: number },
): Promise<Uint32Array> {
  const bytes = await getPayload(store, at, of.name, "tombstones");
  const words = (of.documentCount + 31) >> 5;
  if (bytes.length !== words * 4) {
    const what = `${bytes.length} bytes for ${of.documentCount} documents`;
    throw new DatabaseError("corrupt", `cannot read ${segmentKey(at, of.name)}: ${what}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: words }, (_, index) => view.getUint32(index * 4, true));
}

async function getPayload(
  store: ObjectStore,
  at: NamespaceGeneration,
  id: SegmentId,
  kind: "segment" | "tombstones",
): Promise<Uint8Array> {
  const key = segmentKey(at, id);
  const object = await store.get(key);
  if (object === undefined) {
    throw new DatabaseError("corrupt", `cannot read ${key}: it is missing, but the log names it`);
  }
  const expected = { kind, object: key, oldest: VERSION, newest: VERSION };
  return (await decodeFrame(object, expected)).payload;
}
