/**
 * Which matches an exact search has to compare: byte codes of all of them bound their distances,
 * and those are left whose lower bound is within what the k-th least upper bound allows. None of
 * the best is left out, ties included, so that what is compared gives the same answer to the bit.
 */

import { KthLeast } from "../../base/numbers/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { matchCount, matchedBits } from "../documents/matched-documents.ts";
import { countMissing } from "../operator/missing-bytes.ts";
import type { NarrowedMatches, SegmentMatches, Together } from "../operator/operator.ts";
import type { VectorTarget } from "../operator/plan.ts";
import type { ScanProgress } from "../operator/scan-progress.ts";
import type { WorkStats } from "../operator/work-stats.ts";
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
  /** Absent: what is looked at must be in memory at the same time. */
  readonly progress?: ScanProgress | undefined;
}

/** Of a thousand vectors that are in no cache codes save a third, of few nothing (ADR 27). */
const CANDIDATES_MIN = 512;
/** Candidates for each result from which on codes rule out most of them. */
const CANDIDATES_PER_RESULT = 4;

/**
 * Bytes of vectors in memory, end to end, from which on codes of them pay: of 2,000 with 768
 * dimensions they save a tenth of the time; fewer bytes are in the processor's caches (ADR 59).
 */
const FRESH_BYTES_MIN = 6_000_000;
/** The same for each result, as to compare one vector anywhere takes as long as to scan several. */
const FRESH_CANDIDATES_PER_RESULT = 40;

/**
 * Codes, and share of all, after which it is looked whether they tell vectors apart: where more
 * than half are left, those lie closer to each other than codes tell, and so may the others. They
 * are the first clusters, and no sample: where only they are so, the search could be faster.
 */
const TRIED_CODES = 8192;
const TRIED_SHARE = 1 / 8;

/** Tells whether codes of so many candidates are worth a look. */
export function codesPay(candidateCount: number, wanted: number): boolean {
  return candidateCount >= Math.max(CANDIDATES_MIN, CANDIDATES_PER_RESULT * wanted);
}

/** Tells whether codes of vectors in memory are: so many candidates, of so many bytes in all. */
export function freshCodesPay(candidateCount: number, bytes: number, wanted: number): boolean {
  return bytes >= FRESH_BYTES_MIN && candidateCount >= FRESH_CANDIDATES_PER_RESULT * wanted;
}

/** Codes are loaded where they have at most so many eighths of the bytes of vectors. */
const LOADING_EIGHTHS = 5;
/** Share of the codes up to which what is missing is loaded in any case: others find it then. */
const REST_SHARE = 1 / 8;

/** Bytes that a search would read. */
export interface MissingBytes {
  /** Of all codes, whether they are in memory or not. */
  readonly codes: number;
  readonly missingCodes: number;
  /** That a search without codes would have to load. */
  readonly missingVectors: number;
}

/**
 * Tells whether missing codes are worth loading: codes are a round of their own, and some vectors
 * come after them. Few rows anywhere are in as many chunks of the one as of the other.
 */
export function loadingPays({ codes, missingCodes, missingVectors }: MissingBytes): boolean {
  const isRest = missingCodes <= REST_SHARE * codes;
  return isRest || 8 * missingCodes <= LOADING_EIGHTHS * missingVectors;
}

/** The matches to compare in each segment: all where it has no codes, or where they do not pay. */
export function* narrowByCodes(
  segments: readonly SegmentMatches[],
  narrowing: Narrowing,
): Steps<NarrowedMatches[]> {
  const opened = yield* openByteCodes(segments, narrowing);
  return yield* narrowOpened(segments, opened, narrowing);
}

/** By segment; of those that have none that tell of the query nothing. */
export type OpenByteCodes = readonly (ByteCodedSegment | undefined)[];

/** Opens the byte codes of segments. Throws `BytesMissing`. */
export function* openByteCodes(
  segments: readonly SegmentMatches[],
  { target }: Pick<Narrowing, "target">,
): Steps<OpenByteCodes> {
  const opened: (ByteCodedSegment | undefined)[] = [];
  for (const segment of segments) {
    opened.push(ByteCodedSegment.open(segment, target));
    yield;
  }
  return opened;
}

/** The same as `narrowByCodes`, of segments whose codes are open. */
export function* narrowOpened(
  segments: readonly SegmentMatches[],
  opened: OpenByteCodes,
  narrowing: Narrowing,
): Steps<NarrowedMatches[]> {
  const { wanted, work } = narrowing;
  const fresh = opened.filter((segment) => segment?.isFresh === true);
  const freshBytes = fresh.reduce((bytes, segment) => bytes + (segment?.vectorBytes ?? 0), 0);
  const useFresh = freshCodesPay(candidateCount(fresh), freshBytes, wanted);
  const coded = useFresh
    ? opened
    : opened.map((segment) => (segment?.isFresh ? undefined : segment));
  const all = segments.map(({ matches }) => ({
    matching: matchedBits(matches),
    isNarrowed: false,
  }));
  if (!codesPay(candidateCount(coded), wanted) || !(yield* canRead(coded, narrowing))) return all;
  const uppers = new KthLeast(wanted);
  const found = coded.map(() => new FoundRows());
  if (!(yield* scanCodes(coded, { found, uppers }, narrowing))) return all;
  const narrowed: NarrowedMatches[] = [];
  for (const [i, segment] of coded.entries()) {
    if (segment === undefined) {
      narrowed.push(all[i]);
      continue;
    }
    const matching = yield* found[i].within(segment.reach(uppers.worst), segments[i].view);
    work.candidatesReranked += matchCount(matching);
    narrowed.push({ matching, isNarrowed: true });
    yield;
  }
  return narrowed;
}

function candidateCount(coded: readonly (ByteCodedSegment | undefined)[]): number {
  return coded.reduce((sum, segment) => sum + (segment?.candidateCount ?? 0), 0);
}

/** What is found by codes. */
interface FoundByCodes {
  /** Rows by segment. */
  readonly found: readonly FoundRows[];
  readonly uppers: KthLeast;
}

/** Looks at the codes of all candidates; returns false if it gave up since they tell too little. */
function* scanCodes(
  coded: readonly (ByteCodedSegment | undefined)[],
  { found, uppers }: FoundByCodes,
  { kernels, wanted, work }: Narrowing,
): Steps<boolean> {
  const all = candidateCount(coded);
  const tried = Math.max(TRIED_CODES, TRIED_SHARE * all, CANDIDATES_PER_RESULT * wanted);
  let looked = 0;
  const countLeft = (): number =>
    coded.reduce((left, segment, i) => {
      return left + (segment === undefined ? 0 : found[i].countWithin(segment.reach(uppers.worst)));
    }, 0);
  const goesOn = (count: number): boolean => {
    const wasTried = looked >= tried;
    looked += count;
    const isTried = !wasTried && looked >= tried && looked < all;
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
  const missingCodes = yield* countMissing(needs);
  if (missingCodes === 0) return true;
  const vectors = coded.flatMap((segment) => segment?.vectorNeeds() ?? []);
  const missingVectors = yield* countMissing(vectors);
  const codes = coded.reduce((bytes, segment) => bytes + (segment?.codeBytes ?? 0), 0);
  if (!loadingPays({ codes, missingCodes, missingVectors })) return false;
  if (progress?.hasRoomFor(missingCodes) === false) return false;
  together(needs);
  return true;
}
