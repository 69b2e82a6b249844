/** Goes through the elements of arrays in parts that are short however many one document has. */

import type { Steps } from "../../base/steps.ts";
import { eachMatch, type MatchedDocuments } from "../documents/matched-documents.ts";

/** Greatest number of documents, and of elements, of one part: those read between two pauses. */
export const ELEMENTS_PER_PART = 4096;

/**
 * Takes documents, and of their elements those from `start` to before `end` of the column. The
 * ordinals are used again. A document of several parts is the only one of each of them.
 */
export type VisitElements = (ordinals: Uint32Array, start: number, end: number) => void;

/** The matches of a segment, and where the elements of its documents begin and end. */
export interface MatchedElements {
  readonly matching: MatchedDocuments;
  /** By ordinal; empty for those without a value. */
  readonly offsets: Uint32Array;
  /** Documents of one part, at most. */
  readonly perStep: number;
}

/** Calls `visit` with all matches and their elements, ascending, with a pause after each part. */
export function* eachElementPart(
  { matching, offsets, perStep }: MatchedElements,
  visit: VisitElements,
): Steps<void> {
  let documents = new Uint32Array(0);
  const keep = (ordinals: Uint32Array): void => {
    documents = ordinals as Uint32Array<ArrayBuffer>;
  };
  const matches = eachMatch(matching, keep, perStep);
  for (let isEnd = false; !isEnd; ) {
    documents = documents.subarray(0, 0);
    isEnd = matches.next().done === true;
    for (let first = 0; first < documents.length; ) {
      const next = Math.max(first + 1, partEnd(documents, first, offsets));
      const part = documents.subarray(first, next);
      const end = offsets[part[part.length - 1] + 1];
      let start = offsets[part[0]];
      // Only one document may have too many; between several there are elements of others.
      const each = part.length > 1 ? end - start : ELEMENTS_PER_PART;
      do {
        visit(part, start, Math.min(end, start + each));
        yield;
        start += each;
      } while (start < end);
      first = next;
    }
  }
}

/** Up to where documents from `first` on have no more elements than a part; maybe none has. */
function partEnd(documents: Uint32Array, first: number, offsets: Uint32Array): number {
  let room = ELEMENTS_PER_PART;
  let i = first;
  for (; i < documents.length; i++) {
    const ordinal = documents[i];
    room -= 1 + offsets[ordinal + 1] - offsets[ordinal];
    if (room < 0) break;
  }
  return i;
}
