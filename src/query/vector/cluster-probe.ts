/**
 * Which rows an ANN search compares exactly. Clusters of all segments are walked together
 * (`walk-clusters.ts`), codes bound the distances of their rows, and those remain that may be among
 * the nearest. Rows that do not match cost nothing, and clusters without a match are not read.
 */

import type { Steps } from "../../base/steps.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { unitVector } from "../../vector/metric.ts";
import { bitsOf, type MatchedDocuments, matchedBits } from "../filter/matched-documents.ts";
import type { NarrowedMatches, SegmentMatches, WithNeeds } from "../plan/operator.ts";
import type { VectorTarget } from "../plan/plan.ts";
import { matchAtMost } from "./cluster-matches.ts";
import type { WalkPlan } from "./cluster-walk.ts";
import { CodedSegment } from "./coded-segment.ts";
import { FoundRows } from "./found-rows.ts";
import { type Narrowing, narrowByCodes } from "./narrow-by-codes.ts";
import { QueryTables } from "./query-tables.ts";
import { lendWalkArrays, returnWalkArrays } from "./walk-arrays.ts";
import { countAllMatches, numberClusters, walkClusters } from "./walk-clusters.ts";

/** Rows of a segment that are listed, and not put into a set; sorted in a fraction of a slice. */
const LISTED_MAX = 4_096;

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

/**
 * The matches to look at in each segment: those that were picked, which are then marked as
 * narrowed. Of segments without clusters none is left out that may be among the nearest
 * (`narrowByCodes`). Throws `BytesMissing` for the clusters of a segment, or for all codes that the
 * walk is going to read.
 */
export function* probeClusters(
  segments: readonly SegmentMatches[],
  probe: Probe,
): Steps<NarrowedMatches[]> {
  const { target, kernels, plan } = probe;
  const exact = () => narrowByCodes(segments, { ...probe, wanted: plan.wanted });
  if (yield* matchAtMost(segments, plan.exactMatchesMax)) return yield* exact();
  const coded: (CodedSegment | undefined)[] = [];
  const tables = tablesOf(target, kernels);
  for (const segment of segments) {
    coded.push(tables && (yield* CodedSegment.open(segment, target, tables, kernels)));
    yield;
  }
  const numbered = numberClusters(coded);
  const found = coded.map(() => new FoundRows());
  const arrays = lendWalkArrays(numbered.count);
  try {
    const matchCount = yield* countAllMatches(coded, numbered, arrays.counts);
    if (matchCount <= plan.exactMatchesMax) return yield* exact();
    const worst = yield* walkClusters(coded, { ...probe, numbered, arrays, found });
    for (const rows of found) {
      rows.keep(worst);
      probe.work.candidatesReranked += rows.rows.length;
    }
  } finally {
    returnWalkArrays(arrays);
  }
  const others = segments.filter((_, segment) => coded[segment] === undefined);
  const narrowed = yield* narrowByCodes(others, { ...probe, wanted: plan.wanted });
  let other = 0;
  return segments.map(({ view }, segment) => {
    const own = coded[segment];
    if (own === undefined) return narrowed[other++];
    const ordinals = found[segment].rows.map((row) => own.ordinalAt(row));
    return { matching: matchingOf(ordinals, view), isNarrowed: true };
  });
}

/** Some ordinals in any order: to sort many takes longer than a set of all documents. */
function matchingOf(ordinals: Uint32Array, view: SegmentView): MatchedDocuments {
  if (ordinals.length > LISTED_MAX) return matchedBits(bitsOf(ordinals, view));
  return { form: "list", ordinals: ordinals.sort() };
}

function tablesOf({ metric, query }: VectorTarget, kernels: ArenaKernels): QueryTables | undefined {
  // Several vectors at once are compared exactly.
  if (!(query instanceof Float32Array)) return undefined;
  return new QueryTables(metric === "cosine_distance" ? unitVector(query) : query, kernels);
}
