/** Terms of single documents of a segment, from their stored texts. */

import { KIB } from "../../base/byte-sizes.ts";
import type { Ordinal } from "../../base/ids.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import { analyzerFor } from "../../text/analyzer.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { ColumnView } from "../view/segment-view.ts";

/** Bytes that are read for one document of a remote segment, at least: a window of the cache. */
const DOCUMENT_READ_BYTES = 64 * KIB;

/**
 * Tells whether it is less to read documents than the posting lists of the terms that are asked
 * for. Time gives nearly the same number: what one document takes, lists of as many bytes take.
 */
export function readsDocuments(documentCount: number, listBytes: number): boolean {
  return documentCount * DOCUMENT_READ_BYTES <= listBytes;
}

/**
 * How many of some documents have each term, by the options that the text index was made with.
 * Throws `BytesMissing` for all of them at once.
 */
export function termsOfDocuments(
  column: ColumnView,
  options: FullTextOptions,
  ordinals: Uint32Array,
): Map<string, number> {
  const values = attemptAll(
    Array.from(ordinals, (ordinal) => () => column.value(ordinal as Ordinal)),
  );
  const analyzer = analyzerFor(options);
  const counts = new Map<string, number>();
  for (const value of values) {
    const terms = new Set<string>();
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text === "string") analyzer.forEachTerm(text, (term) => void terms.add(term));
    }
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return counts;
}
