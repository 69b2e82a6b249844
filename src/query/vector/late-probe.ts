/**
 * Which documents an ANN search by several vectors compares exactly. For each query vector the
 * clusters of inner vectors are walked through (`walk-clusters.ts`); documents are ranked by what
 * the codes of the vectors that were met tell of their distance, and the best are left. Documents
 * that do not match cost nothing.
 */

import { KthLeast } from "../../base/numbers/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import { setBit } from "../../codec/bitmap.ts";
import { unitVector } from "../../vector/metric.ts";
import { matchedBits } from "../documents/matched-documents.ts";
import { emptyBits } from "../documents/ordinal-bits.ts";
import type {
  NarrowedMatches,
  SegmentMatches,
  TogetherInSteps,
  WithNeeds,
} from "../operator/operator.ts";
import type { VectorTarget } from "../operator/plan.ts";
import type { QueryMemory } from "../operator/query-memory.ts";
import { type ClusterMatches, matchAtMost, openClusterMatches } from "./cluster-matches.ts";
import { CodedSegment } from "./coded-segment.ts";
import { DocumentGains, GAIN_BYTES } from "./document-gains.ts";
import type { Narrowing } from "./narrow-by-codes.ts";
import { QueryTables } from "./query-tables.ts";
import { lendWalkArrays, returnWalkArrays } from "./walk-arrays.ts";
import {
  countAllMatches,
  type NumberedClusters,
  numberClusters,
  walkClusters,
} from "./walk-clusters.ts";

/** How far a search goes. */
export interface LateProbePlan {
  /** Documents that are wanted. */
  readonly wanted: number;
  /**
   * The walk of each query vector ends when it has met so many inner vectors, and this share of
   * those that match.
   */
  readonly vectors: number;
  readonly vectorShare: number;
  /** Documents that are compared exactly, at most. */
  readonly candidates: number;
  /** Up to so many inner vectors of matches in segments with codes all are compared exactly. */
  readonly exactVectorsMax: number;
}

/** What probing works with. */
export interface LateProbe extends Omit<Narrowing, "target" | "wanted" | "progress"> {
  readonly plan: LateProbePlan;
  /** By several vectors, at least one. */
  readonly target: VectorTarget & { readonly query: readonly Float32Array[] };
  readonly togetherInSteps: TogetherInSteps;
  readonly withNeeds: WithNeeds;
  /** Absent: memory is not bounded. */
  readonly memory?: QueryMemory | undefined;
}

/**
 * Clusters that are looked into first, for each that the wanted vectors would fill on average:
 * where those have too few, twice as many more are (ADR 31).
 */
const MORE_CLUSTERS = 1.15;
/** Times as many vectors are looked for where those that were met have too few documents. */
const WIDER = 8;
/**
 * Share of the vectors that a walk meets which are nearer than what is imputed: among those that
 * are further away are as many that it does not meet (ADR 31).
 */
const IMPUTED_SHARE = 1 / 4;
/** Bytes for each vector that is looked for: the least bounds, and the least estimates. */
const VECTOR_BYTES = 8 + 8 * IMPUTED_SHARE;
/** Squared distance of all vectors from the zero vector, which has no direction, for cosines. */
const NO_DIRECTION = 2;
/** Documents whose gains are looked at between two pauses. */
const DOCUMENTS_PER_STEP = 1 << 16;

/**
 * The matches to look at in each segment: all of them where it has no codes, or those that were
 * picked, which are then marked as narrowed; with the former, as many as are wanted or there are.
 * Throws `BytesMissing` for the clusters of a segment, or for all codes that the walks are likely
 * to read.
 */
export function* probeInnerVectors(
  segments: readonly SegmentMatches[],
  probe: LateProbe,
): Steps<NarrowedMatches[]> {
  const { target, plan, togetherInSteps } = probe;
  const all = segments.map(({ matches }) => ({
    matching: matchedBits(matches),
    isNarrowed: false,
  }));
  if (yield* matchAtMost(segments, plan.candidates)) return all;
  const dimensions = target.query[0].length;
  const coded = yield* togetherInSteps(segments, (segment) =>
    openClusterMatches(segment, target, dimensions),
  );
  const numbered = numberClusters(coded);
  const counts = new Uint32Array(numbered.count);
  const vectorCount = yield* countAllMatches(coded, numbered, counts);
  if (vectorCount <= plan.exactVectorsMax) return all;
  const { memory } = probe;
  const bytesBefore = memory?.bytes ?? 0;
  try {
    const walked = { segments, coded, numbered, counts, vectorCount };
    return yield* pickBest(segments, yield* walkUntilEnough(walked, probe), probe);
  } finally {
    memory?.giveBackTo(bytesBefore);
  }
}

/** By segment. */
type Gains = readonly (DocumentGains | undefined)[];

/** What is walked through. */
interface WalkedSegments {
  readonly segments: readonly SegmentMatches[];
  readonly coded: readonly (ClusterMatches | undefined)[];
  readonly numbered: NumberedClusters;
  /** How many inner vectors match: in each cluster, and in all. */
  readonly counts: Uint32Array;
  readonly vectorCount: number;
}

/** Walks until as many documents as are wanted were met, or all. What it takes is not given back. */
function* walkUntilEnough(walked: WalkedSegments, probe: LateProbe): Steps<Gains> {
  const { plan, memory } = probe;
  const { vectorCount } = walked;
  const bytesBefore = memory?.bytes ?? 0;
  const first = Math.max(plan.vectors, Math.ceil(plan.vectorShare * vectorCount));
  for (let vectors = Math.min(first, vectorCount); ; ) {
    memory?.giveBackTo(bytesBefore);
    const bytes = bytesOf(walked, vectors);
    memory?.take(bytes, "the documents of an ANN search by several vectors");
    const gains = yield* walkAll(walked, vectors, probe);
    const seen = gains.reduce((sum, own) => sum + (own?.documents.length ?? 0), 0);
    if (seen >= plan.wanted || vectors === vectorCount) return gains;
    vectors = Math.min(WIDER * vectors, vectorCount);
  }
}

function bytesOf({ segments, coded }: WalkedSegments, vectors: number): number {
  const counts = segments.map(({ view }, i) => (coded[i] === undefined ? 0 : view.documentCount));
  return GAIN_BYTES * counts.reduce((sum, count) => sum + count, 0) + VECTOR_BYTES * vectors;
}

/**
 * Walks for each query vector, through the nearest clusters alone: what is further away is imputed.
 * Those that miss bytes miss them together.
 */
function* walkAll(
  { segments, coded, numbered, counts, vectorCount }: WalkedSegments,
  vectors: number,
  probe: LateProbe,
): Steps<Gains> {
  const { target, kernels, togetherInSteps } = probe;
  const isCosine = target.metric === "cosine_distance";
  const unknown = isCosine ? NO_DIRECTION : 0;
  const gains = coded.map((own, i) => {
    const ordinals = own?.clusters.ordinals;
    return ordinals && new DocumentGains(ordinals, segments[i].view.documentCount, unknown);
  });
  const found = gains.map((own) => own ?? { add: () => {} });
  const firstClusters = clustersWith(vectors / vectorCount, numbered, counts);
  const plan = { wanted: vectors, missedMax: Number.POSITIVE_INFINITY, firstClusters };
  yield* togetherInSteps(target.query, function* (query) {
    const tables = new QueryTables(isCosine ? unitVector(query) : query, kernels);
    const asked = coded.map((own) => own && new CodedSegment(own, tables, kernels));
    const estimates = new KthLeast(Math.ceil(vectors * IMPUTED_SHARE));
    for (const own of gains) own?.begin(estimates);
    const arrays = lendWalkArrays(numbered.count);
    try {
      arrays.counts.set(counts);
      yield* walkClusters(asked, { ...probe, plan, numbered, arrays, found });
    } finally {
      returnWalkArrays(arrays);
    }
    const farthest = gains.reduce((most, own) => Math.max(most, own?.farthest ?? 0), 0);
    // Where all were met, or few, all of them count.
    const imputed = vectors === vectorCount ? farthest : Math.min(estimates.worst, farthest);
    for (const own of gains) if (own !== undefined) yield* own.settle(imputed);
  });
  return gains;
}

/** Clusters of each segment that have such a share of the matches together, or somewhat more. */
function clustersWith(share: number, { starts }: NumberedClusters, counts: Uint32Array): number {
  let clusterCount = 0;
  for (const count of counts) if (count > 0) clusterCount++;
  const segmentCount = starts.filter((start, i) => i > 0 && start > starts[i - 1]).length;
  return Math.ceil((MORE_CLUSTERS * share * clusterCount) / segmentCount);
}

/** The documents with the greatest gains, as many as are compared; of equal ones any. */
function* pickBest(
  segments: readonly SegmentMatches[],
  gains: Gains,
  { plan, work }: LateProbe,
): Steps<NarrowedMatches[]> {
  const losses = new KthLeast(plan.candidates);
  for (const own of gains) {
    if (own === undefined) continue;
    yield* eachDocument(own, (ordinal) => losses.offer(-own.gainOf(ordinal)));
  }
  const { worst } = losses;
  const bits = segments.map(({ view }) => emptyBits(view.documentCount));
  let left = plan.candidates;
  // The better ones first, so that those that are as good as the last fill what is left.
  for (const isWanted of [(loss: number) => loss < worst, (loss: number) => loss === worst]) {
    for (const [i, own] of gains.entries()) {
      if (own === undefined) continue;
      yield* eachDocument(own, (ordinal) => {
        if (left === 0 || !isWanted(-own.gainOf(ordinal))) return;
        setBit(bits[i], ordinal);
        left--;
      });
    }
  }
  work.candidatesReranked += plan.candidates - left;
  return segments.map(({ matches }, i) =>
    gains[i] === undefined
      ? { matching: matchedBits(matches), isNarrowed: false }
      : { matching: matchedBits(bits[i]), isNarrowed: true },
  );
}

function* eachDocument(
  { documents }: DocumentGains,
  visit: (ordinal: number) => void,
): Steps<void> {
  for (let start = 0; start < documents.length; start += DOCUMENTS_PER_STEP) {
    const end = Math.min(start + DOCUMENTS_PER_STEP, documents.length);
    for (let i = start; i < end; i++) visit(documents[i]);
    yield;
  }
}
