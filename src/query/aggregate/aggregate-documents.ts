/** Counts and sums over matching documents, in total or by group. */

import { least } from "../../base/heap.ts";
import { mapInSteps, type Steps } from "../../base/steps.ts";
import { withRoom } from "../../base/with-room.ts";
import type { AggregateValue, ResultGroup } from "../../model/query-result.ts";
import type { ScalarValue } from "../../model/value.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import {
  eachMatch,
  MATCHES_PER_STEP,
  type MatchedDocuments,
  matchCount,
} from "../documents/matched-documents.ts";
import type { AggregateOperator, GroupSum, Operators, PlaceSums } from "../operator/operator.ts";
import type { AggregateNode, AggregatePlan } from "../operator/plan.ts";
import type { QueryMemory } from "../operator/query-memory.ts";
import { type GroupNumber, GroupNumbers } from "./group-numbers.ts";
import type { TallyListener, TallySums } from "./tally-keys.ts";

/** Groups that there is room for at first. */
const FIRST_GROUPS = 64;

/** Bytes of a group with its keys' numbers, and of each of its sums. */
const GROUP_BYTES = 300;
const GROUP_SUM_BYTES = 100;
/** Groups that are looked at between two pauses, in about a microsecond each. */
const GROUPS_PER_STEP = 256;
/** Numbers of groups that are looked at between two pauses. */
const NUMBERS_PER_STEP = 8192;

/** A group as data. */
interface GroupTotals {
  /** One for each key of the plan. */
  readonly keys: readonly (ScalarValue | null)[];
  readonly count: number;
  /** By aggregate, exact; undefined for counts. */
  readonly sums: readonly (bigint | undefined)[];
}

/** What some documents add to an aggregation, as data. */
export type AggregationTotals = readonly GroupTotals[];

/** Aggregates documents segment by segment; no result depends on their order. */
export class Aggregation {
  readonly #plan: AggregatePlan;
  readonly #memory: QueryMemory | undefined;
  readonly #functions: readonly {
    readonly label: string;
    readonly node: AggregateNode;
    readonly operator: AggregateOperator;
  }[];
  readonly #keys: GroupNumbers;
  /** Documents by group; 0 of numbers that are no group's. */
  #counts = new Float64Array(FIRST_GROUPS);
  /** By aggregate, then by group; empty for counts. */
  readonly #sums: readonly GroupSum[][];

  /** Without `memory` groups are not counted. */
  constructor(plan: AggregatePlan, operators: Operators, memory?: QueryMemory) {
    this.#plan = plan;
    this.#memory = memory;
    this.#functions = plan.aggregates.map(([label, node]) => {
      return { label, node, operator: operators.aggregate(node) };
    });
    this.#sums = plan.aggregates.map(() => []);
    this.#keys = new GroupNumbers(plan.groups);
    // Without keys there is one group, also when nothing matches.
    if (plan.groups.length === 0) this.#begin(0);
  }

  /** Adds the matching documents of one segment. */
  *add(view: SegmentView, matching: MatchedDocuments): Steps<void> {
    const { groups } = this.#plan;
    const adders = this.#functions.map(({ node, operator }) => operator.adder(node, view));
    const sum = (numbers: Uint32Array, ordinals: Uint32Array): void => {
      adders.forEach((adder, i) => {
        adder?.(this.#sums[i], numbers, ordinals);
      });
    };
    if (groups.length === 0) {
      this.#counts[0] += matchCount(matching);
      if (adders.every((adder) => adder === undefined)) return;
      const only = new Uint32Array(MATCHES_PER_STEP);
      yield* eachMatch(matching, (ordinals) => sum(only, ordinals));
      return;
    }
    const listener: TallyListener = {
      add: (group, count) => this.#add(group, count),
      addEach: (numbers, ordinals) => {
        this.#count(numbers);
        sum(numbers, ordinals);
      },
      sums: adders.every((adder) => adder === undefined) ? undefined : this.#placeSums(view),
    };
    if (yield* this.#keys.tally(groups, { view, matching }, listener)) return;
    yield* this.#keys.each(groups, { view, matching }, (numbers, ordinals) => {
      this.#count(numbers.subarray(0, ordinals.length));
      sum(numbers, ordinals);
    });
  }

  /** Sums by the places of a table, which end in those of groups. */
  #placeSums(view: SegmentView): TallySums {
    let all: (PlaceSums | undefined)[] = [];
    return {
      begin: (size) => {
        all = this.#functions.map(({ node, operator }) => operator.placeSums(node, view, size));
      },
      add: (places, ordinals) => {
        for (const sums of all) sums?.add(places, ordinals);
      },
      end: (place, group) => {
        all.forEach((sums, i) => {
          const sum = this.#sums[i].at(group);
          if (sum !== undefined) sums?.addTo(sum, place);
        });
      },
    };
  }

  /** Adds so many documents, of which nothing but their number counts, to a plan without groups. */
  addCount(count: number): void {
    this.#counts[0] += count;
  }

  /** Adds what another aggregation of the plan has. */
  *absorb(totals: AggregationTotals): Steps<void> {
    for (const [i, { keys, count, sums }] of totals.entries()) {
      if (i % GROUPS_PER_STEP === GROUPS_PER_STEP - 1) yield;
      const group = this.#keys.numberOf(keys);
      this.#add(group, count);
      sums.forEach((sum, i) => {
        if (sum !== undefined) this.#sums[i][group]?.absorb(sum);
      });
    }
  }

  /**
   * What was added so far, of the groups that the plan returns: one that is not among the first
   * here is not among the first of more documents either.
   */
  *totals(): Steps<AggregationTotals> {
    const first = yield* this.#firstGroups();
    return yield* mapInSteps(first, GROUPS_PER_STEP, (group) => ({
      keys: this.#keys.valuesOf(group),
      count: this.#counts[group],
      sums: this.#sums.map((sums) => sums.at(group)?.exact()),
    }));
  }

  /** The aggregates of all documents; for plans without group keys. */
  aggregates(): [string, AggregateValue][] {
    return this.#aggregatesOf(0);
  }

  /** The groups in ascending order of their keys, null first, at most as many as asked for. */
  *groups(): Steps<ResultGroup[]> {
    const { groups } = this.#plan;
    const first = yield* this.#firstGroups();
    return yield* mapInSteps(first, GROUPS_PER_STEP, (group) => {
      const values = this.#keys.valuesOf(group);
      const keys = groups.map(({ name, type }, i) => [name, type, values[i]] as const);
      return { keys, aggregates: this.#aggregatesOf(group) };
    });
  }

  /** In ascending order of their keys, null first; the only one of a plan without keys. */
  *#firstGroups(): Steps<GroupNumber[]> {
    const { groups, groupLimit } = this.#plan;
    if (groups.length === 0) return [0];
    const all: GroupNumber[] = [];
    for (let group = 0; group < this.#counts.length; group++) {
      if (this.#counts[group] > 0) all.push(group);
      if (group % NUMBERS_PER_STEP === NUMBERS_PER_STEP - 1) yield;
    }
    return yield* least(all, groupLimit, (a, b) => this.#keys.compare(a, b));
  }

  /** Counts a document for each number. */
  #count(numbers: Uint32Array): void {
    this.#widen(this.#keys.size);
    const counts = this.#counts;
    for (let i = 0; i < numbers.length; i++) {
      const group = numbers[i];
      if (counts[group] === 0) this.#begin(group);
      counts[group]++;
    }
  }

  /** Counts so many documents of one group. */
  #add(group: GroupNumber, count: number): void {
    this.#widen(this.#keys.size);
    if (this.#counts[group] === 0 && this.#plan.groups.length > 0) this.#begin(group);
    this.#counts[group] += count;
  }

  /** Makes room for the counts of so many numbers. */
  #widen(size: number): void {
    this.#counts = withRoom(this.#counts, size);
  }

  /** Makes the sums of a group that has no document yet. */
  #begin(group: GroupNumber): void {
    let bytes = GROUP_BYTES + GROUP_SUM_BYTES * this.#functions.length;
    for (const value of this.#keys.valuesOf(group)) {
      bytes += typeof value === "string" ? 2 * value.length : 0;
    }
    this.#memory?.take(bytes, "groups");
    this.#functions.forEach(({ node, operator }, i) => {
      const sum = operator.newSum(node);
      if (sum === undefined) return;
      const sums = this.#sums[i];
      // Numbers that are no group's lie between: their places are filled, so that none is missing.
      while (sums.length < group) sums.push(sum);
      sums[group] = sum;
    });
  }

  #aggregatesOf(group: GroupNumber): [string, AggregateValue][] {
    return this.#functions.map(({ label, operator }, i) => [
      label,
      operator.value(this.#sums[i].at(group), this.#counts[group]),
    ]);
  }
}
