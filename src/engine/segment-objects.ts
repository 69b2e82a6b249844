/**
 * Segments and their tombstones as objects in the store. A segment's object is a frame around the
 * segment's block (segment/segment-format.ts); its tombstones are a frame around the bitmap of live
 * documents, as little-endian 32-bit words.
 */

import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import type { SegmentId } from "../base/ids.ts";
import { piecesBytes } from "../base/pieces.ts";
import { decodeFrame, encodeFrame, encodeFramePieces, FRAME_HEADER_BYTES } from "../codec/frame.ts";
import { type NamespaceGeneration, segmentKey } from "../storage/object-keys.ts";
import { ALWAYS, type ObjectStore } from "../storage/object-store.ts";

const VERSION = 1;

/** What is known of a stored segment before it is read. */
export interface SegmentFacts {
  readonly id: SegmentId;
  /** Dead documents included. */
  readonly documentCount: number;
  /** Size of the object. */
  readonly bytes: number;
}

/** Puts a sealed segment; returns the size of the object. */
export async function putSegment(
  store: ObjectStore,
  at: NamespaceGeneration,
  id: SegmentId,
  sealed: Uint8Array,
): Promise<number> {
  const key = segmentKey(at, id);
  const object = await encodeFramePieces({
    kind: "segment",
    object: key,
    version: VERSION,
    parts: [sealed],
    compression: "never",
  });
  await store.put(key, object, ALWAYS);
  return piecesBytes(object);
}

/** Reads a sealed segment. Throws `corrupt` if it is missing, damaged or not of the known size. */
export async function getSegment(
  store: ObjectStore,
  at: NamespaceGeneration,
  { id, bytes }: SegmentFacts,
): Promise<Uint8Array> {
  const payload = await getPayload(store, at, id, "segment");
  if (payload.length + FRAME_HEADER_BYTES !== bytes) {
    throw unreadable(at, id, `it has ${payload.length + FRAME_HEADER_BYTES} bytes, not ${bytes}`);
  }
  return payload;
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
  const key = segmentKey(at, name);
  const object = await encodeFrame({
    kind: "tombstones",
    object: key,
    version: VERSION,
    parts: [bytes],
    compression: "if smaller",
  });
  await store.put(key, object, ALWAYS);
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
    throw unreadable(at, of.name, `${bytes.length} bytes for ${of.documentCount} documents`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: words }, (_, index) => view.getUint32(index * 4, true));
}

/** Names the object in what reading its contents throws. */
export function asFaultOf(at: NamespaceGeneration, id: SegmentId, error: unknown): unknown {
  if (!isDatabaseError(error, "corrupt", "too_new", "too_old")) return error;
  const message = `cannot read ${segmentKey(at, id)}: ${error.message}`;
  return new DatabaseError(error.code, message, { cause: error });
}

async function getPayload(
  store: ObjectStore,
  at: NamespaceGeneration,
  id: SegmentId,
  kind: "segment" | "tombstones",
): Promise<Uint8Array> {
  const key = segmentKey(at, id);
  const object = await store.get(key);
  if (object === undefined) throw unreadable(at, id, "it is missing, but is part of the namespace");
  const expected = { kind, object: key, oldest: VERSION, newest: VERSION };
  return (await decodeFrame(object, expected)).payload;
}

function unreadable(at: NamespaceGeneration, id: SegmentId, reason: string): DatabaseError {
  return new DatabaseError("corrupt", `cannot read ${segmentKey(at, id)}: ${reason}`);
}
