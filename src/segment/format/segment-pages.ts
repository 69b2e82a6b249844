/**
 * How a segment's content lies in its object, so that every range can be read and checked alone.
 * The object is a frame (codec/frame.ts) of kind "segment"; its payload is a row of pages:
 *
 *     size     meaning
 *     65,532   content; less in the last page
 *     4        CRC-32 of the page's content, its number (u32) and the object's key
 *
 * So damage, a page at another place, and a page of another object are all found.
 */

import { crc32 } from "node:zlib";
import { corrupt } from "../../codec/columns-packing.ts";
import { FRAME_HEADER_BYTES } from "../../codec/frame.ts";

/** Stored bytes of a full page. */
export const PAGE_BYTES = 65_536;
const CHECKSUM_BYTES = 4;
/** Bytes of content in a full page. */
export const PAGE_CONTENT_BYTES = PAGE_BYTES - CHECKSUM_BYTES;

/** A half-open range of bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes that content of a size takes in pages. */
export function pagedBytes(contentBytes: number): number {
  return contentBytes + CHECKSUM_BYTES * Math.ceil(contentBytes / PAGE_CONTENT_BYTES);
}

/** Bytes of content in pages of so many bytes. */
export function contentBytesOf(paged: number): number {
  return paged - CHECKSUM_BYTES * Math.ceil(paged / PAGE_BYTES);
}

/** Content in its buffer begins at a multiple of this, so that arrays in it are where they may be. */
const CONTENT_ALIGNMENT = 64;

/**
 * Bytes of a buffer in which content becomes pages without a second one: the content lies at its
 * end, behind room for the checksums.
 */
export function pageBufferBytes(contentBytes: number): number {
  return unpagedStart(contentBytes) + contentBytes;
}

/** Where content of a size is written in such a buffer, before `makePages`. */
export function unpagedContent<T extends ArrayBufferLike>(
  buffer: Uint8Array<T>,
  contentBytes: number,
): Uint8Array<T> {
  const start = unpagedStart(contentBytes);
  return buffer.subarray(start, start + contentBytes);
}

function unpagedStart(contentBytes: number): number {
  const checksumBytes = pagedBytes(contentBytes) - contentBytes;
  return Math.ceil(checksumBytes / CONTENT_ALIGNMENT) * CONTENT_ALIGNMENT;
}

/**
 * Makes pages of the content in a buffer, which are the payload of the object under `key`: each
 * page moves towards the start, where nothing is left that is still to move.
 */
export function makePages<T extends ArrayBufferLike>(
  buffer: Uint8Array<T>,
  contentBytes: number,
  key: string,
): Uint8Array<T> {
  const paged = buffer.subarray(0, pagedBytes(contentBytes));
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  let from = unpagedStart(contentBytes);
  for (let page = 0, at = 0; at < paged.length; page++) {
    const bytes = Math.min(PAGE_CONTENT_BYTES, buffer.length - from);
    buffer.copyWithin(at, from, from + bytes);
    from += bytes;
    view.setUint32(at + bytes, checksum(buffer.subarray(at, at + bytes), page, key), true);
    at += bytes + CHECKSUM_BYTES;
  }
  return paged;
}

/**
 * The bytes of the object with the pages that hold a range of the content, which is not empty. The
 * object may end before them, with its last page.
 */
export function pageSpan({ start, end }: ByteRange): ByteRange {
  const first = Math.floor(start / PAGE_CONTENT_BYTES);
  const last = Math.floor((end - 1) / PAGE_CONTENT_BYTES);
  return {
    start: FRAME_HEADER_BYTES + first * PAGE_BYTES,
    end: FRAME_HEADER_BYTES + (last + 1) * PAGE_BYTES,
  };
}

/**
 * Checks pages, of which the first is that of `pageSpan(range)`, and copies the range of the
 * content to `target`, which is as long as the range. Throws `corrupt`; the caller adds the
 * object's name.
 */
export function readPages(
  pages: Uint8Array,
  range: ByteRange,
  of: { readonly key: string; readonly target: Uint8Array },
): void {
  const { byteOffset } = pages;
  const view = new DataView(pages.buffer, byteOffset, pages.length);
  const first = Math.floor(range.start / PAGE_CONTENT_BYTES);
  const count = Math.floor((range.end - 1) / PAGE_CONTENT_BYTES) + 1 - first;
  for (let i = 0; i < count; i++) {
    const at = i * PAGE_BYTES;
    const end = Math.min(at + PAGE_BYTES, pages.length) - CHECKSUM_BYTES;
    const page = first + i;
    if (end < at) throw corrupt("pages", `page ${page} is not there`);
    const part = pages.subarray(at, end);
    if (checksum(part, page, of.key) !== view.getUint32(end, true)) {
      throw corrupt("pages", `the checksum of page ${page} is wrong`);
    }
    const start = page * PAGE_CONTENT_BYTES;
    const from = Math.max(range.start, start);
    const to = Math.min(range.end, start + PAGE_CONTENT_BYTES);
    if (to > start + part.length) throw corrupt("pages", `page ${page} ends early`);
    of.target.set(part.subarray(from - start, to - start), from - range.start);
  }
}

function checksum(content: Uint8Array, page: number, key: string): number {
  const number = Buffer.allocUnsafe(4);
  number.writeUInt32LE(page);
  return crc32(key, crc32(number, crc32(content)));
}
