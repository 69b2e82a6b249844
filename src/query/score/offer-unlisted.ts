/**
 * Offers documents that no posting list has, as filters and numbers score them, and stops as soon
 * as no further one can be kept.
 */

import type { Steps } from "../../base/steps.ts";
import { clearBit, hasBit } from "../../codec/bitmap.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { CANDIDATES_MAX, newCandidateScores } from "../documents/bounded-scores.ts";
import { eachPart, nextBit, type OrdinalBits, type VisitPart } from "../documents/ordinal-bits.ts";
import { scoreKey } from "../documents/segment-scores.ts";
import type { DocumentRanking } from "../documents/top-documents.ts";
import { type SortedSource, sortedSource } from "../filter/sorted-order.ts";
import { RANGE_DOCUMENTS, type Unlisted } from "./lists/not-offered.ts";

/** Ranges that are bounded between two pauses, in less than a microsecond each. */
const RANGES_PER_STEP = 512;

/** Where documents are, and who takes them. */
interface UnlistedRun {
  readonly view: SegmentView;
  readonly ranking: DocumentRanking;
  /** Of the segment in the snapshot. */
  readonly segment: number;
}

/** Offers those of a set that may be kept, of which no list has any; the set may be changed. */
export function* offerUnlisted(
  unlisted: Unlisted,
  documents: OrdinalBits,
  run: UnlistedRun,
): Steps<void> {
  const { score, greatestIn, mayReach } = unlisted;
  const { ranking, segment } = run;
  const scores = newCandidateScores();
  const offer: VisitPart = (ordinals, keys) => {
    score(ordinals, scores);
    for (let i = 0; i < ordinals.length; i++) {
      keys[i] = scores.has[i] === 1 ? scoreKey(scores.values[i]) : Number.NaN;
    }
    ranking.offerAll(keys.subarray(0, ordinals.length), segment, ordinals);
  };
  if (greatestIn === undefined) yield* offerById(unlisted, documents, { ...run, offer });
  else yield* offerByRange(greatestIn, { documents, mayReach, offer });
}

/** Those of the ranges first that are bounded by most. */
function* offerByRange(
  greatestIn: NonNullable<Unlisted["greatestIn"]>,
  {
    documents,
    mayReach,
    offer,
  }: Pick<Unlisted, "mayReach"> & {
    readonly documents: OrdinalBits;
    readonly offer: VisitPart;
  },
): Steps<void> {
  const count = 32 * documents.length;
  const ranges: { readonly start: number; readonly greatest: number }[] = [];
  for (let start = nextBit(documents, 0); start < count; ) {
    const first = start - (start % RANGE_DOCUMENTS);
    ranges.push({ start: first, greatest: greatestIn(first, first + RANGE_DOCUMENTS) });
    start = nextBit(documents, first + RANGE_DOCUMENTS);
    if (ranges.length % RANGES_PER_STEP === 0) yield;
  }
  ranges.sort((a, b) => b.greatest - a.greatest);
  for (const { start, greatest } of ranges) {
    if (!mayReach(greatest)) return;
    const words = documents.subarray(start >>> 5, (start + RANGE_DOCUMENTS) >>> 5);
    yield* eachPart(
      words,
      (places, keys) => {
        for (let i = 0; i < places.length; i++) places[i] += start;
        offer(places, keys);
      },
      CANDIDATES_MAX,
    );
  }
}

interface IdRun extends UnlistedRun {
  readonly offer: VisitPart;
}

/** In the order of ids, so that of those with equal scores the first ones are the best. */
function* offerById(unlisted: Unlisted, documents: OrdinalBits, run: IdRun): Steps<void> {
  const { greatest, isCeiling, mayReach } = unlisted;
  const { ranking, segment, offer } = run;
  const order = sortedSource("id", run.view);
  const best = isCeiling ? scoreKey(greatest) : Number.NEGATIVE_INFINITY;
  let isFull = false;
  const visit: VisitPart = (ordinals, keys) => {
    // Neither can those behind the first one be kept, which have greater ids.
    const isRefused = !Number.isNaN(best) && !ranking.admits(best, segment, ordinals[0]);
    isFull ||= isRefused || !mayReach(greatest);
    if (!isFull) offer(ordinals, keys);
  };
  const rest = order?.isAscending === false ? walkEntries(order, documents, visit) : undefined;
  if (rest !== undefined) {
    for (;;) {
      const next = rest.next();
      if (isFull || next.done === true) break;
      yield;
    }
    if (isFull) return;
  }
  const parts = eachPart(documents, order?.isAscending === true ? visit : offer, CANDIDATES_MAX);
  while (!isFull && parts.next().done !== true) yield;
}

/** Takes documents in the order of ids out of a set, up to entries that are not in memory. */
function* walkEntries(
  { sorted }: SortedSource,
  documents: OrdinalBits,
  visit: VisitPart,
): Steps<void> {
  const { entryCount } = sorted;
  const ordinals = new Uint32Array(CANDIDATES_MAX);
  const keys = new Float64Array(CANDIDATES_MAX);
  for (let first = 0; first < entryCount; first += CANDIDATES_MAX) {
    const entries = sorted.peekEntries(first, Math.min(first + CANDIDATES_MAX, entryCount));
    if (entries === undefined) return;
    let count = 0;
    for (let i = 0; i < entries.length; i++) {
      const ordinal = entries[i];
      if (!hasBit(documents, ordinal)) continue;
      clearBit(documents, ordinal);
      ordinals[count++] = ordinal;
    }
    if (count > 0) visit(ordinals.subarray(0, count), keys);
    yield;
  }
}
