/** Counts and sums over matching documents, in total or by group. */

import { assert } from "../base/assert.ts";
import { hasBit } from "../codec/bitmap.ts";
import type { AggregateValue, ResultGroup } from "../model/query-result.ts";
import { compareScalars, type ScalarValue } from "../model/value.ts";
import type { SegmentView } from "../segment/segment-view.ts";
import { wordsOf } from "./column-values.ts";
import { FloatSum, IntegerSum } from "./exact-sum.ts";
import { KeyInterner, type KeyNumber, keyReader } from "./group-keys.ts";
import { forEachBit, type OrdinalBits, presenceBits } from "./ordinal-bits.ts";
import type { AggregateNode, AggregatePlan } from "./plan.ts";

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
  /** By the number of their key, or the numbers of several as text. */
  readonly #groups = new Map<KeyNumber | string, Group>();

  constructor(plan: AggregatePlan) {
    this.#plan = plan;
    this.#interners = plan.groups.map(() => new KeyInterner());
    // Without keys there is one group, also when nothing matches.
    if (plan.groups.length === 0) this.#groupAt([]);
  }

  /** Adds the documents of one segment that are in `matching`. */
  add(view: SegmentView, matching: OrdinalBits): void {
    const { groups, aggregates } = this.#plan;
    const adders = aggregates.map(([, node]) => sumAdder(node, view));
    const accept = (group: Group, ordinal: number): void => {
      group.count++;
      for (let i = 0; i < adders.length; i++) adders[i]?.(group.sums[i], ordinal);
    };
    if (groups.length === 0) {
      const only = this.#groupAt([]);
      forEachBit(matching, (ordinal) => accept(only, ordinal));
      return;
    }
    const readers = groups.map((node, i) => keyReader(node, view, this.#interners[i]));
    const keys: KeyNumber[] = groups.map(() => 0);
    const descend = (level: number, ordinal: number): void => {
      if (level === readers.length) {
        accept(this.#groupAt(keys), ordinal);
        return;
      }
      readers[level](ordinal, (key) => {
        keys[level] = key;
        descend(level + 1, ordinal);
      });
    };
    forEachBit(matching, (ordinal) => descend(0, ordinal));
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
    return [...this.#groups.values()]
      .map((group) => ({ group, values: valuesOf(group) }))
      .sort((a, b) => compareKeys(a.values, b.values))
      .slice(0, groupLimit)
      .map(({ group, values }) => ({
        keys: groups.map(({ name, type }, i) => [name, type, values[i]] as const),
        aggregates: this.#aggregatesOf(group),
      }));
  }

  #groupAt(keys: readonly KeyNumber[]): Group {
    const name = keys.length === 1 ? keys[0] : keys.join();
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const sums = this.#plan.aggregates.map(([, node]) =>
      node.kind === "count"
        ? undefined
        : node.number === "integer"
          ? new IntegerSum()
          : new FloatSum(),
    );
    const group = { keys: [...keys], count: 0, sums };
    this.#groups.set(name, group);
    return group;
  }

  #aggregatesOf(group: Group): [string, AggregateValue][] {
    return this.#plan.aggregates.map(([label], i) => [
      label,
      group.sums[i]?.value() ?? BigInt(group.count),
    ]);
  }
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
