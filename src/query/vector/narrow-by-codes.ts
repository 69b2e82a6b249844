/**
 * Which matches an exact search has to compare: byte codes of all of them bound their distances,
 * and those are left whose lower bound is within what the k-th least upper bound allows. None of
 * the best is left out, ties included, so that what is compared gives the same answer to the bit.
 */

import { KthLeast } from "../../base/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import type { ScanProgress } from "../executor/scan-progress.ts";
import { emptyBits } from "../ordinal-bits.ts";
import type { NarrowedMatches, SegmentMatches, Together } from "../plan/operator.ts";
import type { VectorTarget } from "../plan/plan.ts";
import type { WorkStats } from "../work-stats.ts";
import { ByteCodedSegment } from "./byte-coded-segment.ts";
import { FoundRows } from "./found-rows.ts";

/** What narrowing works with. */
export interface Narrowing {
  readonly target: VectorTarget;
  /** Results that are wanted, at least 1. */
  readonly wanted: number;
  readonly kernels: ArenaKernels;
  readonly work: WorkStats;
  readonly together: Together;
  /** Absent: all that is looked at must be in memory at the same time. */
  readonly progress?: ScanProgress | undefined;
}

/** Codes of fewer save less than they cost, `bench/exact.bench.ts` says. */
const CANDIDATES_MIN = 1024;
/** Candidates for each result from which on codes rule out most of them. */
const CANDIDATES_PER_RESULT = 4;

/**
 * Codes after which it is looked whether they tell vectors apart: where more than half are left,
 * all lie closer to each other than codes tell, and the rest of the codes would be in vain.
 */
const TRIED_CODES = 8192;

/** Tells whether codes of so many candidates are worth a look. */
export function codesPay(candidateCount: number, wanted: number): boolean {
  return candidateCount >= Math.max(CANDIDATES_MIN, CANDIDATES_PER_RESULT * wanted);
}

/** Codes are loaded where they have at most so many eighths of the bytes of vectors. */
const LOADING_EIGHTHS = 5;

/**
 * Tells whether so many bytes of codes are worth loading where a search without them had to load so
 * many of vectors: codes are a round of their own, and some vectors come after them. Few rows
 * anywhere are in as many chunks of the one as of the other.
 */
export function loadingPays(codeBytes: number, vectorBytes: number): boolean {
  return 8 * codeBytes <= LOADING_EIGHTHS * vectorBytes;
}

/** The matches to compare in each segment: all where it has no codes, or where they do not pay. */
export function* narrowByCodes(
  segments: readonly SegmentMatches[],
  narrowing: Narrowing,
): Steps<NarrowedMatches[]> {
  const { target, wanted, work } = narrowing;
  const coded: (ByteCodedSegment | undefined)[] = [];
  for (const segment of segments) {
    coded.push(ByteCodedSegment.open(segment, target));
    yield;
  }
  const all = segments.map(({ matches }) => ({ matches, isNarrowed: false }));
  const count = coded.reduce((sum, segment) => sum + (segment?.candidateCount ?? 0), 0);
  if (!codesPay(count, wanted) || !(yield* canRead(coded, narrowing))) return all;
  const uppers = new KthLeast(wanted);
  const found = coded.map(() => new FoundRows());
  if (!(yield* scanCodes(coded, { found, uppers }, narrowing))) return all;
  const narrowed: NarrowedMatches[] = [];
  for (const [i, segment] of coded.entries()) {
    if (segment === undefined) {
      narrowed.push(all[i]);
      continue;
    }
    const matches = emptyBits(segments[i].view.documentCount);
    work.candidatesReranked += yield* found[i].addTo(matches, segment.reach(uppers.worst));
    narrowed.push({ matches, isNarrowed: true });
    yield;
  }
  return narrowed;
}

/** What is found by codes. */
interface Findings {
  /** Rows by segment. */
  readonly found: readonly FoundRows[];
  readonly uppers: KthLeast;
}

/** Looks at the codes of all candidates; returns false if it gave up since they tell too little. */
function* scanCodes(
  coded: readonly (ByteCodedSegment | undefined)[],
  { found, uppers }: Findings,
  { kernels, wanted, work }: Narrowing,
): Steps<boolean> {
  const tried = Math.max(TRIED_CODES, CANDIDATES_PER_RESULT * wanted);
  let looked = 0;
  const countLeft = (): number =>
    coded.reduce((left, segment, i) => {
      return left + (segment === undefined ? 0 : found[i].countWithin(segment.reach(uppers.worst)));
    }, 0);
  const goesOn = (count: number): boolean => {
    const isTried = looked < tried && looked + count >= tried;
    looked += count;
    work.codesScanned += count;
    return !isTried || countLeft() <= looked / 2;
  };
  for (const [i, segment] of coded.entries()) {
    if (segment === undefined) continue;
    if (!(yield* segment.scan(kernels, { found: found[i], uppers }, goesOn))) return false;
  }
  return true;
}

/**
 * Tells whether codes are to be read. Throws one `BytesMissing` for those that are but are not in
 * memory.
 */
function* canRead(
  coded: readonly (ByteCodedSegment | undefined)[],
  { together, progress }: Narrowing,
): Steps<boolean> {
  const needs = coded.flatMap((segment) => segment?.codeNeeds() ?? []);
  if (progress !== undefined) {
    const codeBytes = yield* progress.missingBytes(needs);
    if (codeBytes === 0) return true;
    const vectors = coded.flatMap((segment) => segment?.vectorNeeds() ?? []);
    const vectorBytes = yield* progress.missingBytes(vectors);
    if (!loadingPays(codeBytes, vectorBytes) || !progress.hasRoomFor(codeBytes)) return false;
  }
  together(needs);
  return true;
}
