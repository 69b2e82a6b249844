/** What the indexes of stored segments take, by the directories of their sections. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FRAME_HEADER_BYTES } from "../../src/codec/frame.ts";
import { layoutOf } from "../../src/segment/format/segment-format.ts";
import { PAGE_BYTES, PAGE_CONTENT_BYTES } from "../../src/segment/format/segment-pages.ts";

/**
 * Kinds of sections that documents themselves are in, by docs/format.md: ids, columns, vectors and
 * what there is to know of them, dictionaries, and whole documents. All others are indexes.
 */
const OF_DOCUMENTS: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 15, 16]);

/** Bytes of all sections but those of documents, of the segments below a data directory. */
export function indexBytesOf(dataDir: string): number {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile() && file.parentPath.endsWith("/segments"))
    .filter(({ name }) => !name.includes(".live-"))
    .reduce((sum, { parentPath, name }) => sum + ofSegment(join(parentPath, name)), 0);
}

function ofSegment(path: string): number {
  const content = contentOf(readFileSync(path));
  const sections = layoutOf(content).directory(content);
  return sections
    .filter(({ kind }) => !OF_DOCUMENTS.has(kind))
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The first pages' content, in which the head ends; see `segment-pages.ts`. */
function contentOf(object: Buffer): Buffer {
  const pages = object.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + 4 * PAGE_BYTES);
  const starts = Array.from({ length: Math.ceil(pages.length / PAGE_BYTES) }, (_, i) => i);
  return Buffer.concat(
    starts.map((i) => pages.subarray(i * PAGE_BYTES, i * PAGE_BYTES + PAGE_CONTENT_BYTES)),
  );
}
