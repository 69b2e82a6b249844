/**
 * Which rows an ANN search compares exactly. Clusters of all segments are walked together
 * (`walk-clusters.ts`), codes bound the distances of their rows, and those remain that may be among
 * the nearest. Rows that do not match cost nothing, and clusters without a match are not read.
 */

import type { Steps } from "../../base/steps.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { unitVector } from "../../vector/metric.ts";
import { matchedOrdinals } from "../documents/matched-documents.ts";
import { areInMemory } from "../operator/missing-bytes.ts";
import type { NarrowedMatches, SegmentMatches, WithNeeds } from "../operator/operator.ts";
import type { VectorTarget } from "../operator/plan.ts";
import { matchAtMost } from "./cluster-matches.ts";
import type { WalkPlan } from "./cluster-walk.ts";
import { CodedSegment } from "./coded-segment.ts";
import { FoundRows } from "./found-rows.ts";
import {
  type Narrowing,
  narrowByCodes,
  narrowOpened,
  type OpenByteCodes,
  openByteCodes,
} from "./narrow-by-codes.ts";
import { QueryTables } from "./query-tables.ts";
import { lendWalkArrays, returnWalkArrays } from "./walk-arrays.ts";
import { countAllMatches, numberClusters, walkClusters } from "./walk-clusters.ts";
import { matchesAtOnce, type WalkSize, walkLimit } from "./walk-limit.ts";

/** How far a search goes. */
export interface ProbePlan extends WalkPlan {
  /** Up to so many matches in segments with codes all of them are compared exactly. */
  readonly exactMatchesMax: number;
  /**
   * Of more matches all are looked at by their byte codes, too, where a walk would cost more. It is
   * asked once it has cost such a share of what those do. Absent: never.
   */
  readonly unaskedShare?: number | undefined;
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
  const narrowing = { ...probe, wanted: plan.wanted };
  const exact = () => narrowByCodes(segments, narrowing);
  if (yield* matchAtMost(segments, plan.exactMatchesMax)) return yield* exact();
  const coded: (CodedSegment | undefined)[] = [];
  const tables = tablesOf(target, kernels);
  for (const segment of segments) {
    coded.push(tables && (yield* CodedSegment.open(segment, target, tables, kernels)));
    yield;
  }
  const all = new AllByteCodes(segments, coded, narrowing);
  const size = sizeOf(coded);
  const { unaskedShare } = plan;
  const isChoice = unaskedShare !== undefined;
  if (isChoice && (yield* matchAtMost(segments, matchesAtOnce(size)))) {
    if (yield* all.areThere()) return yield* all.narrow();
  }
  const numbered = numberClusters(coded);
  const found = coded.map(() => new FoundRows());
  const arrays = lendWalkArrays(numbered.count);
  try {
    const matchCount = yield* countAllMatches(coded, numbered, arrays.counts);
    if (matchCount <= plan.exactMatchesMax) return yield* exact();
    const limit = isChoice ? walkLimit(size, matchCount, unaskedShare) : undefined;
    const choice = limit && { ...limit, mayGiveUp: () => all.areThere() };
    const worst = yield* walkClusters(coded, { ...probe, choice, numbered, arrays, found });
    if (worst === undefined) return yield* all.narrow();
    for (const rows of found) {
      rows.keep(worst);
      probe.work.candidatesReranked += rows.rows.length;
    }
  } finally {
    returnWalkArrays(arrays);
  }
  const others = segments.filter((_, segment) => coded[segment] === undefined);
  const narrowed = yield* narrowByCodes(others, narrowing);
  let other = 0;
  return segments.map(({ view }, segment) => {
    const own = coded[segment];
    if (own === undefined) return narrowed[other++];
    const ordinals = found[segment].rows.map((row) => own.ordinalAt(row));
    return { matching: matchedOrdinals(ordinals, view), isNarrowed: true };
  });
}

/**
 * Looks at the matches of a walk's segments another way than walking: at the byte codes of all of
 * them. Where those are not in memory, the codes that clusters have are fewer bytes.
 */
class AllByteCodes {
  readonly #segments: readonly SegmentMatches[];
  readonly #coded: readonly (CodedSegment | undefined)[];
  readonly #narrowing: Narrowing;
  #opened: OpenByteCodes = [];

  constructor(
    segments: readonly SegmentMatches[],
    coded: readonly (CodedSegment | undefined)[],
    narrowing: Narrowing,
  ) {
    this.#segments = segments;
    this.#coded = coded;
    this.#narrowing = narrowing;
  }

  /** Tells whether all are in memory; to be asked before they are narrowed by. */
  *areThere(): Steps<boolean> {
    const opened = yield* openByteCodes(this.#segments, this.#narrowing);
    this.#opened = opened;
    const haveAll = this.#coded.every((own, i) => own === undefined || opened[i] !== undefined);
    const needs = opened.flatMap((segment) => segment?.codeNeeds() ?? []);
    return haveAll && (yield* areInMemory(needs));
  }

  narrow(): Steps<NarrowedMatches[]> {
    return narrowOpened(this.#segments, this.#opened, this.#narrowing);
  }
}

function sizeOf(coded: readonly (CodedSegment | undefined)[]): WalkSize {
  const size = { rows: 0, clusters: 0, dimensions: 0 };
  for (const segment of coded) {
    if (segment === undefined) continue;
    const { starts, count, dimensions } = segment.clusters;
    size.rows += starts[count];
    size.clusters += count;
    size.dimensions = dimensions;
  }
  return size;
}

function tablesOf({ metric, query }: VectorTarget, kernels: ArenaKernels): QueryTables | undefined {
  // Several vectors at once are compared exactly.
  if (!(query instanceof Float32Array)) return undefined;
  return new QueryTables(metric === "cosine_distance" ? unitVector(query) : query, kernels);
}
