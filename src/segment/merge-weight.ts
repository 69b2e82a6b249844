/** What a segment weighs in a merge, which bounds what is merged by the memory that it takes. */

import type { SectionKind } from "./format/segment-layout.ts";
import type { OpenSegment } from "./segment-reader.ts";
import { BYTE_CODE_SECTIONS } from "./vectors/byte-code-section.ts";
import {
  CODE_SECTIONS,
  INNER_CODE_SECTIONS,
  ORDINAL_CODE_SECTIONS,
} from "./vectors/code-section.ts";
import { VECTOR_SECTIONS } from "./vectors/vector-section.ts";

/** Sections that merges copy or write from one place in the memory for documents to another. */
const IN_PLACE: readonly SectionKind[] = [
  VECTOR_SECTIONS.vectors,
  BYTE_CODE_SECTIONS.codes,
  CODE_SECTIONS.codes,
  ORDINAL_CODE_SECTIONS.codes,
  INNER_CODE_SECTIONS.codes,
];

/**
 * Bytes of a segment, of which those of dense vectors and of codes count half: all else is unpacked
 * in a merge, gathered, and packed again, in memory of its own.
 */
export function mergeWeight({ bytes, entries }: Pick<OpenSegment, "bytes" | "entries">): number {
  let inPlace = 0;
  for (const entry of entries) if (IN_PLACE.includes(entry.kind)) inPlace += entry.bytes;
  return bytes - inPlace / 2;
}
