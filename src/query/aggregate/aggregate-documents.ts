/** Counts and sums over matching documents, in total or by group. */

import { mapInSteps, type Steps } from "../../base/steps.ts";
import { shortHash, WideMap } from "../../base/wide-map.ts";
import type { AggregateValue, ResultGroup } from "../../model/query-result.ts";
import { compareScalars, type ScalarValue } from "../../model/value.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { eachMatch, type MatchedDocuments, matchCount } from "../filter/matched-documents.ts";
import { least } from "../heap.ts";
import type { AggregateOperator, GroupSum, Operators } from "../plan/operator.ts";
import type { AggregateNode, AggregatePlan } from "../plan/plan.ts";
import type { QueryMemory } from "../query-memory.ts";
import { KeyInterner, type KeyNumber, keyReader } from "./group-keys.ts";

/** What one group has so far. */
interface Group {
  readonly keys: readonly KeyNumber[];
  count: number;
  /** By aggregate; undefined for counts. */
  readonly sums: readonly (GroupSum | undefined)[];
}

/** A group with the values of its keys. */
interface FirstGroup {
  readonly group: Group;
  readonly values: readonly (ScalarValue | null)[];
}

/** Bytes of a group with its keys' numbers, and of each of its sums. */
const GROUP_BYTES = 300;
const GROUP_SUM_BYTES = 100;
/** Groups that are looked at between two pauses, in about a microsecond each. */
const GROUPS_PER_STEP = 256;

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
  readonly #interners: readonly KeyInterner[];
  /** By the number of their key; if there is one key. */
  readonly #byNumber: Group[] = [];
  /** By the numbers of their keys as text; if there are several keys, or none. */
  readonly #byNumbers = new WideMap<string, Group>(shortHash);

  /** Without `memory` groups are not counted. */
  constructor(plan: AggregatePlan, operators: Operators, memory?: QueryMemory) {
    this.#plan = plan;
    this.#memory = memory;
    this.#functions = plan.aggregates.map(([label, node]) => {
      return { label, node, operator: operators.aggregate(node) };
    });
    this.#interners = plan.groups.map(() => new KeyInterner());
    // Without keys there is one group, also when nothing matches.
    if (plan.groups.length === 0) this.#groupAt([]);
  }

  /** Adds the matching documents of one segment. */
  *add(view: SegmentView, matching: MatchedDocuments): Steps<void> {
    const { groups } = this.#plan;
    const adders = this.#functions.map(({ node, operator }) => operator.adder(node, view));
    const summed = adders.flatMap((adder, index) =>
      adder === undefined ? [] : [{ adder, index }],
    );
    const accept = (group: Group, ordinal: number): void => {
      group.count++;
      for (const { adder, index } of summed) adder(group.sums[index], ordinal);
    };
    if (groups.length === 0) {
      const only = this.#groupAt([]);
      only.count += matchCount(matching);
      for (const { adder, index } of summed) {
        const sum = only.sums[index];
        yield* eachMatch(matching, (ordinals) => {
          for (let i = 0; i < ordinals.length; i++) adder(sum, ordinals[i]);
        });
      }
      return;
    }
    const readers = groups.map((node, i) => keyReader(node, view, this.#interners[i]));
    const [{ keyOf }] = readers;
    if (readers.length === 1 && keyOf !== undefined) {
      yield* eachMatch(matching, (ordinals) => {
        for (let i = 0; i < ordinals.length; i++) {
          accept(this.#groupOf(keyOf(ordinals[i])), ordinals[i]);
        }
      });
      return;
    }
    const keys: KeyNumber[] = groups.map(() => 0);
    const descend = (level: number, ordinal: number): void => {
      if (level === readers.length) {
        accept(this.#groupAt(keys), ordinal);
        return;
      }
      readers[level].forEachKey(ordinal, (key) => {
        keys[level] = key;
        descend(level + 1, ordinal);
      });
    };
    yield* eachMatch(matching, (ordinals) => {
      for (let i = 0; i < ordinals.length; i++) descend(0, ordinals[i]);
    });
  }

  /** Adds what another aggregation of the plan has. */
  *absorb(totals: AggregationTotals): Steps<void> {
    for (const [i, { keys, count, sums }] of totals.entries()) {
      if (i % GROUPS_PER_STEP === GROUPS_PER_STEP - 1) yield;
      const group = this.#groupAt(keys.map((key, i) => this.#interners[i].numberOfKey(key)));
      group.count += count;
      sums.forEach((sum, i) => {
        if (sum !== undefined) group.sums[i]?.absorb(sum);
      });
    }
  }

  /**
   * What was added so far, of the groups that the plan returns: one that is not among the first
   * here is not among the first of more documents either.
   */
  *totals(): Steps<AggregationTotals> {
    const first = yield* this.#firstGroups();
    return yield* mapInSteps(first, GROUPS_PER_STEP, ({ group, values }) => ({
      keys: values,
      count: group.count,
      sums: group.sums.map((sum) => sum?.exact()),
    }));
  }

  /** The aggregates of all documents; for plans without group keys. */
  aggregates(): [string, AggregateValue][] {
    return this.#aggregatesOf(this.#groupAt([]));
  }

  /** The groups in ascending order of their keys, null first, at most as many as asked for. */
  *groups(): Steps<ResultGroup[]> {
    const { groups } = this.#plan;
    const first = yield* this.#firstGroups();
    return yield* mapInSteps(first, GROUPS_PER_STEP, ({ group, values }) => ({
      keys: groups.map(({ name, type }, i) => [name, type, values[i]] as const),
      aggregates: this.#aggregatesOf(group),
    }));
  }

  /** In ascending order of their keys, null first; the only one of a plan without keys. */
  *#firstGroups(): Steps<FirstGroup[]> {
    const { groups, groupLimit } = this.#plan;
    const valuesOf = (group: Group): (ScalarValue | null)[] =>
      group.keys.map((key, i) => this.#interners[i].valueOf(key));
    const all: FirstGroup[] = [];
    let seenCount = 0;
    for (const found of [this.#byNumber, this.#byNumbers.values()]) {
      for (const group of found) {
        if (group !== undefined) all.push({ group, values: valuesOf(group) });
        if (++seenCount % GROUPS_PER_STEP === 0) yield;
      }
    }
    const count = groups.length === 0 ? 1 : groupLimit;
    return yield* least(all, count, (a, b) => compareKeys(a.values, b.values));
  }

  #groupAt(keys: readonly KeyNumber[]): Group {
    if (keys.length === 1) return this.#groupOf(keys[0]);
    const name = keys.join();
    let group = this.#byNumbers.get(name);
    if (group === undefined) {
      group = this.#newGroup([...keys]);
      this.#byNumbers.add(name, group);
    }
    return group;
  }

  #groupOf(key: KeyNumber): Group {
    this.#byNumber[key] ??= this.#newGroup([key]);
    return this.#byNumber[key];
  }

  #newGroup(keys: readonly KeyNumber[]): Group {
    let bytes = GROUP_BYTES + GROUP_SUM_BYTES * this.#functions.length;
    keys.forEach((key, i) => {
      const value = this.#interners[i].valueOf(key);
      bytes += typeof value === "string" ? 2 * value.length : 0;
    });
    this.#memory?.take(bytes, "groups");
    const sums = this.#functions.map(({ node, operator }) => operator.newSum(node));
    return { keys, count: 0, sums };
  }

  #aggregatesOf(group: Group): [string, AggregateValue][] {
    return this.#functions.map(({ label, operator }, i) => [
      label,
      operator.value(group.sums[i], group.count),
    ]);
  }
}

function compareKeys(
  a: readonly (ScalarValue | null)[],
  b: readonly (ScalarValue | null)[],
): number {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i], b[i]];
    if (x === y) continue;
    if (x === null) return -1;
    if (y === null) return 1;
    const order = compareScalars(x, y);
    if (order !== 0) return order;
  }
  return 0;
}
