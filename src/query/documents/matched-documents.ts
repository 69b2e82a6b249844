/** The live documents of a segment that match a predicate, in the form in which they were found. */

import type { Steps } from "../../base/steps.ts";
import { countBits, setBit } from "../../codec/bitmap.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { eachPart, emptyBits, type OrdinalBits, type VisitPart } from "./ordinal-bits.ts";

/** Matching documents of one segment. */
export type MatchedDocuments =
  | { readonly form: "bits"; readonly bits: OrdinalBits; readonly count: number | undefined }
  /** Few, ascending. */
  | { readonly form: "list"; readonly ordinals: Uint32Array };

/** Matches that are listed, and not put into a set; sorted in a fraction of a slice. */
export const LISTED_MAX = 4_096;

/** Some ordinals in any order: to sort many takes longer than a set of all documents. */
export function matchedOrdinals(ordinals: Uint32Array, view: SegmentView): MatchedDocuments {
  if (ordinals.length > LISTED_MAX) return matchedBits(bitsOf(ordinals, view));
  return { form: "list", ordinals: ordinals.sort() };
}

/** A set that nobody has counted. */
export function matchedBits(bits: OrdinalBits): MatchedDocuments {
  return { form: "bits", bits, count: undefined };
}

/** How many documents match. */
export function matchCount(matching: MatchedDocuments): number {
  if (matching.form === "list") return matching.ordinals.length;
  return matching.count ?? countBits(matching.bits);
}

/** The matches as a set; not to be changed. */
export function matchBits(matching: MatchedDocuments, view: SegmentView): OrdinalBits {
  return matching.form === "list" ? bitsOf(matching.ordinals, view) : matching.bits;
}

/** Matches that are visited between two pauses: each may cost some microseconds. */
export const MATCHES_PER_STEP = 512;

/** Calls `visit` with the matches, ascending, at most `perStep` at a time, as `eachPart` does. */
export function* eachMatch(
  matching: MatchedDocuments,
  visit: VisitPart,
  perStep = MATCHES_PER_STEP,
): Steps<void> {
  if (matching.form === "bits") {
    yield* eachPart(matching.bits, visit, perStep);
    return;
  }
  const { ordinals } = matching;
  if (ordinals.length === 0) return;
  const numbers = new Float64Array(Math.min(ordinals.length, perStep));
  for (let start = 0; start < ordinals.length; start += perStep) {
    if (start > 0) yield;
    visit(ordinals.subarray(start, start + perStep), numbers);
  }
}

/** The ordinals as a set. */
export function bitsOf(ordinals: Iterable<number>, view: SegmentView): OrdinalBits {
  const bits = emptyBits(view.documentCount);
  for (const ordinal of ordinals) setBit(bits, ordinal);
  return bits;
}
