/** Reads the content of a stored segment part by part, so that no more than it is in memory. */

import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { FORMAT_VERSIONS } from "../base/format-versions.ts";
import { corrupt } from "../codec/columns-packing.ts";
import { decodeFrameHeader, FRAME_HEADER_BYTES } from "../codec/frame.ts";
import type { ObjectKey, ObjectStore, ReadTrace } from "../storage/object-store.ts";
import {
  contentBytesOf,
  PAGE_BYTES,
  PAGE_CONTENT_BYTES,
  readPages,
} from "./format/segment-pages.ts";

/** Bytes of pages that one read brings: smaller segments are read at once. */
const PART_BYTES = 8 * MIB;
/** Reads at once: a remote store gives more to several. */
const READS_AT_ONCE = 4;

/** Some pages of an object, by their bytes in its payload. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads all content of a segment to where `allocate` says, once it knows how much there is, and
 * checks its header, all its pages, and that it ends with them. Damage may have come about on the
 * way, and be remembered on this machine: what is damaged is read once more, from the store itself.
 * Throws `corrupt`, `too_new` or `too_old`.
 */
export async function readStoredContent<T extends Uint8Array>(
  store: ObjectStore,
  key: ObjectKey,
  allocate: (contentBytes: number) => T,
): Promise<T> {
  let content: T | undefined;
  const expected = { kind: "segment", object: key, ...FORMAT_VERSIONS.segment } as const;
  // One byte more than the part has: an object that is no longer ends before.
  const first = { start: 0, end: FRAME_HEADER_BYTES + PART_BYTES + 1 };
  const storedBytes = await readSoundly(store, key, first, (bytes) => {
    const header = decodeFrameHeader(bytes, expected);
    if (header.compressed) throw corrupt("pages", "they are compressed");
    const pages = bytes.subarray(FRAME_HEADER_BYTES);
    const part = { start: 0, end: Math.min(PART_BYTES, header.storedBytes) };
    checkLength(pages, part, header.storedBytes);
    content ??= allocate(contentBytesOf(header.storedBytes));
    readPart(pages, part, { key, content });
    return header.storedBytes;
  });
  if (content === undefined) throw corrupt("pages", "there are none");
  const target = { key, content };
  const parts: Part[] = [];
  for (let start = PART_BYTES; start < storedBytes; start += PART_BYTES) {
    parts.push({ start, end: Math.min(start + PART_BYTES, storedBytes) });
  }
  const readNext = async () => {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const { start, end } = part;
      const span = { start: FRAME_HEADER_BYTES + start, end: FRAME_HEADER_BYTES + end + 1 };
      await readSoundly(store, key, span, (pages) => {
        checkLength(pages, { start, end }, storedBytes);
        readPart(pages, { start, end }, target);
      });
    }
  };
  // All have ended before the content's memory is anybody else's.
  const ended = await Promise.allSettled(Array.from({ length: READS_AT_ONCE }, readNext));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return content;
}

/** Reads a range of the object and hands it to `take`; again if that finds damage. */
async function readSoundly<T>(
  store: ObjectStore,
  key: ObjectKey,
  { start, end }: Part,
  take: (bytes: Uint8Array) => T,
): Promise<T> {
  const read = async (isAnew: boolean) => {
    const trace: ReadTrace = { isOnce: true, isAnew, diskReads: 0, storeReads: 0 };
    const bytes = await store.getRange(key, start, end, trace);
    if (bytes !== undefined) return take(bytes);
    throw new DatabaseError("corrupt", "it is missing, but is part of the namespace");
  };
  return read(false).catch((error: unknown) => {
    if (!isDatabaseError(error, "corrupt")) throw error;
    return read(true);
  });
}

/** Of a part there are all bytes, and behind it one more unless it is the last. */
function checkLength(pages: Uint8Array, { start, end }: Part, storedBytes: number): void {
  const wanted = end - start + (end < storedBytes ? 1 : 0);
  if (pages.length === wanted) return;
  const what = pages.length < wanted ? "the object ends before them" : "bytes follow the last one";
  throw corrupt("pages", what);
}

function readPart(
  pages: Uint8Array,
  { start, end }: Part,
  to: { readonly key: ObjectKey; readonly content: Uint8Array },
): void {
  const from = (start / PAGE_BYTES) * PAGE_CONTENT_BYTES;
  const range = { start: from, end: from + contentBytesOf(end - start) };
  const target = to.content.subarray(range.start, range.end);
  readPages(pages.subarray(0, end - start), range, { key: to.key, target });
}
