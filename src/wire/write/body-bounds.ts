/** What the documents of one body may add up to; the server must be able to hold them. */

import { KIB } from "../../base/byte-sizes.ts";
import { DatabaseError, invalid } from "../../base/errors.ts";
import { ATTRIBUTE_COUNT_MAX } from "../../model/contract-limits.ts";

/** Documents times attributes of one write; our choice: bounds what sparse documents cost. */
const WRITE_CELLS_MAX = 100_000_000;
/** Bytes of a body that one step of its parser takes at least; above what a step costs. */
export const PARSE_STEP_BYTES = 4 * KIB;
/** Documents or ids of one write; no body of legal size has more ids that differ. */
const WRITE_DOCUMENTS_MAX = 64 * 1024 * 1024;

/** Refuses (413) more documents, or ids, than one write may have. */
export function checkDocumentCount(count: number): void {
  if (count <= WRITE_DOCUMENTS_MAX) return;
  throw new DatabaseError(
    "too_large",
    `💔 a write may have at most ${WRITE_DOCUMENTS_MAX} documents; send them in several writes`,
  );
}

/** Refuses (413) more values than one write may have. */
export function checkCellCount(count: number): void {
  if (count <= WRITE_CELLS_MAX) return;
  throw new DatabaseError(
    "too_large",
    `💔 a write may have at most ${WRITE_CELLS_MAX} values, counting the attributes that a ` +
      "document leaves out; send the documents in several writes",
  );
}

/** The error for a body with more attribute names than a namespace may have. */
export function tooManyAttributes(): DatabaseError {
  return invalid(`💔 a namespace may have at most ${ATTRIBUTE_COUNT_MAX} attributes`);
}
