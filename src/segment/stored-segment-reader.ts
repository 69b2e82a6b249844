/** Opens segments of a store, whole or by range. */

import type { SegmentId } from "../base/ids.ts";
import { DOCUMENT_SECTIONS, DocumentsReader } from "./documents/documents-section.ts";
import type { ByteSource } from "./format/byte-source.ts";
import { SEGMENT_VERSIONS, verifyHead } from "./format/segment-format.ts";
import { OpenSegment } from "./segment-reader.ts";

/**
 * Opens a stored segment whose content comes from a source; reads none of it. Throws `corrupt`,
 * `too_new` or `too_old` for a head that is not what one of `versions` writes.
 */
export function openStoredSegment(
  id: SegmentId,
  head: Uint8Array,
  sourceOf: (contentBytes: number) => ByteSource,
  versions = SEGMENT_VERSIONS,
): OpenSegment {
  const layout = verifyHead(head, versions);
  const source = sourceOf(layout.facts(head).bytes);
  const directory = layout.directory(head);
  const blocks = directory.find(({ kind }) => kind === DOCUMENT_SECTIONS.blocks);
  const documents = directory.find(({ kind }) => kind === DOCUMENT_SECTIONS.documents);
  if (blocks === undefined || documents === undefined) {
    return new OpenSegment(id, head, source, { layout });
  }
  const reader = new DocumentsReader(source, { blocks, documents });
  return new OpenSegment(id, head, source, { layout, documents: reader });
}
