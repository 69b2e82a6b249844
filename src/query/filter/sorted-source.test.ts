/** Filters by sorted values against the same filters where all values are compared. */

import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  BY_ID,
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { ARENA_MEMORY } from "../../../test/support/segments/clustered-snapshot.ts";
import { runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { writePlan } from "../../../test/support/segments/segment-forms.ts";
import { sortedIndexes } from "../../../test/support/segments/sorted-indexes.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { countBits, fullBitmap } from "../../codec/bitmap.ts";
import type { TypedDocument } from "../../codec/columns-builder.ts";
import { formatDatetime } from "../../model/datetime.ts";
import type { ScalarValue } from "../../model/value.ts";
import { COLUMN_SECTION } from "../../segment/columns/column-index.ts";
import { DOCUMENT_SECTIONS } from "../../segment/documents/documents-section.ts";
import { planMerge } from "../../segment/segment-merger.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../../segment/segment-seal.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../snapshot.ts";

const ALWAYS = sortedIndexes(0);
const NEVER = sortedIndexes(Number.POSITIVE_INFINITY);

const SCHEMA = schemaOf({
  int: "int",
  uint: "uint",
  float: "float",
  bool: "bool",
  datetime: "datetime",
  string: { type: "string", glob: true, regex: true },
  uuid: "uuid",
});
const NAMES = [...SCHEMA.attributes.keys()];

const EXTREMES: Readonly<Record<string, readonly ScalarValue[]>> = {
  int: [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n, 2n ** 53n, 2n ** 53n + 1n],
  uint: [0n, 2n ** 64n - 1n, 2n ** 63n, 2n ** 32n],
  float: [-0, 0, 5e-324, -5e-324, -Number.MAX_VALUE, Number.MAX_VALUE, 1.5],
  datetime: [0n, -62_135_596_800_000n, 253_402_300_799_999n],
  string: ["", "a", "ab", "abc", "b", "\uffff", "\u{1f98a}"],
  uuid: ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
};

/** One of so many values, or one of the extremes. */
function drawValue(random: Random, name: string, space: number): ScalarValue {
  const number = random.below(space);
  const extremes = EXTREMES[name];
  if (extremes !== undefined && random.below(20) === 0) return pick(random, extremes);
  switch (name) {
    case "float":
      return (number - space / 2) / 7;
    case "bool":
      return number % 2 === 0;
    case "string":
      return `${"abc"[number % 3]}${number.toString(36)}`;
    case "uuid":
      return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
    case "uint":
      return BigInt(number);
    default:
      return BigInt(number) - BigInt(space >> 1);
  }
}

/** Documents of which each attribute has few values or many, of all of them or of some. */
function documentsOf(random: Random, firstId: number): TypedDocument[] {
  const spaces = NAMES.map(() => pick(random, [2, 10, 40, 10_000]));
  const nulls = NAMES.map(() => pick(random, [0, 0, 2, 10]));
  return Array.from({ length: 200 + random.below(700) }, (_, i) => {
    const values = NAMES.flatMap((name, n) =>
      random.below(10) < nulls[n] ? [] : [[name, drawValue(random, name, spaces[n])]],
    );
    return documentOf(BigInt(firstId + i), Object.fromEntries(values));
  });
}

/** Snapshots of the same documents by both lists of indexes; some were written, some merged. */
function snapshotsOf(random: Random): [Snapshot, Snapshot] {
  const contents = [0, 1, 2].map((part) => {
    const all = documentsOf(random, part * 10_000);
    const isDeleted = all.map(() => random.below(8) === 0);
    return {
      documents: all.filter((_, i) => !isDeleted[i]),
      deleted: all.filter((_, i) => isDeleted[i]),
    };
  });
  const isMerged = random.below(2) === 0;
  return [ALWAYS, NEVER].map((indexes) => {
    const snapshot = openSnapshot(SCHEMA, contents, indexes);
    const [first, second, third] = snapshot.segments;
    if (!isMerged) return snapshot;
    const inputs = [first, second].map(({ view, liveBitmap }) => {
      return { view: view as OpenSegment, liveBitmap };
    });
    const view = writePlan(runSteps(planMerge(inputs, SCHEMA, indexes)), ARENA_MEMORY);
    const liveBitmap = fullBitmap(view.documentCount);
    const merged = { view, liveBitmap, liveCount: countBits(liveBitmap), liveVersion: 0 };
    return { ...snapshot, segments: [merged, third] };
  }) as [Snapshot, Snapshot];
}

const OPERATORS = ["Eq", "NotEq", "In", "NotIn", "Lt", "Lte", "Gt", "Gte"];
const GLOBS = ["a*", "b1*", "ab*", "*", "a*2", "c?", "", "abc"];

function operandOf(random: Random, name: string): unknown {
  const value = drawValue(random, name, pick(random, [2, 10, 40, 10_000]));
  return name === "datetime" ? formatDatetime(value as bigint) : value;
}

function randomFilter(random: Random): unknown[] {
  if (random.below(4) === 0) {
    return [pick(random, ["And", "Or"]), [randomFilter(random), randomFilter(random)]];
  }
  if (random.below(6) === 0)
    return ["string", pick(random, ["Glob", "NotGlob"]), pick(random, GLOBS)];
  const name = pick(random, NAMES);
  const operator = pick(random, OPERATORS);
  if (!operator.endsWith("In")) return [name, operator, operandOf(random, name)];
  return [name, operator, Array.from({ length: random.below(30) }, () => operandOf(random, name))];
}

function answer(snapshot: Snapshot, filter: readonly unknown[]) {
  const query = documentQuery(BY_ID, { filter: filterOf(filter) });
  const { results, stats } = runSteps(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
  return { results, stats };
}

describe.each(Array.from({ length: effort({ usual: 6, full: 40 }) }, (_, i) => 31_001 + i))(
  "seed %i",
  (seed) => {
    test("filters by sorted values find what comparisons find", () => {
      const random = seededRandom(seed);
      const [sorted, compared] = snapshotsOf(random);
      for (const { view } of sorted.segments) verifySegment(sealSegment(view as OpenSegment));
      let entries = 0;
      for (let i = 0; i < 120; i++) {
        const filter = randomFilter(random);
        const [found, expected] = [answer(sorted, filter), answer(compared, filter)];
        expect(
          found.results,
          JSON.stringify(filter, (_, v) => String(v)),
        ).toEqual(expected.results);
        expect(expected.stats.entriesTouched).toBe(0);
        entries += found.stats.entriesTouched;
      }
      expect(entries).toBeGreaterThan(10_000);
    });

    test("they find the same in segments that are far away", () => {
      const random = seededRandom(seed);
      const [near] = snapshotsOf(random);
      const { snapshot, sources } = remoteSnapshot(near);
      for (let i = 0; i < 20; i++) {
        const filter = randomFilter(random);
        for (const source of sources) source.drop();
        const found = runRemote(sources, () => answer(snapshot, filter), 4);
        expect(found).toEqual(answer(near, filter));
      }
    });
  },
);

describe("work", () => {
  const schema = schemaOf({ tag: "int", n: "int", word: { type: "string", glob: true } });
  const documents = Array.from({ length: 6400 }, (_, i) =>
    documentOf(BigInt(i), {
      tag: BigInt(i % 100),
      n: BigInt((i * 7919) % 6400),
      word: `w${String((i * 7919) % 6400).padStart(4, "0")}`,
    }),
  );
  const snapshot = openSnapshot(schema, [{ documents }], ALWAYS);
  const plain = openSnapshot(schema, [{ documents }], NEVER);
  const WORDS = 6400 / 32;

  test.each([
    [["tag", "Eq", 7], 64],
    [["tag", "Eq", 1000], 0],
    [["tag", "In", [7, 8, 9, 7]], 192],
    // From the milestone of all entries, which is known.
    [["tag", "Gte", 95], 320],
    [["tag", "Lt", 5], 320],
    // From the milestone of 3,200 entries.
    [["tag", "Lt", 51], 64 + WORDS],
    [["n", "Lt", 100], 100],
    [["n", "Gte", 0], WORDS],
    [["n", "Eq", 777], 1],
    [["word", "Glob", "w00*"], 100],
    [["word", "Gte", "w6300"], 100],
    [["Not", ["tag", "Eq", 7]], 64],
  ])("%j touches %i entries and compares nothing", (filter, entriesTouched) => {
    const { stats, results } = answer(snapshot, filter);
    expect(stats).toMatchObject({ entriesTouched, valuesCompared: 0 });
    const compared = answer(plain, filter);
    expect(compared.stats).toMatchObject({ entriesTouched: 0, valuesCompared: 6400 });
    expect(results).toEqual(compared.results);
  });

  test("few candidates are compared, many entries are not touched for them", () => {
    const ids = Array.from({ length: 20 }, (_, i) => i);
    const { stats } = answer(snapshot, [
      "And",
      [
        ["id", "In", ids],
        ["n", "Lt", 3000],
      ],
    ]);
    expect(stats).toMatchObject({ entriesTouched: 0, valuesCompared: 32 });
  });

  test("cold filters read what they need of the order, not the column", () => {
    const cost = (filter: readonly unknown[]): [rounds: number, bytes: number] => {
      const { snapshot: far, sources } = remoteSnapshot(snapshot);
      runRemote(sources, () => count(far, filter), 4);
      return [sources[0].rounds, sources[0].bytesLoaded];
    };
    const far = remoteSnapshot(snapshot).snapshot;
    const { bytes: blocks = 0 } = segmentOf(far).sections("").entry(DOCUMENT_SECTIONS.blocks) ?? {};
    const directory = 48 + 100 * (8 + 4) + 32 + blocks;
    // Keys of 100 values; then the 64 ordinals of one, or those next to a bitmap.
    expect(cost(["tag", "Eq", 7])).toEqual([2, directory + 64 * 4]);
    expect(cost(["tag", "Lt", 51])).toEqual([2, directory + 64 * 4 + 800]);
    // A key for each 128 values: the column is read to find the place between two of them.
    const { bytes = 0 } = segmentOf(far).sections("n").entry(COLUMN_SECTION) ?? {};
    expect(cost(["n", "Lt", 100])).toEqual([2, 704 + blocks + bytes + 128 * 4]);
  });
});

function segmentOf({ segments }: Snapshot): OpenSegment {
  return segments[0].view as OpenSegment;
}

/** Counts what matches, which reads no ids. */
function count(snapshot: Snapshot, filter: readonly unknown[]) {
  const request = requestOf({
    kind: "aggregate",
    aggregates: new Map([["count", { kind: "count" }]]),
    filter: filterOf(filter),
    groupBy: [],
    groupLimit: 1,
  });
  return runSteps(runRequest(snapshot, request, { kernels: KERNELS }));
}
