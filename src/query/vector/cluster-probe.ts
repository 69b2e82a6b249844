/**
 * Which clusters an ANN search looks at. Clusters of all segments are walked together, nearest
 * first, until so many documents that match were met as the plan says; clusters without a match
 * cost nothing, so a filter makes the walk longer and its result no worse. Where few documents
 * match all of them are looked at.
 */

import type { Steps } from "../../base/steps.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { SCAN_ROWS_MAX } from "../../kernel/kernel.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { CLUSTER_INDEX } from "../../segment/vectors/cluster-index.ts";
import type { ClusterView } from "../../segment/vectors/cluster-section.ts";
import { measureOf, unitVector } from "../../vector/metric.ts";
import { siftDown } from "../heap.ts";
import { addRange, countRange, emptyBits, type OrdinalBits } from "../ordinal-bits.ts";
import type { NarrowedMatches, SegmentMatches } from "../plan/operator.ts";
import type { VectorTarget } from "../plan/plan.ts";
import type { WorkStats } from "../work-stats.ts";

/** How far an ANN search walks through clusters. */
export interface ProbePlan {
  /** Up to so many matches in segments with clusters all of them are looked at. */
  readonly exactMatchesMax: number;
  /** Looks at this many matches at least. */
  readonly matchesMin: number;
  /** Looks at this many times √matches, of each segment, at least. */
  readonly perRoot: number;
}

/** What probing works with. */
export interface Probe {
  readonly plan: ProbePlan;
  readonly target: VectorTarget;
  readonly kernels: ArenaKernels;
  readonly work: WorkStats;
}

/**
 * The matches to look at in each segment: all of them, or those in the clusters that were picked,
 * which are then marked as narrowed. Throws `BytesMissing` for the clusters of a segment.
 */
export function* probeClusters(
  segments: readonly SegmentMatches[],
  probe: Probe,
): Steps<NarrowedMatches[]> {
  const { plan, work } = probe;
  const clustered = segments.map(({ view, matches }) => {
    const clusters = usableClusters(view, probe.target);
    return clusters === undefined
      ? undefined
      : { clusters, counts: countMatches(clusters, matches) };
  });
  const total = clustered.reduce((sum, found) => sum + (found?.counts.total ?? 0), 0);
  const all = segments.map(({ matches }) => ({ matches, isNarrowed: false }));
  if (total <= plan.exactMatchesMax) return all;
  const candidates: ClusterCandidate[] = [];
  for (const [segment, found] of clustered.entries()) {
    if (found === undefined) continue;
    const { clusters, counts } = found;
    const nearest = yield* candidatesOf(clusters, counts.byCluster, { segment, probe });
    for (const candidate of nearest) candidates.push(candidate);
  }
  const counts = clustered.flatMap((found) => found?.counts.total ?? []);
  const picked = pickClusters(candidates, matchesToMeet(plan, counts));
  work.clustersProbed += picked.length;
  const bySegment = Map.groupBy(picked, ({ segment }) => segment);
  return all.map((whole, segment) => {
    const clusters = clustered[segment]?.clusters;
    if (clusters === undefined) return whole;
    const { view } = segments[segment];
    const matches = emptyBits(view.documentCount);
    for (const { cluster } of bySegment.get(segment) ?? []) {
      addRange(matches, whole.matches, clusters.starts[cluster], clusters.starts[cluster + 1]);
    }
    return { matches, isNarrowed: true };
  });
}

/**
 * How many matching documents a search meets at least, if there are so many, by how many match in
 * each segment with clusters. Each segment is clustered by itself, so that a search of several
 * walks as far as it would in each of them.
 */
export function matchesToMeet(
  { matchesMin, perRoot }: ProbePlan,
  counts: readonly number[],
): number {
  const roots = counts.reduce((sum, count) => sum + Math.sqrt(count), 0);
  return Math.max(matchesMin, Math.ceil(perRoot * roots));
}

/** A cluster with matching documents. */
export interface ClusterCandidate {
  /** How far its centroid is; lower is nearer. */
  readonly distance: number;
  readonly segment: number;
  readonly cluster: number;
  readonly matchCount: number;
}

/** The nearest clusters that have `wanted` matching documents together, or all. */
export function pickClusters(
  candidates: readonly ClusterCandidate[],
  wanted: number,
): ClusterCandidate[] {
  const heap = [...candidates];
  for (let i = (heap.length >> 1) - 1; i >= 0; i--) siftDown(heap, i, isNearer);
  const picked: ClusterCandidate[] = [];
  for (let met = 0; met < wanted && heap.length > 0; ) {
    picked.push(heap[0]);
    met += heap[0].matchCount;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) break;
    heap[0] = last;
    siftDown(heap, 0, isNearer);
  }
  return picked;
}

function isNearer(a: ClusterCandidate, b: ClusterCandidate): boolean {
  if (a.distance !== b.distance) return a.distance < b.distance;
  return a.segment === b.segment ? a.cluster < b.cluster : a.segment < b.segment;
}

/** Clusters that were made for the query's metric. */
function usableClusters(view: SegmentView, { attribute, metric, query }: VectorTarget) {
  const clusters = view.index(CLUSTER_INDEX, attribute);
  if (clusters?.metric !== metric || clusters.dimensions !== query.length) return undefined;
  return clusters;
}

function countMatches({ starts, count }: ClusterView, matches: OrdinalBits) {
  const byCluster = new Uint32Array(count);
  let total = 0;
  for (let c = 0; c < count; c++) {
    byCluster[c] = countRange(matches, starts[c], starts[c + 1]);
    total += byCluster[c];
  }
  return { byCluster, total };
}

function* candidatesOf(
  clusters: ClusterView,
  counts: Uint32Array,
  { segment, probe }: { readonly segment: number; readonly probe: Probe },
): Steps<ClusterCandidate[]> {
  const distances = yield* centroidDistances(clusters, probe);
  const candidates: ClusterCandidate[] = [];
  counts.forEach((matchCount, cluster) => {
    if (matchCount === 0) return;
    // What float32 cannot tell is as far as can be.
    const distance = Number.isNaN(distances[cluster]) ? Number.MAX_VALUE : distances[cluster];
    candidates.push({ distance, segment, cluster, matchCount });
  });
  return candidates;
}

/** Numbers that order centroids by their distance, within all segments of a query. */
function* centroidDistances(
  clusters: ClusterView,
  { target, kernels }: Probe,
): Steps<Float32Array> {
  const { count, dimensions, place, centroids } = clusters;
  const isCosine = target.metric === "cosine_distance";
  const query = target.query as Float32Array;
  const matrix = {
    block: { ...place, bytes: centroids.byteLength },
    start: 0,
    format: "f32",
    dimensions,
    strideBytes: dimensions * Float32Array.BYTES_PER_ELEMENT,
  } as const;
  const distances = new Float32Array(count);
  const sent = isCosine ? unitVector(query) : query;
  for (let start = 0; start < count; start += SCAN_ROWS_MAX) {
    // Somebody else may have set another one during the pause.
    kernels.setQuery(matrix, sent);
    const end = Math.min(start + SCAN_ROWS_MAX, count);
    distances.set(kernels.scoreRange(measureOf(target.metric), matrix, start, end), start);
    yield;
  }
  return isCosine ? distances.map((cosine) => -cosine) : distances;
}
