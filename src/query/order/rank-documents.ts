/** Runs the ranking of a plan over all segments and merges their best documents. */

import { oneStep, type Steps } from "../../base/steps.ts";
import type { SegmentSnapshot } from "../../segment/segment-view.ts";
import { matchBits, matchCount } from "../filter/matched-documents.ts";
import { type Matcher, matcherOf } from "../filter/matcher.ts";
import { explainFilter } from "../plan/explain-filter.ts";
import type { Execution, NarrowedMatches, RankPart, SegmentMatches } from "../plan/operator.ts";
import type { DocumentPlan, RankNode } from "../plan/plan.ts";
import {
  type DocumentRanking,
  type RankedDocument,
  TopDocuments,
  WholeRanking,
} from "./top-documents.ts";

/** Bytes of a ranked document. */
const RANKED_BYTES = 48;
/** Ranked documents that are taken between two pauses, in some microseconds each. */
const DOCUMENTS_PER_STEP = 128;

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
  return yield* cutWindow(plan, yield* ranking.ranked(), segments);
}

/** What is done, for whoever asks where the time went. */
interface RankingSteps {
  readonly filter: () => string;
  readonly rank: () => string;
}

/** Ranks the documents of one segment that match. */
function* rankSegment(
  { rank, limitPer }: DocumentPlan,
  part: Omit<RankPart, "matching">,
  {
    matches,
    steps,
    execution,
  }: { readonly matches: Matcher; readonly steps: RankingSteps; readonly execution: Execution },
): Steps<void> {
  const { enter, memory } = execution.options;
  enter?.(steps.filter, "filter");
  const matching = yield* matches(part.segment);
  if (matching.form === "list" && matching.ordinals.length === 0) return;
  if (limitPer !== undefined) {
    memory?.take(matchCount(matching) * RANKED_BYTES, "the ranking for limit.per");
  }
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
  return yield* cutWindow(plan, yield* merged.ranked(), execution.snapshot.segments);
}

/** An empty ranking of documents of the segments in the plan's order. */
function newRanking(
  { rank, offset, limit, limitPer }: DocumentPlan,
  { snapshot, operators }: Execution,
): DocumentRanking {
  const compare = operators.rank(rank).comparer(rank, snapshot.segments);
  return limitPer === undefined
    ? new TopDocuments(offset + limit, compare)
    : new WholeRanking(compare);
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

/** Walks the ranking to the end of the plan's window, without documents whose key had its share. */
function* cutWindow(
  { offset, limit, limitPer }: DocumentPlan,
  ranked: Iterable<RankedDocument>,
  segments: readonly SegmentSnapshot[],
): Steps<RankedDocument[]> {
  const window: RankedDocument[] = [];
  const taken = new Map<string, number>();
  if (offset + limit === 0) return window;
  let seenCount = 0;
  for (const document of ranked) {
    if (++seenCount % DOCUMENTS_PER_STEP === 0) yield;
    if (limitPer !== undefined) {
      const key = limitKey(document, limitPer.attributes, segments);
      const count = taken.get(key) ?? 0;
      if (count >= limitPer.limit) continue;
      taken.set(key, count + 1);
    }
    window.push(document);
    if (window.length === offset + limit) break;
  }
  return window;
}

/** Equal for documents with equal values; null is a value of its own. */
function limitKey(
  { segment, ordinal }: RankedDocument,
  attributes: readonly string[],
  segments: readonly SegmentSnapshot[],
): string {
  const { view } = segments[segment];
  const at = ordinal as Parameters<typeof view.idOf>[0];
  const values = attributes.map((attribute) =>
    attribute === "id" ? view.idOf(at) : (view.column(attribute)?.value(at) ?? null),
  );
  return JSON.stringify(values.map((value) => (value === null ? null : String(value))));
}
