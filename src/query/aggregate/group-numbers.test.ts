import { describe, expect, test, vi } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import { naiveGroups } from "../../../test/support/queries/naive-aggregate.ts";
import { naiveMatches } from "../../../test/support/queries/naive-filter.ts";
import {
  documentOf,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
  splitDocuments,
} from "../../../test/support/queries/query-fixture.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { WordTable } from "../../base/tables/word-table.ts";
import type { TypedDocument } from "../../codec/columns-builder.ts";
import type { Aggregate, AggregateQuery, GroupKey } from "../../model/query.ts";
import type { QueryResult } from "../../model/query-result.ts";
import type { AttributeValue } from "../../model/value.ts";
import {
  decodeFindings,
  encodeFindings,
  finishPlan,
  mergeFindings,
  runPart,
} from "../executor/findings.ts";
import { runRequest, scopeOf } from "../executor/run-request.ts";
import { QueryMemory } from "../operator/query-memory.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { newWorkStats } from "../operator/work-stats.ts";
import { planQuery } from "../planner/planner.ts";
import { KeyInterner } from "./group-keys.ts";
import { GroupNumbers } from "./group-numbers.ts";

/** Whether tables are filled to their ends, which takes more than 65,536 groups. */
const IS_FULL = effort({ usual: false, full: true });

const SCHEMA = schemaOf({
  flag: "bool",
  small: "int",
  wide: "int",
  count: "uint",
  ratio: "float",
  word: "string",
  words: "[]string",
  numbers: "[]int",
  absent: "float",
});

/** Values of each attribute; some integers are not floats exactly, some lie beside one another. */
const VALUES: Readonly<Record<string, (random: Random) => AttributeValue>> = {
  flag: (random) => random.below(2) === 0,
  small: (random) => BigInt(random.below(7) - 3),
  wide: (random) => integerNear(random, [0n, 4096n, 2n ** 53n, -(2n ** 53n), 2n ** 62n]),
  count: (random) => integerNear(random, [8n, 4096n, 2n ** 53n, 2n ** 63n]),
  ratio: (random) => [0, 2, 0.5, -1.25, 3][random.below(5)],
  word: (random) => `word ${random.below(9)}`,
  // Some with more elements than are looked at together.
  words: (random) => listOf(random, () => `word ${random.below(40)}`),
  numbers: (random) => listOf(random, () => integerNear(random, [0n, 2n ** 53n])),
};

function integerNear(random: Random, values: readonly bigint[]): bigint {
  return values[random.below(values.length)] + BigInt(random.below(5) - 2);
}

function listOf<T>(random: Random, element: () => T): T[] {
  const length = random.below(60) === 0 ? 3000 : random.below(5);
  return Array.from({ length }, element);
}

function randomDocuments(random: Random, count: number): TypedDocument[] {
  return Array.from({ length: count }, (_, id) => {
    const attributes = Object.entries(VALUES)
      .filter(() => random.below(6) > 0)
      .map(([name, value]): [string, AttributeValue] => [name, value(random)]);
    return documentOf(BigInt(id), Object.fromEntries(attributes));
  });
}

function randomQuery(random: Random): AggregateQuery {
  const isOne = random.below(2) === 0;
  const attributes = isOne
    ? [["word", "flag", "count", "wide", "small"][random.below(5)]]
    : ["flag", "small", "wide", "count", "ratio", "word"];
  const keys = isOne ? Math.min(1, random.below(4)) : random.below(4);
  const groupBy: GroupKey[] = Array.from({ length: keys }, () => {
    const [attribute] = attributes.splice(random.below(attributes.length), 1);
    return { kind: "attribute", attribute };
  });
  if (groupBy.length === 0 || (!isOne && random.below(3) === 0)) {
    const attribute = isOne ? "words" : ["words", "numbers"][random.below(2)];
    const key: GroupKey = { kind: "each_unique", name: "element", attribute };
    groupBy.splice(random.below(groupBy.length + 1), 0, key);
  }
  const aggregates = new Map<string, Aggregate>([["n", { kind: "count" }]]);
  // Counts alone are counted in another way.
  if (random.below(2) === 0) {
    aggregates.set("integer", { kind: "sum", attribute: "wide" });
    aggregates.set("float", { kind: "sum", attribute: "ratio" });
  }
  const groupLimit = random.below(2) === 0 ? 10_000 : 1 + random.below(20);
  // Of some filters fewer documents are left than a dictionary has values.
  const filters = [undefined, filterOf(["wide", "Lte", 3]), filterOf(["count", "Eq", 8])];
  const filter = filters[random.below(3)];
  return { kind: "aggregate", filter, aggregates, groupBy, groupLimit };
}

/** Each segment by itself, one of them as another thread would send it. */
function inParts(snapshot: Snapshot, query: AggregateQuery): QueryResult {
  const options = { kernels: KERNELS };
  const plan = runSteps(planQuery(query, scopeOf(snapshot, options)));
  const parts = snapshot.segments.map(({ view }, segment) => {
    const range = { segment, start: 0, end: view.documentCount };
    const { findings } = runSteps(runPart(plan, [range], { snapshot, options }));
    return segment > 0 ? findings : decodeFindings(plan, structuredClone(encodeFindings(findings)));
  });
  const input = { snapshot, options, work: newWorkStats() };
  const merged = runSteps(mergeFindings(plan, parts, input));
  return runReads(finishPlan(plan, merged, input));
}

test("groups are those of nested loops, in one part and in several", () => {
  for (let seed = 1; seed <= effort({ usual: 2, full: 25 }); seed++) {
    const random = seededRandom(seed);
    // More than are looked at between two pauses.
    const documents = randomDocuments(random, 550 + random.below(700));
    const snapshot = openSnapshot(SCHEMA, splitDocuments(random, documents, 1 + random.below(3)));
    for (let i = 0; i < 6; i++) {
      const query = randomQuery(random);
      const request = requestOf(query);
      const { filter } = query;
      const matching = documents.filter((document) => {
        return filter === undefined || naiveMatches(filter, document, SCHEMA);
      });
      const expected = { kind: "groups", groups: naiveGroups(query, matching, SCHEMA) };
      const { results } = runReads(runRequest(snapshot, request, { kernels: KERNELS }));
      expect(results[0], `seed ${seed}, query ${i}`).toEqual(expected);
      expect(inParts(snapshot, query), `seed ${seed}, query ${i}`).toEqual(expected);
    }
  }
});

test("small integers and others, of many documents, some without a value", () => {
  const random = seededRandom(7);
  const documents = Array.from({ length: 9000 }, (_, id) => {
    const wide = integerNear(random, [2n, 900n, 4095n, -1n, 2n ** 32n, 2n ** 53n]);
    return documentOf(BigInt(id), random.below(5) === 0 ? {} : { wide, count: wide + 3n });
  });
  const snapshot = openSnapshot(SCHEMA, [{ documents }]);
  for (const attribute of ["wide", "count"]) {
    const query: AggregateQuery = {
      kind: "aggregate",
      filter: undefined,
      aggregates: new Map([["n", { kind: "count" }]]),
      groupBy: [{ kind: "attribute", attribute }],
      groupLimit: 10_000,
    };
    const { results } = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
    expect(results[0]).toEqual({
      kind: "groups",
      groups: naiveGroups(query, documents, SCHEMA),
    });
  }
});

describe("one key", () => {
  const documents = Array.from({ length: 9000 }, (_, i) => {
    const wide = BigInt((i * 7919) % 5) * 2n ** 60n - BigInt(i);
    const word = `word ${(i * 31) % 300}`;
    const words = [word, `word ${i % 7}`, word];
    const attributes = { word, words, small: BigInt(i % 50), flag: i % 3 === 0, wide };
    return documentOf(BigInt(i), i % 11 === 0 ? { wide } : { ...attributes, ratio: i / 8 });
  });
  const snapshot = openSnapshot(SCHEMA, [{ documents }]);
  const sums: [string, Aggregate][] = [
    ["integer", { kind: "sum", attribute: "wide" }],
    ["float", { kind: "sum", attribute: "ratio" }],
  ];
  const keys: GroupKey[] = [
    ...["word", "small", "flag"].map((attribute) => ({ kind: "attribute" as const, attribute })),
    { kind: "each_unique", name: "element", attribute: "words" },
  ];
  const cases = keys.flatMap((key) => [
    [key, []] as const,
    [key, sums] as const,
    [key, [["float", { kind: "sum", attribute: "absent" }]]] as const,
  ]);

  test.each(cases)("%j with %j is found by places of a table", (key, more) => {
    const aggregates = new Map<string, Aggregate>([
      ["n", { kind: "count" }],
      ...(more as [string, Aggregate][]),
    ]);
    const rest = { filter: undefined, aggregates, groupLimit: 10_000 };
    const query: AggregateQuery = { kind: "aggregate", groupBy: [key], ...rest };
    const each = vi.spyOn(GroupNumbers.prototype, "each");
    const numberOf = vi.spyOn(KeyInterner.prototype, "numberOf");
    const { results } = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
    const groups = naiveGroups(query, documents, SCHEMA);
    expect(results[0]).toEqual({ kind: "groups", groups });
    // No document is looked at by itself, and each value is decoded once.
    expect(each).not.toHaveBeenCalled();
    expect(numberOf.mock.calls.length).toBeLessThanOrEqual(groups.length);
    vi.restoreAllMocks();
  });

  test.runIf(IS_FULL)("a key of more values than have places with sums is found one by one", () => {
    const many = Array.from({ length: 66_000 }, (_, i) => {
      return documentOf(BigInt(i), { word: `word ${i % 65_537}`, wide: BigInt(i) });
    });
    const query: AggregateQuery = {
      kind: "aggregate",
      filter: undefined,
      aggregates: new Map(sums),
      groupBy: [{ kind: "attribute", attribute: "word" }],
      groupLimit: 10,
    };
    const each = vi.spyOn(GroupNumbers.prototype, "each");
    const one = openSnapshot(SCHEMA, [{ documents: many }]);
    const { results } = runReads(runRequest(one, requestOf(query), { kernels: KERNELS }));
    const groups = naiveGroups(query, many, SCHEMA);
    expect(results[0]).toEqual({ kind: "groups", groups });
    expect(each).toHaveBeenCalledOnce();
    vi.restoreAllMocks();
  });
});

describe("several keys", () => {
  const documents = Array.from({ length: 9000 }, (_, i) => {
    const word = `word ${(i * 31) % 300}`;
    const attributes = { word, small: BigInt((i >> 3) % 50), flag: i % 3 === 0, wide: BigInt(-i) };
    return documentOf(BigInt(i), i % 11 === 0 ? { word } : { ...attributes, ratio: i / 8 });
  });
  const sums: [string, Aggregate][] = [
    ["integer", { kind: "sum", attribute: "wide" }],
    ["float", { kind: "sum", attribute: "ratio" }],
  ];
  const opened = openSnapshot(SCHEMA, [{ documents }]);
  const run = (
    groupBy: readonly string[],
    more: readonly [string, Aggregate][],
    of = documents,
  ) => {
    const query: AggregateQuery = {
      kind: "aggregate",
      filter: undefined,
      aggregates: new Map<string, Aggregate>([["n", { kind: "count" }], ...more]),
      groupBy: groupBy.map((attribute) => ({ kind: "attribute", attribute })),
      groupLimit: 10_000,
    };
    const snapshot = of === documents ? opened : openSnapshot(SCHEMA, [{ documents: of }]);
    const each = vi.spyOn(GroupNumbers.prototype, "each");
    const add = vi.spyOn(WordTable.prototype, "add");
    const { results } = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
    const groups = naiveGroups({ ...query, groupLimit: 1e9 }, of, SCHEMA);
    expect(results[0]).toEqual({ kind: "groups", groups: groups.slice(0, 10_000) });
    const counts = { parts: each.mock.calls.length, lookups: add.mock.calls.length };
    vi.restoreAllMocks();
    return { ...counts, groups: groups.length };
  };
  const keys = [
    ["word", "small"],
    ["small", "flag"],
    ["flag", "word", "small"],
  ] as const;

  test.each(keys.flatMap((of) => [[of, []] as const, [of, sums] as const]))(
    "%j with %j are found by places of a table",
    (groupBy, more) => {
      const { parts, lookups, groups } = run(groupBy, more);
      expect(parts).toBe(0);
      // Once or twice for each group and the keys of it, and not for each document.
      expect(lookups).toBeLessThan(2 * groupBy.length * groups);
    },
  );

  test("documents that have a value without a place are looked at with their batch", () => {
    // The last batch alone has integers that are not small.
    const some = documents.map((document, i) => {
      return i < 8192 ? document : documentOf(BigInt(i), { word: "far", small: 5000n + BigInt(i) });
    });
    const { parts, lookups, groups } = run(["word", "small"], sums, some);
    expect(parts).toBe(0);
    expect(lookups).toBeGreaterThan(9000 - 8192);
    expect(lookups).toBeLessThan(4 * groups + 4 * (9000 - 8192));
  });

  test.runIf(IS_FULL)("groups beyond the limit of combinations are read one by one", () => {
    const many = Array.from({ length: 80_000 }, (_, i) => {
      return documentOf(BigInt(i), { word: `word ${i % 400}`, small: BigInt(i % 201), ratio: i });
    });
    const { parts, lookups, groups } = run(["word", "small"], sums, many);
    expect(groups).toBeGreaterThan(65_536);
    expect(parts).toBe(0);
    expect(lookups).toBeGreaterThan(80_000);
  });

  test("few matches of many values are looked at one by one", () => {
    const few = documents.slice(0, 40);
    expect(run(["word", "small"], [], few)).toMatchObject({ parts: 1 });
  });
});

test("memory of groups is counted before it is taken", () => {
  const documents = Array.from({ length: 5000 }, (_, i) => {
    return documentOf(BigInt(i), { wide: BigInt(i), word: "x".repeat(i % 50) });
  });
  const snapshot = openSnapshot(SCHEMA, [{ documents }]);
  const bytesFor = (groupBy: readonly string[], bytesMax: number): number => {
    const memory = new QueryMemory(new MemoryPool(bytesMax));
    const query: AggregateQuery = {
      kind: "aggregate",
      filter: undefined,
      aggregates: new Map([["n", { kind: "count" }]]),
      groupBy: groupBy.map((attribute) => ({ kind: "attribute", attribute })),
      groupLimit: 10,
    };
    runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS, memory }));
    return memory.bytes;
  };
  const bytes = bytesFor(["wide"], 1 << 30);
  expect(bytes).toBe(5000 * 400);
  // Of strings, what each group's has in addition.
  expect(bytesFor(["word", "wide"], 1 << 30)).toBe(bytes + 100 * 2 * ((49 * 50) / 2));
  expect(bytesFor(["wide"], bytes)).toBe(bytes);
  expect(() => bytesFor(["wide"], bytes - 1)).toThrow("for groups");
});
