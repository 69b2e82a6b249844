import { describe, expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import type { Aggregate, AggregateQuery, GroupKey } from "../../model/query.ts";
import type { QueryResult } from "../../model/query-result.ts";
import { runRequest } from "../executor/run-request.ts";

const SCHEMA = schemaOf({
  color: "string",
  size: "int",
  big: "uint",
  price: "float",
  tags: "[]string",
  pairs: "[]int",
});

const DOCUMENTS = [
  documentOf(1n, { color: "red", size: 2n, price: 0.1, tags: ["a", "b", "a"], pairs: [2n] }),
  documentOf(2n, { color: "blue", size: -5n, price: 0.2, tags: [], big: 2n ** 64n - 1n }),
  documentOf(3n, { color: "red", price: 0.3, big: 2n ** 64n - 1n }),
  documentOf(4n, { size: 9n, tags: ["b"], pairs: [1n, 2n] }),
];

const SNAPSHOT = openSnapshot(SCHEMA, [
  { documents: DOCUMENTS.slice(0, 2) },
  { documents: DOCUMENTS.slice(2), deleted: [documentOf(9n, { color: "green", size: 100n })] },
]);

const COUNT: Aggregate = { kind: "count" };

function aggregate(
  aggregates: Record<string, Aggregate>,
  groupBy: GroupKey[] = [],
  rest: Partial<AggregateQuery> = {},
): QueryResult {
  const query: AggregateQuery = {
    kind: "aggregate",
    filter: undefined,
    aggregates: new Map(Object.entries(aggregates)),
    groupBy,
    groupLimit: 10_000,
    ...rest,
  };
  return runReads(runRequest(SNAPSHOT, requestOf(query), { kernels: KERNELS })).results[0];
}

/** Groups as `[key, …, aggregate, …]`. */
function groups(...parameters: Parameters<typeof aggregate>): unknown[][] {
  const result = aggregate(...parameters);
  if (result.kind !== "groups") throw new Error("no groups");
  return result.groups.map((group) => [
    ...group.keys.map(([, , value]) => value),
    ...group.aggregates.map(([, value]) => value),
  ]);
}

const sum = (attribute: string): Aggregate => ({ kind: "sum", attribute });
const by = (attribute: string): GroupKey => ({ kind: "attribute", attribute });
const each = (attribute: string): GroupKey => ({ kind: "each_unique", name: "key", attribute });

describe("totals", () => {
  test("count live matching documents and sum exactly", () => {
    const all = { n: COUNT, size: sum("size"), big: sum("big"), price: sum("price") };
    expect(aggregate(all)).toEqual({
      kind: "aggregates",
      aggregates: [
        ["n", 4n],
        ["size", 6n],
        ["big", 2n ** 65n - 2n],
        ["price", 0.6],
      ],
    });
  });

  test("over nothing are zero of the attribute's type", () => {
    const filter = filterOf(["Or", []]);
    expect(aggregate({ n: COUNT, i: sum("size"), f: sum("price") }, [], { filter })).toEqual({
      kind: "aggregates",
      aggregates: [
        ["n", 0n],
        ["i", 0n],
        ["f", 0],
      ],
    });
  });
});

describe("groups", () => {
  test("are sorted by key, null first", () => {
    expect(groups({ n: COUNT, s: sum("size") }, [by("color")])).toEqual([
      [null, 1n, 9n],
      ["blue", 1n, -5n],
      ["red", 2n, 2n],
    ]);
    expect(groups({ n: COUNT }, [by("size")]).map(([key]) => key)).toEqual([null, -5n, 2n, 9n]);
  });

  test("of unique elements: missing is null, empty is none, duplicates count once", () => {
    expect(groups({ n: COUNT }, [each("tags")])).toEqual([
      [null, 1n],
      ["a", 1n],
      ["b", 2n],
    ]);
  });

  test("of several keys are their combinations", () => {
    expect(groups({ n: COUNT }, [by("color"), each("pairs")])).toEqual([
      [null, 1n, 1n],
      [null, 2n, 1n],
      ["blue", null, 1n],
      ["red", null, 1n],
      ["red", 2n, 1n],
    ]);
  });

  test("are as many as asked for, the first ones", () => {
    expect(groups({ n: COUNT }, [by("color")], { groupLimit: 2 })).toHaveLength(2);
    expect(groups({ n: COUNT }, [by("color")], { groupLimit: 0 })).toEqual([]);
  });

  test("carry their names and the types of their values", () => {
    const result = aggregate({ n: COUNT }, [each("tags")], { groupLimit: 1 });
    expect(result).toEqual({
      kind: "groups",
      groups: [
        { keys: [["key", { kind: "scalar", of: "string" }, null]], aggregates: [["n", 1n]] },
      ],
    });
  });
});

describe("refusals", () => {
  test.each<[Record<string, Aggregate>, GroupKey[], string]>([
    [{ s: sum("color") }, [], 'Sum needs an int, uint or float attribute, but "color" is string'],
    [{ s: sum("id") }, [], 'but "id" is the id'],
    [{ s: sum("nope") }, [], 'attribute "nope" not found in schema'],
    [{ n: COUNT }, [by("id")], "cannot group by id"],
    [{ n: COUNT }, [by("tags")], "cannot group by []string; use"],
    [{ n: COUNT }, [each("color")], "ForEachUnique needs an array attribute, not string"],
    [{ n: COUNT }, [by("nope")], 'attribute "nope" not found in schema'],
  ])("%#", (aggregates, groupBy, message) => {
    expect(() => aggregate(aggregates, groupBy)).toThrow(message);
  });
});
