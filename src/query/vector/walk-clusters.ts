/**
 * Walks through the clusters of several segments (`cluster-walk.ts`), and tells of the rows in them
 * whose codes say that they may be among the nearest.
 */

import { KthLeast } from "../../base/numbers/kth-least.ts";
import { oneStep, runSteps, type Steps } from "../../base/steps.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { RATED_BLOCK } from "../../kernel/rate-scan.ts";
import { boundShare } from "../../vector/one-bit-codes.ts";
import type { Need, Together, WithNeeds } from "../operator/operator.ts";
import type { WorkStats } from "../operator/work-stats.ts";
import { type ClusterMatches, countMatches } from "./cluster-matches.ts";
import {
  ClusterWalk,
  type WalkChoice,
  type WalkedClusters,
  type WalkPlan,
} from "./cluster-walk.ts";
import type { CodedSegment, MeanBounds, VisitRow } from "./coded-segment.ts";
import type { WalkArrays } from "./walk-arrays.ts";

/** Clusters that are looked into between two pauses, in up to a microsecond each. */
const CLUSTERS_PER_STEP = 256;

/** The clusters of all segments, numbered through. */
export interface NumberedClusters {
  readonly count: number;
  /**
   * Number of each segment's first one and, last, how many there are: multiples of RATED_BLOCK,
   * with clusters behind those of a segment that have no rows.
   */
  readonly starts: readonly number[];
}

/** Numbers the clusters of segments; of those without there are none. */
export function numberClusters(coded: readonly (ClusterMatches | undefined)[]): NumberedClusters {
  const counts = coded.map(
    (segment) => Math.ceil((segment?.clusters.count ?? 0) / RATED_BLOCK) * RATED_BLOCK,
  );
  const starts: number[] = [];
  let count = 0;
  for (const own of counts) {
    starts.push(count);
    count += own;
  }
  starts.push(count);
  return { count, starts };
}

/** The segment of a cluster, which is in segment `from` or behind it. O(segments between). */
function segmentOf(cluster: number, starts: readonly number[], from: number): number {
  let segment = from;
  while (starts[segment + 1] <= cluster) segment++;
  return segment;
}

/** Writes how many rows of each cluster match, and tells how many do in all. */
export function* countAllMatches(
  coded: readonly (ClusterMatches | undefined)[],
  { starts }: NumberedClusters,
  counts: Uint32Array,
): Steps<number> {
  let sum = 0;
  for (const [i, segment] of coded.entries()) {
    if (segment === undefined) continue;
    const own = counts.subarray(starts[i], starts[i + 1]);
    sum += countMatches(segment, own);
    own.fill(0, segment.clusters.count);
    yield;
  }
  return sum;
}

/** Takes in the rows that a walk finds in one segment; see `VisitRow`. */
export interface RowSink {
  add(position: number, lower: number, upper: number): void;
}

/** What a walk works with. */
export interface CodeWalk {
  readonly plan: WalkPlan;
  /** Absent: the walk goes on to its end. */
  readonly choice?: WalkChoice | undefined;
  readonly numbered: NumberedClusters;
  /** Say how many rows of each cluster match; all else is written by the walk, and counts, too. */
  readonly arrays: WalkArrays;
  /** By segment. */
  readonly found: readonly RowSink[];
  readonly kernels: ArenaKernels;
  readonly work: WorkStats;
  readonly together: Together;
  readonly withNeeds: WithNeeds;
}

type Coded = readonly (CodedSegment | undefined)[];

/**
 * Finds the rows that may be among the nearest, and some more. Returns the bound within which as
 * many are as the plan wants, infinite if there are fewer; undefined if the walk was given up.
 * Throws `BytesMissing` for all codes that the walk is likely to read.
 */
export function* walkClusters(coded: Coded, walked: CodeWalk): Steps<number | undefined> {
  const { plan, numbered, arrays, work, together, withNeeds } = walked;
  const { starts } = numbered;
  const clusters = yield* walkedOf(coded, walked);
  const walk = new ClusterWalk(clusters, plan, walked.choice);
  const uppers = new KthLeast(plan.wanted);
  const worst = () => uppers.worst;
  const visits = walked.found.map(
    (rows): VisitRow =>
      (row, lower, upper) => {
        rows.add(row, lower, upper);
        uppers.offer(upper);
      },
  );
  const needsOf = (some: Uint32Array): Need[] => chunkNeeds(some, coded, numbered);
  const { lower: distances } = arrays;
  for (;;) {
    const next = yield* walk.next(worst());
    if (next.length === 0) return walk.isGivenUp ? undefined : worst();
    // What is missing is missed together with what is likely to be looked into later.
    yield* withNeeds(
      () => oneStep(() => together(needsOf(next))),
      () => needsOf(runSteps(walk.likely(worst()))),
    );
    for (let from = 0, to = 0, s = 0; from < next.length; from = to) {
      if (from > 0) yield;
      s = segmentOf(next[from], starts, s);
      const end = starts[s + 1];
      while (to < next.length && to < from + CLUSTERS_PER_STEP && next[to] < end) to++;
      const some = { some: next.subarray(from, to), first: starts[s], distances };
      coded[s]?.resume();
      work.codesScanned += coded[s]?.scan(some, worst, visits[s]) ?? 0;
      work.clustersProbed += to - from;
    }
  }
}

/** Looks at the codes of some clusters, in their order. */
function chunkNeeds(some: Uint32Array, coded: Coded, { starts }: NumberedClusters): Need[] {
  const needs: Need[] = [];
  for (let i = 0, s = 0; i < some.length; s++) {
    const segment = coded[s];
    let seen = 0;
    for (; i < some.length && some[i] < starts[s + 1]; i++) {
      if (segment === undefined) continue;
      const { start, end } = segment.chunksOf(some[i] - starts[s]);
      for (let chunk = Math.max(start, seen); chunk < end; chunk++) {
        if (!segment.hasSeen(chunk)) needs.push(() => void segment.chunk(chunk));
      }
      seen = end;
    }
  }
  return needs;
}

/** What the walk needs to know of all clusters. */
function* walkedOf(
  coded: Coded,
  { numbered: { starts }, arrays, kernels }: CodeWalk,
): Steps<WalkedClusters> {
  let share = 0;
  for (const [i, segment] of coded.entries()) {
    if (segment === undefined) continue;
    const start = starts[i];
    segment.boundMeans(boundsFrom(start, arrays));
    share = boundShare(segment.codes.rotatedDimensions);
    arrays.inverseRadii.set(segment.codes.inverseRadii, start);
    yield;
  }
  return {
    arrays,
    refine: (some) => refineDistances(some, arrays, coded, starts),
    starts,
    rates: coded.map((segment) => segment?.codes.rates ?? new Float32Array(0)),
    kernels,
    boundShare: share,
  };
}

/** The bounds of the clusters of a segment that begins with one. */
function boundsFrom(first: number, { lower, upper }: WalkArrays): MeanBounds {
  return { lower: lower.subarray(first), upper: upper.subarray(first) };
}

/** Writes the distances of some clusters, ascending. */
function refineDistances(
  some: Uint32Array,
  arrays: WalkArrays,
  coded: Coded,
  starts: readonly number[],
): void {
  for (let from = 0, end = 0, segment = 0; from < some.length; from = end) {
    segment = segmentOf(some[from], starts, segment);
    while (end < some.length && some[end] < starts[segment + 1]) end++;
    const start = starts[segment];
    const own = some.subarray(from, end).map((c) => c - start);
    coded[segment]?.measureMeans(own, boundsFrom(start, arrays));
  }
}
