/** Runs the ranking of a plan over all segments and merges their best documents. */

import { oneStep, type Steps } from "../../base/steps.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import { matchBits } from "../documents/matched-documents.ts";
import {
  type DocumentRanking,
  type RankedDocument,
  TopDocuments,
} from "../documents/top-documents.ts";
import { type Matcher, matcherOf } from "../filter/matcher.ts";
import { explainFilter } from "../operator/explain-filter.ts";
import type { Execution, NarrowedMatches, RankPart, SegmentMatches } from "../operator/operator.ts";
import type { DocumentPlan, RankNode } from "../operator/plan.ts";
import { limitKeys } from "./limit-keys.ts";
import { LimitedDocuments } from "./limited-documents.ts";

/** Ranks documents, best first: as many as the plan asks for, and those that it skips before. */
export function* rankDocuments(plan: DocumentPlan, execution: Execution): Steps<RankedDocument[]> {
  const { snapshot, operators, togetherInSteps } = execution;
  const { segments } = snapshot;
  const { rank } = plan;
  const operator = operators.rank(rank);
  const steps: RankingSteps = {
    filter: () => explainFilter(plan.predicate, operators),
    rank: () => operator.explain(rank, snapshot, operators).join("; "),
  };
  const ranking = newRanking(plan, execution);
  const { memory } = execution.options;
  const match = matcherOf(plan.predicate, { ...execution, idType: snapshot.schema.idType, memory });
  execution.options.enter?.(steps.filter, "filter");
  const narrowed = yield* narrowedMatches(rank, { match, rank: steps.rank }, execution);
  yield* togetherInSteps(segments, (segment, index) => {
    const matches = narrowed === undefined ? match : () => oneStep(() => narrowed[index].matching);
    const isNarrowed = narrowed?.[index].isNarrowed === true;
    const part = { segment, index, isNarrowed, ranking };
    return rankSegment(plan, part, { matches, steps, execution });
  });
  execution.work.candidatesSkipped += ranking.skippedCount;
  return yield* ranking.ranked();
}

/** What is done, for whoever asks where the time went. */
interface RankingSteps {
  readonly filter: () => string;
  readonly rank: () => string;
}

/** Ranks the documents of one segment that match. */
function* rankSegment(
  { rank }: DocumentPlan,
  part: Omit<RankPart, "matching">,
  {
    matches,
    steps,
    execution,
  }: { readonly matches: Matcher; readonly steps: RankingSteps; readonly execution: Execution },
): Steps<void> {
  const { enter } = execution.options;
  enter?.(steps.filter, "filter");
  const matching = yield* matches(part.segment);
  if (matching.form === "list" && matching.ordinals.length === 0) return;
  enter?.(steps.rank, rank.kind);
  yield* execution.operators.rank(rank).rankSegment(rank, { ...part, matching }, execution);
}

/** The best of several rankings by the plan, each of other documents. */
export function* mergeRankings(
  plan: DocumentPlan,
  rankings: readonly (readonly RankedDocument[])[],
  execution: Execution,
): Steps<RankedDocument[]> {
  const merged = newRanking(plan, execution);
  for (const ranking of rankings) {
    for (const { key, segment, ordinal } of ranking) merged.offer(key, segment, ordinal);
    yield;
  }
  return yield* merged.ranked();
}

/** An empty ranking of documents of the segments in the plan's order. */
function newRanking(
  { rank, offset, limit, limitPer }: DocumentPlan,
  { snapshot, operators }: Execution,
): DocumentRanking {
  const compare = operators.rank(rank).comparer(rank, snapshot.segments);
  return limitPer === undefined
    ? new TopDocuments(offset + limit, compare)
    : new LimitedDocuments(
        { capacity: offset + limit, perGroup: limitPer.limit },
        limitKeys(limitPer.attributes, snapshot.segments),
        compare,
      );
}

/** What is looked at of each segment's matches; undefined if the ranking looks at all of them. */
function* narrowedMatches(
  rank: RankNode,
  steps: { readonly match: Matcher; readonly rank: () => string },
  execution: Execution,
): Steps<NarrowedMatches[] | undefined> {
  const { snapshot, operators, togetherInSteps } = execution;
  const operator = operators.rank(rank);
  if (operator.narrow === undefined) return undefined;
  if (operator.narrows?.(rank, snapshot) === false) return undefined;
  const matches = yield* togetherInSteps(snapshot.segments, (segment) =>
    matchSegment(rank, steps.match, segment, execution),
  );
  execution.options.enter?.(steps.rank, rank.kind);
  return yield* operator.narrow(rank, matches, execution);
}

/** The matches of one segment, missed together with what the ranking looks at next. */
function* matchSegment(
  rank: RankNode,
  match: Matcher,
  segment: SegmentSnapshot,
  { operators, together, withNeeds }: Execution,
): Steps<SegmentMatches> {
  const { view } = segment;
  const needs = operators.rank(rank).needs(rank, { view, operators, together });
  const found = yield* withNeeds(
    () => match(segment),
    () => needs,
  );
  together(needs);
  return { view, matches: matchBits(found, view) };
}
