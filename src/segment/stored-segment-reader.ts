/** Opens segments of a store, whole or by range. */

import type { SegmentId } from "../base/ids.ts";
import { DocumentsReader } from "./documents/documents-section.ts";
import type { ByteSource } from "./format/byte-source.ts";
import { readDirectory, readFacts, SECTION, verifyHead } from "./segment-format.ts";
import { OpenSegment } from "./segment-reader.ts";

/**
 * Opens a stored segment whose content comes from a source; reads none of it. Throws `corrupt` or
 * `too_new` for a head that is not what was written.
 */
export function openStoredSegment(
  id: SegmentId,
  head: Uint8Array,
  sourceOf: (contentBytes: number) => ByteSource,
): OpenSegment {
  verifyHead(head);
  const source = sourceOf(readFacts(head).bytes);
  const directory = readDirectory(head);
  const blocks = directory.find(({ kind }) => kind === SECTION.documentBlocks);
  const documents = directory.find(({ kind }) => kind === SECTION.documents);
  if (blocks === undefined || documents === undefined) return new OpenSegment(id, head, source);
  return new OpenSegment(id, head, source, new DocumentsReader(source, { blocks, documents }));
}
