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
import { countRange, emptyBits } from "../ordinal-bits.ts";
import type { NarrowedMatches, Need, SegmentMatches, WithNeeds } from "../plan/operator.ts";
import type { VectorTarget } from "../plan/plan.ts";
import { ClusterWalk, type WalkedClusters, type WalkPlan } from "./cluster-walk.ts";
import { CodedSegment } from "./coded-segment.ts";
import { FoundRows } from "./found-rows.ts";
import { type Narrowing, narrowByCodes } from "./narrow-by-codes.ts";
import { QueryTables } from "./query-tables.ts";

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

/** Clusters that are looked into between two pauses, in a microsecond or two each. */
const CLUSTERS_PER_STEP = 64;
/** Share of a segment's vectors from which on as many match in each cluster as it has rows. */
const NEARLY_ALL = 0.9;

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
  const matchCount = coded.reduce((sum, segment) => sum + (segment?.matchCount ?? 0), 0);
  if (matchCount <= plan.exactMatchesMax) return yield* exact();
  const places = placesOf(coded);
  const found = coded.map(() => new FoundRows());
  if (places.count > 0) yield* walkClusters(coded, { places, found, probe });
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
  let count = 0;
  for (const { view, matches } of segments) {
    count += countRange(matches, 0, view.documentCount);
    if (count > most) return false;
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
  /** Number of each segment's first one. */
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
  const segments = new Uint32Array(count);
  starts.forEach((start, segment) => {
    segments.fill(segment, start, start + counts[segment]);
  });
  return { count, starts, segments };
}

interface Walk {
  readonly places: ClusterPlaces;
  /** Rows by segment. */
  readonly found: readonly FoundRows[];
  readonly probe: Probe;
}

function* walkClusters(
  coded: readonly (CodedSegment | undefined)[],
  { places, found, probe }: Walk,
): Steps<void> {
  const { plan, work, together, withNeeds } = probe;
  const { starts, segments } = places;
  const clusters = yield* walkedOf(coded, places);
  const walk = new ClusterWalk(clusters, plan);
  const uppers = new KthLeast(plan.wanted);
  const worst = () => uppers.worst;
  const needsOf = (some: Uint32Array): Need[] => chunkNeeds(some, coded, places);
  const { lower: distances } = clusters.distances;
  let step = 0;
  let last: CodedSegment | undefined;
  for (;;) {
    const next = yield* walk.next(worst());
    if (next.length === 0) break;
    last = undefined;
    // What is missing is missed together with what is likely to be looked into later.
    yield* withNeeds(
      () => oneStep(() => together(needsOf(next))),
      () => needsOf(runSteps(walk.likely(worst()))),
    );
    for (const c of next) {
      const segment = coded[segments[c]];
      const rows = found[segments[c]];
      if (segment === undefined) continue;
      if (++step % CLUSTERS_PER_STEP === 0) {
        yield;
        last = undefined;
      }
      if (segment !== last) segment.resume();
      last = segment;
      const visit = (row: number, lower: number, upper: number): void => {
        rows.add(row, lower);
        uppers.offer(upper);
      };
      const scanned = segment.scan(c - starts[segments[c]], distances[c], worst, visit);
      work.codesScanned += scanned;
      work.clustersProbed++;
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

/** What the walk needs to know of all clusters. */
function* walkedOf(
  coded: readonly (CodedSegment | undefined)[],
  { count, starts, segments }: ClusterPlaces,
): Steps<WalkedClusters> {
  const distances = { lower: new Float64Array(count), upper: new Float64Array(count) };
  const walked = {
    distances,
    refine: (some: Uint32Array) => refineDistances(some, distances, coded, { starts, segments }),
    counts: new Float64Array(count),
    radii: new Float64Array(count),
    segments,
    rates: coded.map((segment) => segment?.codes.rates ?? new Float32Array(0)),
    boundShare: 0,
  };
  for (const [i, segment] of coded.entries()) {
    if (segment === undefined) continue;
    const start = starts[i];
    const { clusters, codes } = segment;
    const end = start + clusters.count;
    segment.boundMeans(distances.lower.subarray(start, end), distances.upper.subarray(start, end));
    countMatches(segment, walked.counts.subarray(start, end));
    walked.boundShare = boundShare(codes.rotatedDimensions);
    walked.radii.set(codes.shapes.radii, start);
    yield;
  }
  return walked;
}

/** Writes the distances of some clusters, ascending. */
function refineDistances(
  some: Uint32Array,
  { lower, upper }: WalkedClusters["distances"],
  coded: readonly (CodedSegment | undefined)[],
  { starts, segments }: Pick<ClusterPlaces, "starts" | "segments">,
): void {
  for (let from = 0, end = 0; from < some.length; from = end) {
    const segment = segments[some[from]];
    while (end < some.length && segments[some[end]] === segment) end++;
    const start = starts[segment];
    const own = some.subarray(from, end).map((c) => c - start);
    coded[segment]?.meanDistances(own, (c, distance) => {
      lower[start + c] = distance;
      upper[start + c] = distance;
    });
  }
}

function countMatches({ clusters, matches, matchCount }: CodedSegment, target: Float64Array): void {
  const { starts, count } = clusters;
  const nearlyAll = matchCount >= NEARLY_ALL * starts[count];
  for (let c = 0; c < count; c++) {
    target[c] = nearlyAll
      ? starts[c + 1] - starts[c]
      : countRange(matches, starts[c], starts[c + 1]);
  }
}
