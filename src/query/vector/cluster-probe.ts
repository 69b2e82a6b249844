/**
 * Which rows an ANN search compares exactly. Clusters of all segments are walked together
 * (`cluster-walk.ts`), codes bound the distances of their rows, and those remain that may be among
 * the nearest. Rows that do not match cost nothing, and clusters without a match are not read.
 */

import { KthLeast } from "../../base/kth-least.ts";
import { oneStep, runSteps, type Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { unitVector } from "../../vector/metric.ts";
import { boundShare } from "../../vector/one-bit-codes.ts";
import { countBitsUpTo, emptyBits } from "../ordinal-bits.ts";
import type { NarrowedMatches, Need, SegmentMatches, WithNeeds } from "../plan/operator.ts";
import type { VectorTarget } from "../plan/plan.ts";
import { ClusterWalk, type WalkedClusters, type WalkPlan } from "./cluster-walk.ts";
import { CodedSegment, type MeanBounds } from "./coded-segment.ts";
import { FoundRows } from "./found-rows.ts";
import { type Narrowing, narrowByCodes } from "./narrow-by-codes.ts";
import { QueryTables } from "./query-tables.ts";
import { lendWalkArrays, returnWalkArrays, type WalkArrays } from "./walk-arrays.ts";

/** How far a search goes. */
export interface ProbePlan extends WalkPlan {
  /** Up to so many matches in segments with codes all of them are compared exactly. */
  readonly exactMatchesMax: number;
}

/** What probing works with. */
export interface Probe extends Omit<Narrowing, "wanted"> {
  readonly plan: ProbePlan;
  readonly withNeeds: WithNeeds;
}

/** Clusters that are looked into between two pauses, in up to a microsecond each. */
const CLUSTERS_PER_STEP = 256;

/**
 * The matches to look at in each segment: all of them where it has no codes, or those that were
 * picked, which are then marked as narrowed. Throws `BytesMissing` for the clusters of a segment,
 * or for all codes that the walk is going to read.
 */
export function* probeClusters(
  segments: readonly SegmentMatches[],
  probe: Probe,
): Steps<NarrowedMatches[]> {
  const { target, kernels, plan } = probe;
  const exact = () => narrowByCodes(segments, { ...probe, wanted: plan.wanted });
  if (yield* isAtMost(segments, plan.exactMatchesMax)) return yield* exact();
  const coded: (CodedSegment | undefined)[] = [];
  const tables = tablesOf(target, kernels);
  for (const segment of segments) {
    coded.push(tables && (yield* CodedSegment.open(segment, target, tables, kernels)));
    yield;
  }
  const places = placesOf(coded);
  const found = coded.map(() => new FoundRows());
  const arrays = lendWalkArrays(places.count);
  try {
    const matchCount = yield* countMatches(coded, places, arrays);
    if (matchCount <= plan.exactMatchesMax) return yield* exact();
    yield* walkClusters(coded, { places, arrays, found, probe });
  } finally {
    returnWalkArrays(arrays);
  }
  return segments.map(({ view, matches }, segment) => {
    const own = coded[segment];
    if (own === undefined) return { matches, isNarrowed: false };
    const narrowed = emptyBits(view.documentCount);
    for (const row of found[segment].rows) setBit(narrowed, own.ordinalAt(row));
    return { matches: narrowed, isNarrowed: true };
  });
}

/** Whether so few match, with a vector or without: nothing needs to be known of clusters then. */
function* isAtMost(segments: readonly SegmentMatches[], most: number): Steps<boolean> {
  let left = most;
  for (const { matches } of segments) {
    left -= countBitsUpTo(matches, left);
    if (left < 0) return false;
    yield;
  }
  return true;
}

function tablesOf({ metric, query }: VectorTarget, kernels: ArenaKernels): QueryTables | undefined {
  // Several vectors at once are compared exactly.
  if (!(query instanceof Float32Array)) return undefined;
  return new QueryTables(metric === "cosine_distance" ? unitVector(query) : query, kernels);
}

/** Where the clusters of each segment are among all. */
interface ClusterPlaces {
  /** Of all segments. */
  readonly count: number;
  /** Number of each segment's first one and, last, how many there are. */
  readonly starts: readonly number[];
  /** Segment of each cluster. */
  readonly segments: Uint32Array;
}

function placesOf(coded: readonly (CodedSegment | undefined)[]): ClusterPlaces {
  const counts = coded.map((segment) => segment?.clusters.count ?? 0);
  const starts: number[] = [];
  let count = 0;
  for (const own of counts) {
    starts.push(count);
    count += own;
  }
  starts.push(count);
  const segments = new Uint32Array(count);
  counts.forEach((own, segment) => {
    segments.fill(segment, starts[segment], starts[segment] + own);
  });
  return { count, starts, segments };
}

interface Walk {
  readonly places: ClusterPlaces;
  readonly arrays: WalkArrays;
  /** Rows by segment. */
  readonly found: readonly FoundRows[];
  readonly probe: Probe;
}

function* walkClusters(
  coded: readonly (CodedSegment | undefined)[],
  { places, arrays, found, probe }: Walk,
): Steps<void> {
  const { plan, work, together, withNeeds } = probe;
  const { starts, segments } = places;
  const clusters = yield* walkedOf(coded, places, arrays);
  const walk = new ClusterWalk(clusters, plan);
  const uppers = new KthLeast(plan.wanted);
  const worst = () => uppers.worst;
  const needsOf = (some: Uint32Array): Need[] => chunkNeeds(some, coded, places);
  const { lower: distances } = arrays;
  for (;;) {
    const next = yield* walk.next(worst());
    if (next.length === 0) break;
    // What is missing is missed together with what is likely to be looked into later.
    yield* withNeeds(
      () => oneStep(() => together(needsOf(next))),
      () => needsOf(runSteps(walk.likely(worst()))),
    );
    for (let from = 0, to = 0; from < next.length; from = to) {
      if (from > 0) yield;
      const s = segments[next[from]];
      while (to < next.length && to < from + CLUSTERS_PER_STEP && segments[next[to]] === s) to++;
      const rows = found[s];
      const visit = (row: number, lower: number, upper: number): void => {
        rows.add(row, lower);
        uppers.offer(upper);
      };
      const some = next.subarray(from, to);
      coded[s]?.resume();
      work.codesScanned += coded[s]?.scan({ some, first: starts[s], distances }, worst, visit) ?? 0;
      work.clustersProbed += some.length;
    }
  }
  for (const rows of found) {
    rows.keep(worst());
    work.candidatesReranked += rows.rows.length;
  }
}

/** Looks at the codes of some clusters, in their order. */
function chunkNeeds(
  some: Uint32Array,
  coded: readonly (CodedSegment | undefined)[],
  { starts, segments }: ClusterPlaces,
): Need[] {
  const needs: Need[] = [];
  let lastSegment = -1;
  let seen = 0;
  for (const c of some) {
    const segment = coded[segments[c]];
    if (segment === undefined) continue;
    if (segments[c] !== lastSegment) seen = 0;
    lastSegment = segments[c];
    const { start, end } = segment.chunksOf(c - starts[lastSegment]);
    for (let chunk = Math.max(start, seen); chunk < end; chunk++) {
      needs.push(() => void segment.codes.chunk(chunk));
    }
    seen = end;
  }
  return needs;
}

/** Writes how many rows of each cluster match, and tells how many do in all. */
function* countMatches(
  coded: readonly (CodedSegment | undefined)[],
  { starts }: ClusterPlaces,
  { counts }: WalkArrays,
): Steps<number> {
  let sum = 0;
  for (const [i, segment] of coded.entries()) {
    sum += segment?.countMatches(counts.subarray(starts[i], starts[i + 1])) ?? 0;
    yield;
  }
  return sum;
}

/** What the walk needs to know of all clusters. */
function* walkedOf(
  coded: readonly (CodedSegment | undefined)[],
  { starts, segments }: ClusterPlaces,
  arrays: WalkArrays,
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
    refine: (some) => refineDistances(some, arrays, coded, { starts, segments }),
    starts,
    rates: coded.map((segment) => segment?.codes.rates ?? new Float32Array(0)),
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
  coded: readonly (CodedSegment | undefined)[],
  { starts, segments }: Pick<ClusterPlaces, "starts" | "segments">,
): void {
  for (let from = 0, end = 0; from < some.length; from = end) {
    const segment = segments[some[from]];
    while (end < some.length && segments[some[end]] === segment) end++;
    const start = starts[segment];
    const own = some.subarray(from, end).map((c) => c - start);
    coded[segment]?.measureMeans(own, boundsFrom(start, arrays));
  }
}
