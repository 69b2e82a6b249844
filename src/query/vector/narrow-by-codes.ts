/**
 * Which matches an exact search has to compare: byte codes of all of them bound their distances,
 * and those are left whose lower bound is within what the k-th least upper bound allows. None of
 * the best is left out, ties included, so that what is compared gives the same answer to the bit.
 */

import { KthLeast } from "../../base/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
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

/** Tells whether codes of so many candidates are worth a look. */
export function codesPay(candidateCount: number, wanted: number): boolean {
  return candidateCount >= Math.max(CANDIDATES_MIN, CANDIDATES_PER_RESULT * wanted);
}

/**
 * Tells whether so many bytes of codes are worth loading where the vectors that they stand for, in
 * chunks, have so many: codes are a round of their own, and some vectors come after them. Few rows
 * anywhere are in as many chunks of the one as of the other.
 */
export function readingPays(codeBytes: number, vectorBytes: number): boolean {
  return 2 * codeBytes <= vectorBytes;
}

/** The matches to compare in each segment: all where it has no codes, or where they do not pay. */
export function* narrowByCodes(
  segments: readonly SegmentMatches[],
  narrowing: Narrowing,
): Steps<NarrowedMatches[]> {
  const { target, wanted, kernels, work } = narrowing;
  const coded: (ByteCodedSegment | undefined)[] = [];
  for (const segment of segments) {
    coded.push(ByteCodedSegment.open(segment, target));
    yield;
  }
  const all = segments.map(({ matches }) => ({ matches, isNarrowed: false }));
  const count = coded.reduce((sum, segment) => sum + (segment?.candidateCount ?? 0), 0);
  if (!codesPay(count, wanted) || !canRead(coded, narrowing)) return all;
  const uppers = new KthLeast(wanted);
  const found = coded.map(() => new FoundRows());
  for (const [i, segment] of coded.entries()) {
    yield* segment?.scan(kernels, uppers, found[i]) ?? [];
  }
  work.codesScanned += count;
  return segments.map(({ view }, i) => {
    const own = coded[i];
    if (own === undefined) return all[i];
    found[i].keep(own.reach(uppers.worst));
    work.candidatesReranked += found[i].rows.length;
    const matches = emptyBits(view.documentCount);
    for (const row of found[i].rows) setBit(matches, row);
    return { matches, isNarrowed: true };
  });
}

/**
 * Tells whether codes are to be read. Throws one `BytesMissing` for those that are but are not in
 * memory.
 */
function canRead(
  coded: readonly (ByteCodedSegment | undefined)[],
  { together, progress }: Narrowing,
): boolean {
  const needs = coded.flatMap((segment) => segment?.needs() ?? []);
  if (progress !== undefined) {
    if (progress.hasAll(needs)) return true;
    const sum = (bytesOf: (segment: ByteCodedSegment) => number) =>
      coded.reduce((bytes, segment) => bytes + (segment ? bytesOf(segment) : 0), 0);
    const codeBytes = sum((segment) => segment.codeBytes);
    const isLess = readingPays(
      codeBytes,
      sum((segment) => segment.vectorBytes),
    );
    if (!isLess || !progress.hasRoomFor(codeBytes)) return false;
  }
  together(needs);
  return true;
}
