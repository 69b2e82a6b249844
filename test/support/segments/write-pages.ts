/** Pages of content that lies elsewhere. */

import {
  makePages,
  pageBufferBytes,
  unpagedContent,
} from "../../../src/segment/format/segment-pages.ts";

/** Copies content into pages: the payload of the object under `key`. */
export function writePages(content: Uint8Array, key: string): Uint8Array<ArrayBuffer> {
  const buffer = new Uint8Array(pageBufferBytes(content.length));
  unpagedContent(buffer, content.length).set(content);
  return makePages(buffer, content.length, key);
}
