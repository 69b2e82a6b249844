/**
 * Segments and their tombstones as objects in the store. A segment's object is a frame around the
 * pages of its content (format/segment-pages.ts); its tombstones are a frame around what
 * deletions/tombstones.ts draws.
 */

import { must } from "../base/assert.ts";
import { OBJECT_BYTES_MAX } from "../base/byte-sizes.ts";
import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { FORMAT_VERSIONS } from "../base/format-versions.ts";
import type { SegmentId } from "../base/ids.ts";
import { piecesBytes } from "../base/pieces.ts";
import {
  decodeFrame,
  decodeFrameHeader,
  encodeFrame,
  encodeFramePieces,
  FRAME_HEADER_BYTES,
} from "../codec/frame.ts";
import type { ArenaBytes, ArenaRange } from "../kernel/arena.ts";
import { type NamespaceGeneration, segmentKey } from "../storage/object-keys.ts";
import { ALWAYS, type ObjectKey, type ObjectStore } from "../storage/object-store.ts";
import { decodeTombstones, encodeTombstones, type Tombstones } from "./deletions/tombstones.ts";
import { BlockSource } from "./format/byte-source.ts";
import { headOf } from "./format/segment-format.ts";
import type { SegmentMemory } from "./format/segment-memory.ts";
import {
  contentBytesOf,
  makePages,
  PAGE_BYTES,
  PAGE_CONTENT_BYTES,
  pageBufferBytes,
  readPages,
  unpagedContent,
} from "./format/segment-pages.ts";
import type { OpenSegment } from "./segment-reader.ts";
import { verifySegment } from "./segment-seal.ts";
import { readStoredContent } from "./stored-content.ts";
import { openStoredSegment } from "./stored-segment-reader.ts";

/**
 * Puts a segment whose content was made into pages for `key` (`makePages`); returns the size of the
 * object. The pages must not change until then.
 */
export async function putStoredSegment(
  store: ObjectStore,
  key: ObjectKey,
  pages: Uint8Array,
): Promise<number> {
  const object = await encodeFramePieces({
    kind: "segment",
    object: key,
    version: FORMAT_VERSIONS.segment.newest,
    parts: [pages],
    compression: "never",
  });
  await store.put(key, object, ALWAYS);
  return piecesBytes(object);
}

/** Copies a stored segment to another key, to which its pages are bound then; returns its size. */
export async function copyStoredSegment(
  from: { readonly store: ObjectStore; readonly key: ObjectKey },
  to: { readonly store: ObjectStore; readonly key: ObjectKey },
): Promise<number> {
  let buffer = new Uint8Array(0);
  const reading = readStoredContent(from.store, from.key, (bytes) => {
    buffer = new Uint8Array(pageBufferBytes(bytes));
    return unpagedContent(buffer, bytes);
  });
  const { length } = await reading.catch((error: unknown) => {
    throw asFaultOf(from.key, error);
  });
  return putStoredSegment(to.store, to.key, makePages(buffer, length, to.key));
}

/**
 * Reads a whole stored segment into `memory` and checks all of it. Throws `corrupt` if it is
 * missing or damaged; whoever gets it gives the memory back.
 */
export async function loadStoredSegment(
  store: ObjectStore,
  key: ObjectKey,
  to: { readonly id: SegmentId; readonly memory: SegmentMemory },
): Promise<{ readonly view: OpenSegment; readonly place: ArenaRange }> {
  let block: ArenaBytes | undefined;
  const free = () => {
    if (block !== undefined) to.memory.free({ ...block, bytes: block.bytes.length });
  };
  try {
    await readStoredContent(store, key, (bytes) => {
      block = to.memory.allocate(bytes);
      return block.bytes;
    });
    const whole = must(block, "a segment was read to nowhere");
    verifySegment(whole.bytes);
    const view = openStoredSegment(to.id, headOf(whole.bytes), () => new BlockSource(whole));
    return { view, place: { ...whole, bytes: whole.bytes.length } };
  } catch (error) {
    free();
    throw asFaultOf(key, error);
  }
}

/** Bytes of pages that are checked at once: a few milliseconds. */
const CHECK_BYTES = 128 * PAGE_BYTES;

/**
 * Reads a stored segment part by part, and checks its header and all its pages. Throws `corrupt` if
 * it is missing or damaged, `too_new` or `too_old`.
 */
export async function checkStoredSegment(store: ObjectStore, key: ObjectKey): Promise<void> {
  const head = await store.getRange(key, 0, FRAME_HEADER_BYTES);
  if (head === undefined) throw unreadable(key, "it is missing");
  const expected = { kind: "segment", object: key, ...FORMAT_VERSIONS.segment } as const;
  const { storedBytes } = decodeFrameHeader(head, expected);
  const content = new Uint8Array(CHECK_BYTES);
  for (let at = 0; at < storedBytes; at += CHECK_BYTES) {
    const bytes = Math.min(CHECK_BYTES, storedBytes - at);
    const from = FRAME_HEADER_BYTES + at;
    const pages = await store.getRange(key, from, from + bytes);
    if (pages?.length !== bytes) throw unreadable(key, "it ends early");
    const start = (at / PAGE_BYTES) * PAGE_CONTENT_BYTES;
    const range = { start, end: start + contentBytesOf(bytes) };
    const target = content.subarray(0, range.end - start);
    try {
      readPages(pages, range, { key, target });
    } catch (error) {
      throw unreadable(key, error instanceof Error ? error.message : String(error));
    }
  }
  const after = FRAME_HEADER_BYTES + storedBytes;
  const more = await store.getRange(key, after, after + 1);
  if (more?.length !== 0) throw unreadable(key, "it does not end where its header says");
}

/** Puts the tombstones of a segment under a name of their own. */
export async function putTombstones(
  store: ObjectStore,
  generation: NamespaceGeneration,
  name: SegmentId,
  tombstones: Tombstones,
): Promise<void> {
  const key = segmentKey(generation, name);
  const object = await encodeFrame({
    kind: "tombstones",
    object: key,
    version: FORMAT_VERSIONS.tombstones.newest,
    parts: [encodeTombstones(tombstones)],
    compression: "if smaller",
  });
  await store.put(key, object, ALWAYS);
}

/** Reads tombstones of a segment with `documentCount` documents. */
export async function getTombstones(
  store: ObjectStore,
  generation: NamespaceGeneration,
  of: { readonly name: SegmentId; readonly documentCount: number },
): Promise<Tombstones> {
  const payload = await getPayload(store, segmentKey(generation, of.name));
  try {
    return decodeTombstones(payload, of.documentCount);
  } catch (error) {
    throw asFaultOf(segmentKey(generation, of.name), error);
  }
}

/** Names the object in what reading its contents throws. */
export function asFaultOf(key: ObjectKey, error: unknown): unknown {
  if (!isDatabaseError(error, "corrupt", "too_new", "too_old")) return error;
  const message = `cannot read ${key}: ${error.message}`;
  return new DatabaseError(error.code, message, { cause: error });
}

/**
 * Reads a whole object of tombstones. Damage may have come about on the way, and be remembered on
 * this machine: a damaged object is read once more, from the store itself.
 */
async function getPayload(store: ObjectStore, key: ObjectKey): Promise<Uint8Array> {
  const decoded = async (read: Promise<Uint8Array | undefined>) => {
    const object = await read;
    if (object === undefined) return undefined;
    const expected = { kind: "tombstones", object: key, ...FORMAT_VERSIONS.tombstones } as const;
    return (await decodeFrame(object, expected)).payload;
  };
  const payload = await decoded(store.get(key)).catch((error: unknown) => {
    if (!isDatabaseError(error, "corrupt")) throw error;
    const anew = { isAnew: true, diskReads: 0, storeReads: 0 };
    return decoded(store.getRange(key, 0, OBJECT_BYTES_MAX, anew));
  });
  if (payload !== undefined) return payload;
  throw unreadable(key, "it is missing, but is part of the namespace");
}

function unreadable(key: ObjectKey, reason: string): DatabaseError {
  return new DatabaseError("corrupt", `cannot read ${key}: ${reason}`);
}
