/** Counts and sums over matching documents, in total or by group. */

import { assert } from "../../base/assert.ts";
import { hasBit } from "../../codec/bitmap.ts";
import type { AggregateValue, ResultGroup } from "../../model/query-result.ts";
import { compareScalars, type ScalarValue } from "../../model/value.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { wordsOf } from "../column-values.ts";
import { least } from "../heap.ts";
import { forEachMatch, type Matching, matchCount } from "../matching.ts";
import { presenceBits } from "../ordinal-bits.ts";
import type { AggregateNode, AggregatePlan } from "../plan.ts";
import { FloatSum, IntegerSum } from "./exact-sum.ts";
import { KeyInterner, type KeyNumber, keyReader } from "./group-keys.ts";

/** What one group has so far. */
interface Group {
  readonly keys: readonly KeyNumber[];
  count: number;
  /** By aggregate; undefined for counts. */
  readonly sums: readonly (IntegerSum | FloatSum | undefined)[];
}

/** Aggregates documents segment by segment; no result depends on their order. */
export class Aggregation {
  readonly #plan: AggregatePlan;
  readonly #interners: readonly KeyInterner[];
  /** By the number of their key; if there is one key. */
  readonly #byNumber: Group[] = [];
  /** By the numbers of their keys as text; if there are several keys, or none. */
  readonly #byNumbers = new Map<string, Group>();

  constructor(plan: AggregatePlan) {
    this.#plan = plan;
    this.#interners = plan.groups.map(() => new KeyInterner());
    // Without keys there is one group, also when nothing matches.
    if (plan.groups.length === 0) this.#groupAt([]);
  }

  /** Adds the matching documents of one segment. */
  add(view: SegmentView, matching: Matching): void {
    const { groups, aggregates } = this.#plan;
    const adders = aggregates.map(([, node]) => sumAdder(node, view));
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
        forEachMatch(matching, (ordinals) => {
          for (let i = 0; i < ordinals.length; i++) adder(sum, ordinals[i]);
        });
      }
      return;
    }
    const readers = groups.map((node, i) => keyReader(node, view, this.#interners[i]));
    const [{ keyOf }] = readers;
    if (readers.length === 1 && keyOf !== undefined) {
      forEachMatch(matching, (ordinals) => {
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
    forEachMatch(matching, (ordinals) => {
      for (let i = 0; i < ordinals.length; i++) descend(0, ordinals[i]);
    });
  }

  /** The aggregates of all documents; for plans without group keys. */
  totals(): [string, AggregateValue][] {
    return this.#aggregatesOf(this.#groupAt([]));
  }

  /** The groups in ascending order of their keys, null first, at most as many as asked for. */
  groups(): ResultGroup[] {
    const { groups, groupLimit } = this.#plan;
    const valuesOf = (group: Group): (ScalarValue | null)[] =>
      group.keys.map((key, i) => this.#interners[i].valueOf(key));
    const all = [...this.#byNumber, ...this.#byNumbers.values()]
      .filter((group) => group !== undefined)
      .map((group) => ({ group, values: valuesOf(group) }));
    return least(all, groupLimit, (a, b) => compareKeys(a.values, b.values)).map(
      ({ group, values }) => ({
        keys: groups.map(({ name, type }, i) => [name, type, values[i]] as const),
        aggregates: this.#aggregatesOf(group),
      }),
    );
  }

  #groupAt(keys: readonly KeyNumber[]): Group {
    if (keys.length === 1) return this.#groupOf(keys[0]);
    const name = keys.join();
    let group = this.#byNumbers.get(name);
    if (group === undefined) {
      group = this.#newGroup([...keys]);
      this.#byNumbers.set(name, group);
    }
    return group;
  }

  #groupOf(key: KeyNumber): Group {
    this.#byNumber[key] ??= this.#newGroup([key]);
    return this.#byNumber[key];
  }

  #newGroup(keys: readonly KeyNumber[]): Group {
    const sums = this.#plan.aggregates.map(([, node]) => newSum(node));
    return { keys, count: 0, sums };
  }

  #aggregatesOf(group: Group): [string, AggregateValue][] {
    return this.#plan.aggregates.map(([label], i) => [
      label,
      group.sums[i]?.value() ?? BigInt(group.count),
    ]);
  }
}

function newSum(node: AggregateNode): IntegerSum | FloatSum | undefined {
  if (node.kind === "count") return undefined;
  return node.number === "integer" ? new IntegerSum() : new FloatSum();
}

type SumAdder = (sum: IntegerSum | FloatSum | undefined, ordinal: number) => void;

/** Undefined if the segment has nothing to add. */
function sumAdder(node: AggregateNode, view: SegmentView): SumAdder | undefined {
  const column = node.kind === "sum" ? view.column(node.attribute)?.column : undefined;
  if (column === undefined) return undefined;
  const present = presenceBits(column.presence, view.documentCount);
  const { data } = column;
  if (data.kind === "f64") {
    return (sum, ordinal) => {
      if (hasBit(present, ordinal)) (sum as FloatSum).add(data.values[ordinal]);
    };
  }
  assert(data.kind === "i64" || data.kind === "u64", "sum of no number");
  const words = wordsOf(data.values);
  const isSigned = data.kind === "i64";
  return (sum, ordinal) => {
    if (!hasBit(present, ordinal)) return;
    const high = words[2 * ordinal + 1];
    (sum as IntegerSum).add(words[2 * ordinal], isSigned ? high | 0 : high);
  };
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
