/** What filters on elements of arrays cost; that they find the same is tried with all sorted values. */

import { describe, expect, test } from "vitest";
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
import { ALWAYS, NEVER } from "../../../test/support/random/sorted-snapshots.ts";
import { runReads, runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { clearBit } from "../../codec/bitmap.ts";
import { COLUMN_SECTION } from "../../segment/columns/column-index.ts";
import { ELEMENT_CODES } from "../../segment/columns/dictionary-index.ts";
import { DICTIONARY_SECTION } from "../../segment/columns/dictionary-section.ts";
import { ELEMENT_NUMBERS } from "../../segment/columns/element-numbers-index.ts";
import { TRIGRAM_SECTIONS } from "../../segment/columns/trigram-section.ts";
import { DOCUMENT_SECTIONS } from "../../segment/documents/documents-section.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../operator/snapshot.ts";

const COUNT = 6400;
/** Of a bitmap. */
const WORDS = COUNT / 32;

const schema = schemaOf({
  tags: "[]int",
  ns: "[]int",
  flags: "[]bool",
  words: { type: "[]string", glob: true },
  rare: "[]string",
});
const padded = (n: number): string => `w${String(n).padStart(4, "0")}`;
const documents = Array.from({ length: COUNT }, (_, i) => {
  const n = (i * 7919) % COUNT;
  return documentOf(BigInt(i), {
    // The first tag twice; each has 128 documents.
    tags: [i % 100, (i + 1) % 100, i % 100].map(BigInt),
    ns: [BigInt(n), BigInt(n + COUNT)],
    flags: i % 2 === 0 ? [true, false, true] : [false],
    words: [padded(n), "all", padded(n)],
    ...(i % 2 === 0 ? { rare: i % 64 === 0 ? ["few"] : [] } : {}),
  });
});
const snapshot = openSnapshot(schema, [{ documents }], ALWAYS);
const plain = openSnapshot(schema, [{ documents }], NEVER);

function answer(of: Snapshot, filter: readonly unknown[]) {
  const query = documentQuery(BY_ID, { filter: filterOf(filter) });
  const { results, stats } = runReads(runRequest(of, requestOf(query), { kernels: KERNELS }));
  return { results, stats };
}

function count(of: Snapshot, filter: readonly unknown[]) {
  const request = requestOf({
    kind: "aggregate",
    aggregates: new Map([["count", { kind: "count" }]]),
    filter: filterOf(filter),
    groupBy: [],
    groupLimit: 1,
  });
  return runReads(runRequest(of, request, { kernels: KERNELS }));
}

/** The same with a document deleted. */
function withoutFirst({ segments: [segment], ...rest }: Snapshot): Snapshot {
  const liveBitmap = segment.liveBitmap.slice();
  clearBit(liveBitmap, 0);
  return { ...rest, segments: [{ ...segment, liveBitmap, liveCount: segment.liveCount - 1 }] };
}

test.each([
  [["tags", "Contains", 7], 128],
  [["tags", "NotContains", 7], 128],
  [["tags", "Contains", 1000], 0],
  [["tags", "ContainsAny", [7, 8, 9, 7]], 3 * 128],
  [["tags", "NotContainsAny", [7, 60]], 2 * 128],
  [["tags", "AnyGte", 95], 5 * 128],
  // Parts of 800 entries, all of which are of the range.
  [["tags", "AnyLt", 51], 8 * WORDS + 128],
  [["tags", "AnyGte", 0], 16 * WORDS],
  [["flags", "Contains", true], WORDS],
  [["flags", "AnyLte", true], 2 * WORDS],
  [["words", "Contains", "w0777"], 1],
  [["words", "ContainsAny", ["w0777", "w0779", "none"]], 2],
  [["words", "Glob", "w00*"], 100],
  [["words", "AnyGte", "w6300"], 100],
  // The first word of all, so that its parts begin with it.
  [["words", "Contains", "all"], 8 * WORDS],
  [["rare", "Contains", "few"], 100],
  [["Not", ["rare", "AnyGt", ""]], 100],
  [
    [
      "And",
      [
        ["tags", "Contains", 7],
        ["words", "Contains", "all"],
      ],
    ],
    128 + 8 * WORDS,
  ],
  [
    [
      "Or",
      [
        ["tags", "Contains", 7],
        ["words", "Contains", "w0777"],
      ],
    ],
    129,
  ],
])("%j touches %i entries and compares nothing", (filter, entriesTouched) => {
  const { stats, results } = answer(snapshot, filter);
  const compared = answer(plain, filter);
  expect(results).toEqual(compared.results);
  expect(stats).toMatchObject({ entriesTouched, valuesCompared: 0 });
  expect(compared.stats.entriesTouched).toBe(0);
  expect(compared.stats.valuesCompared).toBeGreaterThan(COUNT / 2);
});

test("where keys are of some entries, a place between them is looked for in few documents", () => {
  const looked = (filter: readonly unknown[]) => {
    const { stats, results } = answer(snapshot, filter);
    expect(results).toEqual(answer(plain, filter).results);
    return [stats.entriesTouched, stats.valuesCompared];
  };
  // By halves of 127 entries.
  expect(looked(["ns", "AnyLt", 100])).toEqual([100, 7]);
  expect(looked(["ns", "Contains", 777])).toEqual([1, 2 * 7]);
  expect(looked(["ns", "ContainsAny", [777, 3000]])).toEqual([2, 4 * 7]);
});

test("a document with elements on both sides of a place leaves some entries to be compared", () => {
  const pairs = Array.from({ length: COUNT }, (_, i) => {
    return documentOf(BigInt(i), { ns: [BigInt(2 * i), BigInt(2 * i + 1), 20_000n] });
  });
  const near = openSnapshot(schema, [{ documents: pairs }], ALWAYS);
  const filter = ["ns", "AnyLt", 2 * 32 + 1];
  const { stats, results } = answer(near, filter);
  expect(results).toEqual(
    answer(openSnapshot(schema, [{ documents: pairs }], NEVER), filter).results,
  );
  expect(stats.entriesTouched).toBe(128);
  // One that leaves it open; then those that match once, the others by both of their entries.
  expect(stats.valuesCompared).toBe(1 + 32 + 2 * 31);
});

test("few candidates are compared, many entries are not touched for them", () => {
  const ids = Array.from({ length: 20 }, (_, i) => i);
  const { stats } = answer(snapshot, [
    "And",
    [
      ["id", "In", ids],
      ["tags", "AnyLt", 50],
    ],
  ]);
  expect(stats).toMatchObject({ entriesTouched: 0, valuesCompared: 32 });
});

test("documents with one element are counted by its keys, and once each", () => {
  const whole = (filter: readonly unknown[]) => {
    const { results, stats } = count(snapshot, filter);
    expect(results).toEqual(count(plain, filter).results);
    return stats.entriesTouched + stats.valuesCompared;
  };
  expect(whole(["tags", "Contains", 7])).toBe(0);
  expect(whole(["Not", ["tags", "Contains", 7]])).toBe(0);
  expect(whole(["words", "Contains", "all"])).toBe(0);
  expect(whole(["words", "Contains", "none"])).toBe(0);
  expect(whole(["flags", "Contains", true])).toBe(0);
  // One of two elements, both of which many documents have.
  expect(whole(["tags", "ContainsAny", [7, 8]])).toBe(2 * 128);
  expect(whole(["flags", "ContainsAny", [true, false]])).toBe(2 * WORDS);
});

describe("cold", () => {
  const { view } = snapshot.segments[0];
  const bytesOf = (attribute: string, kind: number): number =>
    (view as OpenSegment).sections(attribute).entry(kind)?.bytes ?? 0;
  const far = remoteSnapshot(snapshot).snapshot.segments[0].view as OpenSegment;
  const blocks = far.sections("").entry(DOCUMENT_SECTIONS.blocks)?.bytes ?? 0;
  const directory = bytesOf("tags", ELEMENT_NUMBERS.directory) + blocks;
  const dictionary =
    bytesOf("words", DICTIONARY_SECTION) +
    bytesOf("words", ELEMENT_CODES.directory) +
    bytesOf("words", TRIGRAM_SECTIONS.directory) +
    blocks;

  test.each([
    [["tags", "Contains", 7], directory + 128 * 4],
    [["tags", "AnyLt", 51], directory + 8 * WORDS * 4 + 128 * 4],
    [
      ["ns", "Contains", 777],
      bytesOf("ns", ELEMENT_NUMBERS.directory) + blocks + 127 * 4 + bytesOf("ns", COLUMN_SECTION),
    ],
    [["words", "Contains", "w0777"], dictionary + 4],
  ])("%j reads what it needs of the order in two rounds", (filter, bytes) => {
    const { snapshot: remote, sources } = remoteSnapshot(withoutFirst(snapshot));
    runRemote(sources, () => count(remote, filter), 4);
    expect([sources[0].rounds, sources[0].bytesLoaded]).toEqual([2, bytes]);
  });

  test("what is only counted reads keys alone", () => {
    const { snapshot: remote, sources } = remoteSnapshot(snapshot);
    runRemote(sources, () => count(remote, ["tags", "Contains", 7]), 4);
    expect([sources[0].rounds, sources[0].bytesLoaded]).toEqual([1, directory]);
  });
});
