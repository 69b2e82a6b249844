/**
 * What an operator is, by the role of its nodes. An operator is one object without state, in a file
 * of its own. It knows which bytes a node of its kind needs, how the node runs over a segment, and
 * how it explains itself. Planner and executor know operators by these interfaces alone, and find
 * them by the kind of a node (`query/operators.ts`). A node with parts reaches the operators of its
 * parts in the same way, through `Operators`.
 */

import type { Pace } from "../../base/pace.ts";
import type { Steps } from "../../base/steps.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { ComparisonOperator } from "../../model/filter.ts";
import type { AggregateValue, ComputedValue, QueryResult } from "../../model/query-result.ts";
import type { AttributeValue, DocumentId } from "../../model/value.ts";
import type { ReadingSteps } from "../../segment/format/reading-steps.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/view/segment-view.ts";
import type { Token } from "../../text/analyzer.ts";
import type { BoundedScores } from "../documents/bounded-scores.ts";
import type { DocumentComparer } from "../documents/document-order.ts";
import type { FloatSum, IntegerSum } from "../documents/exact-sum.ts";
import type { Interval } from "../documents/interval.ts";
import type { MatchedDocuments } from "../documents/matched-documents.ts";
import type { OrdinalBits } from "../documents/ordinal-bits.ts";
import type { SegmentScores } from "../documents/segment-scores.ts";
import type { DocumentRanking, RankedDocument, Threshold } from "../documents/top-documents.ts";
import type { Findings, FindingsData, PlanPart } from "./division.ts";
import type { Grain } from "./grain.ts";
import type { AggregateNode, ComputedNode, Plan, Predicate, RankNode, ScoreNode } from "./plan.ts";
import type { QueryMemory } from "./query-memory.ts";
import type { QueryOptions } from "./query-options.ts";
import type { Snapshot } from "./snapshot.ts";
import type { WorkStats } from "./work-stats.ts";

/** Finds the operator of a node by its kind. */
export interface Operators {
  predicate(node: Predicate): PredicateOperator;
  score(node: ScoreNode): ScoreOperator;
  rank(node: RankNode): RankOperator;
  computed(node: ComputedNode): ComputedOperator;
  aggregate(node: AggregateNode): AggregateOperator;
  /** Of a plan, or of what one has found. */
  plan(plan: Pick<Plan, "kind">): PlanOperator;
}

/** A look at bytes. Throws `BytesMissing` if they are not in memory; what it gives is not used. */
export type Need = () => void;

/**
 * Takes all looks and returns what they give. Throws one `BytesMissing` for everything that they
 * miss, so that it is loaded in one round of requests.
 */
export type Together = <T>(looks: Iterable<() => T>) => T[];

/** Does work for all items, in steps, and returns what it gives; throws as `Together` does. */
export type TogetherInSteps = <Item, T>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Steps<T>,
) => Steps<T[]>;

/** Does `work`; where it misses bytes, what `needs` looks at is missed with them. */
export type WithNeeds = <T>(work: () => Steps<T>, needs: () => Iterable<Need>) => Steps<T>;

/** One segment, as an operator sees it that plans its reads there. */
export interface SegmentRun {
  readonly view: SegmentView;
  readonly operators: Operators;
  readonly together: Together;
}

/** A filter that runs over one segment. */
export interface PredicateRun extends SegmentRun {
  /** The candidates; not to be changed. */
  readonly within: OrdinalBits;
  readonly togetherInSteps: TogetherInSteps;
  readonly work: WorkStats;
  /** Absent: what the filter keeps is not counted. */
  readonly memory?: QueryMemory | undefined;
}

/** A filter that runs over one document, value by value. */
export interface DocumentRun {
  /** The document's values; `id` counts as an attribute. */
  readonly current: (attribute: string) => AttributeValue;
  /** The values that replace them, for `$ref_new`. */
  readonly next: (attribute: string) => AttributeValue;
  /** Makes the predicate that compares an attribute with a value of its type. */
  readonly comparison: (
    subject: { readonly attribute: string; readonly type: AttributeType },
    operator: ComparisonOperator,
    value: AttributeValue,
  ) => Predicate;
  readonly operators: Operators;
  /** Of all documents of a write together; `current` counts the values that it reads. */
  readonly pace: Pace;
}

/** A fragment of a text that is highlighted. */
export interface TextFragment {
  /** The attribute that has the text. */
  readonly attribute: string;
  readonly tokenCount: number;
  /** Those of the tokens that any clause looks for, in order. */
  readonly matches: readonly Token[];
  /** Counts the matches of each term: a fragment may be a text with a million matches. */
  readonly frequencies: ReadonlyMap<string, number>;
  readonly statistics: FragmentStatistics;
}

/** What BM25 knows of the fragments of one value: they are to each other what documents are. */
export interface FragmentStatistics {
  readonly fragmentCount: number;
  /** Tokens of all fragments. */
  readonly tokenCount: number;
  /** How many fragments have each of the terms that are looked for. */
  readonly frequencies: ReadonlyMap<string, number>;
}

/** Terms that a node looks for. */
export interface SoughtTerms {
  readonly terms: readonly string[];
  /** Any term that starts with it. */
  readonly prefix: string | undefined;
}

/** Ids outside of which nothing matches, and what must hold of the documents that have them. */
export interface IdLookup {
  readonly ids: readonly DocumentId[];
  readonly rest: Predicate;
}

/** Filters documents. */
export interface PredicateOperator<N extends Predicate = Predicate> {
  readonly kind: N["kind"];
  /**
   * Orders of magnitude: 0 hash lookups, 1 loops over columns, 2 postings, 3 patterns, 4 analysis
   * of stored text. Conjunctions run cheap parts first, so that costly ones have few candidates.
   */
  cost(node: N, operators: Operators): number;
  /** The node with its parts in the order in which they run best. Absent: it has no parts. */
  arranged?(node: N, operators: Operators): Predicate;
  grain(node: N, operators: Operators): Grain;
  /**
   * Tells, without reading anything, whether the matches of a whole segment are found by what lies
   * in order: some of them then take as long as all. Absent: never.
   */
  isOrdered?(node: N, view: SegmentView, operators: Operators): boolean;
  /** Undefined if documents of any id may match. Absent: always so. */
  lookup?(node: N, operators: Operators): IdLookup | undefined;
  /**
   * Where the values of an attribute lie in all documents that match and have one; undefined if
   * that is not known. Absent: it never is.
   */
  intervalOf?(node: N, attribute: string, operators: Operators): Interval | undefined;
  /** Looks at all that `run` looks at, but for what depends on what it finds. */
  needs(node: N, run: SegmentRun): Need[];
  /** The candidates that match, deleted documents included; a new set. */
  run(node: N, run: PredicateRun): Steps<OrdinalBits>;
  /**
   * How many documents of a segment match, deleted ones included, where that is known without
   * finding them; else undefined. Takes microseconds. Absent: it never is.
   */
  count?(node: N, run: SegmentRun): number | undefined;
  /** Checks whether a document matches; in steps, if that may take long. */
  matches(node: N, run: DocumentRun): boolean | Steps<boolean>;
  /** Lines about the node, of which the first begins with `label` and a colon. */
  explain(node: N, label: string, operators: Operators): string[];
  /** Absent: the operator does not look at the terms of texts, and no fragment matches. */
  readonly fragments?: {
    matches(node: N, fragment: TextFragment): boolean;
    /** What is looked for in the attribute. */
    terms(node: N, attribute: string): SoughtTerms[];
  };
}

/** Scores that are computed for one segment. */
export interface ScoreRun extends PredicateRun {
  /**
   * What the score of the whole ranking must beat, negated. An operator may leave documents out of
   * its answer that cannot. An operator with parts gives them thresholds of their own, or none.
   */
  readonly threshold: Threshold;
}

/** How posting lists bound the scores of an operator. */
export interface ScoreBounds<N extends ScoreNode = ScoreNode> {
  /** Looks at what `bounded` looks at beside what `run` does. */
  needs(node: N, run: SegmentRun): Need[];
  /** What bounds the scores that `run` gives; undefined if nothing does. */
  bounded(node: N, run: ScoreRun): Steps<BoundedScores | undefined>;
}

/** Scores documents. */
export interface ScoreOperator<N extends ScoreNode = ScoreNode> {
  readonly kind: N["kind"];
  /** Looks at all that `run` looks at, but for what depends on what it finds. */
  needs(node: N, run: SegmentRun): Need[];
  /** May score documents outside of `within`. */
  run(node: N, run: ScoreRun): Steps<SegmentScores>;
  /** Absent: nothing bounds the scores. */
  readonly bounds?: ScoreBounds<N>;
  explain(node: N, operators: Operators): string[];
  /** Absent: the operator does not look at the terms of texts, and scores no fragment. */
  readonly fragments?: {
    /** The score of a fragment as if it were the document; undefined if no clause produces it. */
    score(node: N, fragment: TextFragment, operators: Operators): number | undefined;
    /** What is looked for in the attribute. */
    terms(node: N, attribute: string, operators: Operators): SoughtTerms[];
  };
}

/** What running a plan over a snapshot takes. */
export interface Execution {
  readonly snapshot: Snapshot;
  readonly options: QueryOptions;
  readonly work: WorkStats;
  readonly operators: Operators;
  readonly together: Together;
  readonly togetherInSteps: TogetherInSteps;
  readonly withNeeds: WithNeeds;
}

/** Matching documents of one segment that are to be ranked. */
export interface RankPart {
  readonly segment: SegmentSnapshot;
  /** Of the segment in the snapshot. */
  readonly index: number;
  readonly matching: MatchedDocuments;
  /** They were chosen by `narrow` from those that match. */
  readonly isNarrowed: boolean;
  readonly ranking: DocumentRanking;
}

/** The documents of one segment that match. */
export interface SegmentMatches {
  readonly view: SegmentView;
  /** Not to be changed. */
  readonly matches: OrdinalBits;
}

/** Those of a segment's matches that are looked at. */
export interface NarrowedMatches {
  readonly matching: MatchedDocuments;
  /** True if `matching` lacks some of the filter's matches. */
  readonly isNarrowed: boolean;
}

/** Ranks documents by a key, the lowest first. */
export interface RankOperator<N extends RankNode = RankNode> {
  readonly kind: N["kind"];
  /** Orders documents whose keys are equal; ids decide last. */
  comparer(node: N, segments: readonly SegmentSnapshot[]): DocumentComparer;
  /** Checks whether `narrow` may leave some of the matches out. Absent: it may. */
  narrows?(node: N, snapshot: Snapshot): boolean;
  /**
   * Chooses, over all segments together, which of the matches are looked at. Absent: all are.
   * Throws `BytesMissing`.
   */
  narrow?(
    node: N,
    segments: readonly SegmentMatches[],
    execution: Execution,
  ): Steps<NarrowedMatches[]>;
  /** Offers the documents of one segment to the ranking, each with its key. */
  rankSegment(node: N, part: RankPart, execution: Execution): Steps<void>;
  /** What answers call `$dist`, for a key; undefined if they have none. */
  distOf(key: number): number | undefined;
  /** What a part of a divided ranking may be made of, beside what the filter asks for. */
  grain(node: N, snapshot: Snapshot): Grain;
  /** Looks at all that the ranking looks at, but for what depends on what it finds. */
  needs(node: N, run: SegmentRun): Need[];
  explain(node: N, snapshot: Snapshot, operators: Operators): string[];
}

/** Computes a member of the returned documents. */
export interface ComputedOperator<N extends ComputedNode = ComputedNode> {
  readonly kind: N["kind"];
  /** One for each of `ranked`, in their order. */
  run(
    node: N,
    ranked: readonly RankedDocument[],
    execution: Execution,
  ): ReadingSteps<ComputedValue[]>;
  /** Looks at all that `run` looks at in a segment, but for what depends on which are returned. */
  needs(node: N, run: SegmentRun): Need[];
}

/** A sum of one group. */
export type GroupSum = IntegerSum | FloatSum;

/** Adds the value of each document to the sum of its group, which `newSum` has made. */
export type SumAdder = (
  sums: readonly (GroupSum | undefined)[],
  groups: Uint32Array,
  ordinals: Uint32Array,
) => void;

/** Sums of the groups of one segment, by their places in a table. */
export interface PlaceSums {
  /** Adds the value of each document to the sum of its place. */
  add(places: Uint32Array, ordinals: Uint32Array): void;
  /** Adds what a place has to the sum of a group, which `newSum` has made. */
  addTo(sum: GroupSum, place: number): void;
}

/** Aggregates the documents of a group. */
export interface AggregateOperator<N extends AggregateNode = AggregateNode> {
  readonly kind: N["kind"];
  /** Undefined if counting the group's documents is all there is to do. */
  newSum(node: N): GroupSum | undefined;
  /** Undefined if the segment has nothing to add. */
  adder(node: N, view: SegmentView): SumAdder | undefined;
  /** The same of groups that have places from 0 to before `size`. */
  placeSums(node: N, view: SegmentView, size: number): PlaceSums | undefined;
  /** The value for a group of `count` documents. */
  value(sum: GroupSum | undefined, count: number): AggregateValue;
  needs(node: N, run: SegmentRun): Need[];
  /** The function as it is written, such as `Sum(price)`. */
  explain(node: N): string;
}

/**
 * Runs whole plans, in steps: what it finds in some documents, put together from several parts, and
 * at the end the answer, for which it reads what is returned.
 */
export interface PlanOperator<
  P extends Plan = Plan,
  F extends Findings = Findings,
  D extends FindingsData = FindingsData,
> {
  readonly kind: P["kind"];
  /** What a part may be made of, beside what the filter asks for. */
  grain(plan: P, snapshot: Snapshot, operators: Operators): Grain;
  /** Looks at all documents of the execution's snapshot. */
  find(plan: P, execution: Execution): Steps<F>;
  /** Names the segments by their indexes in `part`, of whose segments alone the findings are. */
  located(findings: F, part: PlanPart): F;
  /** What was found in several parts of a snapshot together; may change the first of them. */
  merge(plan: P, parts: readonly F[], execution: Execution): Steps<F>;
  /** The answer. */
  finish(plan: P, findings: F, execution: Execution): ReadingSteps<QueryResult>;
  /** Findings as another thread can be sent them. */
  encode(findings: F): D;
  /** Findings that another thread has sent. */
  decode(plan: P, data: D, operators: Operators): F;
  /** Looks at all that a run looks at beside the filter, but for what depends on what it finds. */
  needs(plan: P, run: SegmentRun): Need[];
  /** What is done with the documents that match, the last step first. */
  explain(plan: P, snapshot: Snapshot, operators: Operators): string[];
}
