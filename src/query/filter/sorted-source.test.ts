/** Filters by sorted values against the same filters where all values are compared. */

import { beforeAll, describe, expect, test } from "vitest";
import { cases, effort } from "../../../test/support/effort.ts";
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
import {
  ALWAYS,
  NEVER,
  SCHEMA,
  snapshotsOf,
  sortedFilter,
} from "../../../test/support/random/sorted-snapshots.ts";
import { runReads, runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { seededRandom } from "../../base/random.ts";
import { clearBit, fullBitmap } from "../../codec/bitmap.ts";
import { COLUMN_SECTION } from "../../segment/columns/column-index.ts";
import { DOCUMENT_SECTIONS } from "../../segment/documents/documents-section.ts";
import { matchesSchema } from "../../segment/missing-indexes.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../../segment/segment-seal.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../operator/snapshot.ts";

function answer(snapshot: Snapshot, filter: readonly unknown[]) {
  const query = documentQuery(BY_ID, { filter: filterOf(filter) });
  const { results, stats } = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
  return { results, stats };
}

/** The same with a document deleted. */
function withoutFirst(snapshot: Snapshot): Snapshot {
  const [segment, ...others] = snapshot.segments;
  const liveBitmap = segment.liveBitmap.slice();
  clearBit(liveBitmap, 0);
  const first = { ...segment, liveBitmap, liveCount: segment.liveCount - 1 };
  return { ...snapshot, segments: [first, ...others] };
}

/** The same with nothing deleted. */
function wholeOf(snapshot: Snapshot): Snapshot {
  const segments = snapshot.segments.map((segment) => {
    const { documentCount } = segment.view;
    return { ...segment, liveBitmap: fullBitmap(documentCount), liveCount: documentCount };
  });
  return { ...snapshot, segments };
}

/** Random filters that each test tries. */
const FILTERS = effort({
  usual: { found: 40, counted: 40, remote: 8 },
  full: { found: 120, counted: 80, remote: 20 },
});

describe.each(Array.from({ length: cases({ usual: 2, full: 40 }) }, (_, i) => 31_001 + i))(
  "seed %i",
  (seed) => {
    let opened: [Snapshot, Snapshot];
    beforeAll(() => {
      opened = snapshotsOf(seededRandom(seed));
    });

    test("filters by sorted values find what comparisons find", () => {
      const random = seededRandom(seed + 1000);
      const [sorted, compared] = opened;
      for (const { view } of sorted.segments) verifySegment(sealSegment(view as OpenSegment));
      // Segments from before are not written anew for it.
      for (const { view } of compared.segments) {
        expect(matchesSchema(view as OpenSegment, SCHEMA, ALWAYS)).toBe(true);
      }
      let entries = 0;
      for (let i = 0; i < FILTERS.found; i++) {
        const filter = sortedFilter(random);
        const [found, expected] = [answer(sorted, filter), answer(compared, filter)];
        expect(
          found.results,
          JSON.stringify(filter, (_, v) => String(v)),
        ).toEqual(expected.results);
        expect(expected.stats.entriesTouched).toBe(0);
        entries += found.stats.entriesTouched;
      }
      expect(entries).toBeGreaterThan(1000);
    });

    test("they count as many, with deleted documents and without", () => {
      const random = seededRandom(seed + 2000);
      const [sorted, compared] = opened;
      let counted = 0;
      for (const [snapshot, others] of [
        [sorted, compared],
        [wholeOf(sorted), wholeOf(compared)],
      ]) {
        for (let i = 0; i < FILTERS.counted; i++) {
          const filter = sortedFilter(random);
          const [found, expected] = [count(snapshot, filter), count(others, filter)];
          const shown = JSON.stringify(filter, (_, v) => String(v));
          expect(found.results, shown).toEqual(expected.results);
          expect(found.stats.documentsScanned).toBe(expected.stats.documentsScanned);
          if (snapshot !== sorted && found.stats.entriesTouched === 0) counted++;
        }
      }
      expect(counted).toBeGreaterThan(10);
    });

    test("they find the same in segments that are far away", () => {
      const random = seededRandom(seed + 3000);
      const [near] = opened;
      const { snapshot, sources } = remoteSnapshot(near);
      for (let i = 0; i < FILTERS.remote; i++) {
        const filter = sortedFilter(random);
        for (const source of sources) source.drop();
        // Patterns that nothing leads to test all strings first, one after the other.
        const patterns = JSON.stringify(filter, (_, v) => String(v)).split("Glob").length - 1;
        const rounds = 4 + Math.max(0, patterns - 1);
        const found = runRemote(sources, () => answer(snapshot, filter), rounds);
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
  const above = (n: number): readonly unknown[] => ["n", "Gte", n];

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
    // Both ends of a range are one range, whose entries alone are touched.
    [["And", [above(3000), ["n", "Lt", 3100]]], 100],
    [["And", [["n", "Lt", 3100], above(3000), above(3050)]], 50],
    [["And", [above(3100), ["n", "Lt", 3000]]], 0],
  ])("%j touches %i entries and compares nothing", (filter, entriesTouched) => {
    const { stats, results } = answer(snapshot, filter);
    expect(stats).toMatchObject({ entriesTouched, valuesCompared: 0 });
    const compared = answer(plain, filter);
    expect(compared.stats).toMatchObject({ entriesTouched: 0, valuesCompared: 6400 });
    expect(results).toEqual(compared.results);
  });

  test.each([
    // The first value alone is there.
    ["tag", 4096, 64, (i: number) => 99 + i],
    ["word", 2048, 1, (i: number) => `w${6399 + i}`],
  ])("lists of %s of more than %i values are compared", (attribute, most, entries, nthValue) => {
    const listOf = (length: number) => [
      attribute,
      "In",
      Array.from({ length }, (_, i) => nthValue(i)),
    ];
    const sorted = answer(snapshot, listOf(most));
    expect(sorted.stats).toMatchObject({ entriesTouched: entries, valuesCompared: 0 });
    const compared = answer(snapshot, listOf(most + 1));
    expect(compared.stats).toMatchObject({ entriesTouched: 0, valuesCompared: 6400 });
    expect(compared.results).toEqual(sorted.results);
  });

  test.each([[ALWAYS], [NEVER]])(
    "filters of null go by the bitmap of what has a value",
    (indexes) => {
      const few = Array.from({ length: 6400 }, (_, i) => {
        return documentOf(BigInt(i), i % 32 === 0 ? { n: BigInt(i) } : {});
      });
      const some = openSnapshot(schema, [{ documents: few }], indexes);
      for (const [filter, matches] of [
        [["n", "NotEq", null], 200],
        [["n", "Eq", null], 6200],
        [["tag", "NotEq", null], 0],
        [["tag", "Eq", null], 6400],
      ] as const) {
        const { stats, results } = count(some, filter);
        expect(stats, `${filter}`).toMatchObject({ entriesTouched: 0, valuesCompared: 0 });
        expect(results[0]).toMatchObject({ aggregates: [["count", BigInt(matches)]] });
      }
    },
  );

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
    const cost = (filter: readonly unknown[], of = withoutFirst(snapshot)) => {
      const { snapshot: far, sources } = remoteSnapshot(of);
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
    // Where nothing is deleted, what is only counted is not read.
    expect(cost(["tag", "Eq", 7], snapshot)).toEqual([1, directory]);
    expect(cost(["tag", "Lt", 51], snapshot)).toEqual([1, directory]);
    expect(cost(["Not", ["tag", "Lt", 51]], snapshot)).toEqual([1, directory]);
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
  return runReads(runRequest(snapshot, request, { kernels: KERNELS }));
}
