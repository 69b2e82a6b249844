/** Looks at what most queries look at, so that it is loaded before them. */

import { attemptAll } from "./format/bytes-missing.ts";
import { SECTION, type SectionKind } from "./segment-format.ts";
import type { OpenSegment } from "./segment-reader.ts";

/** Sections of which a query reads some ranges only. */
const READ_IN_PARTS: readonly SectionKind[] = [
  SECTION.vectors,
  SECTION.textOrdinals,
  SECTION.textNumbers,
  SECTION.sparseOrdinals,
  SECTION.sparseNumbers,
  SECTION.documents,
];

/**
 * Looks at every section that is read as a whole, and at all vectors; not at single postings and
 * documents. Throws `NotResident` for all of it.
 */
export function touchSegment(view: OpenSegment): void {
  attemptAll([
    ...view.entries
      .filter(({ kind }) => !READ_IN_PARTS.includes(kind))
      .map((entry) => () => view.touch(entry)),
    ...view.attributes.map((name) => () => view.column(name)?.placed?.touchChunks()),
  ]);
}
