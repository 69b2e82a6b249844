/**
 * What walks with the server's plan find: of vectors that have no structure to go by, of every
 * element, of very few and very many dimensions, of eight attributes, and where few or many match.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import {
  ARENA_MEMORY,
  clusteredSnapshot,
} from "../../../test/support/segments/clustered-snapshot.ts";
import { encodeStoredSegment } from "../../../test/support/segments/encode-stored-segment.ts";
import {
  RemoteSource,
  runReads,
  runRemote,
} from "../../../test/support/segments/remote-segment.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { byteCodeStride } from "../../kernel/byte-code-scan.ts";
import { codeBlockBytes } from "../../kernel/code-scan.ts";
import type { DocumentQuery } from "../../model/query.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { openStoredSegment } from "../../segment/stored-segment-reader.ts";
import { CODE_INDEX } from "../../segment/vectors/code-index.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { runRequest } from "../executor/run-request.ts";
import { PROBING, type Probing } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";

const WANTED = 10;
const METRICS = ["cosine_distance", "euclidean_squared"] as const;
const ELEMENTS = ["f32", "f16", "i8"] as const;

/** What a namespace has, beside the number of each document. */
interface Content {
  readonly type: string;
  readonly metric: DistanceMetric;
  readonly attributes?: readonly string[];
  readonly vectors: readonly Float32Array[];
}

/** All in one segment, which has its rows by cluster or in the order of their numbers. */
function namespaceOf(content: Content, clusterRows?: number): Snapshot {
  const { type, metric, attributes = ["vector"], vectors } = content;
  const ann = { distanceMetric: metric, lateInteraction: false } as const;
  const types = Object.fromEntries(attributes.map((name) => [name, { type, ann }]));
  const schema = schemaOf({ ...types, n: "int" }, { distanceMetric: metric });
  const documents = vectors.map((vector, id) => {
    const values = Object.fromEntries(attributes.map((name) => [name, vector]));
    return documentOf(BigInt(id), { ...values, n: BigInt(id) });
  });
  const plain = openSnapshot(schema, [{ documents }]);
  return clusterRows === undefined ? plain : clusteredSnapshot(plain, { clusterRows });
}

/** A query for what is near. */
interface Sought extends Partial<DocumentQuery> {
  readonly values: Float32Array;
  readonly method: "ANN" | "kNN";
  readonly attribute?: string;
}

function search(snapshot: Snapshot, sought: Sought, probing: Probing = PROBING) {
  const { values, method, attribute = "vector", ...rest } = sought;
  const operand = { kind: "vector", values } as const;
  const rankBy: DocumentQuery["rankBy"] = { kind: "vector", method, attribute, operand };
  const request = requestOf(documentQuery(rankBy, { limit: WANTED, ...rest }));
  const { results, stats } = runReads(runRequest(snapshot, request, { kernels: KERNELS, probing }));
  const [first] = results;
  if (first.kind !== "documents") throw new Error("no documents");
  const found = first.documents.map(({ id, dist = Number.NaN }) => ({ id, dist }));
  return { found, stats };
}

/** How many are as near as those of an exact search; all distances must be exact. */
function countRight(snapshot: Snapshot, sought: Omit<Sought, "method">, probing?: Probing) {
  const walked = search(snapshot, { ...sought, method: "ANN" }, probing);
  const exact = search(snapshot, { ...sought, method: "kNN" }).found;
  expect(walked.found).toHaveLength(exact.length);
  const distances = new Map(exact.map(({ id, dist }) => [id, dist]));
  for (const { id, dist } of walked.found) expect(distances.get(id) ?? dist).toBe(dist);
  const worst = exact.at(-1)?.dist ?? 0;
  const right = walked.found.filter(({ dist }) => dist <= worst).length;
  return { right, wanted: exact.length, stats: walked.stats };
}

/** To what values are rounded where they are stored. */
const ROUNDED = { f32: Math.fround, f16: Math.f16round, i8: Math.round };

/** Vectors around some centres. */
function grouped(
  random: Random,
  count: number,
  of: { dimensions?: number; centres?: number; element?: keyof typeof ROUNDED },
) {
  const { dimensions = 32, centres = 60, element = "f32" } = of;
  const between = (size: number) => (random.next() - 0.5) * (element === "i8" ? 100 : 1) * size;
  const places = Array.from({ length: centres }, () =>
    Float32Array.from({ length: dimensions }, () => between(1)),
  );
  return Array.from({ length: count }, () =>
    places[random.below(centres)].map((x) => ROUNDED[element](x + between(0.5))),
  );
}

test("of vectors anywhere, no more are missed than where they lie in groups", () => {
  const documents = effort({ usual: 5_000, full: 16_000 });
  const queries = effort({ usual: 12, full: 30 });
  const random = seededRandom(3);
  const uniform = () => Float32Array.from({ length: 64 }, () => random.next() - 0.5);
  const vectors = Array.from({ length: documents }, uniform);
  const snapshot = namespaceOf({ type: "[64]f32", metric: "euclidean_squared", vectors }, 64);
  let [right, codes] = [0, 0];
  for (let query = 0; query < queries; query++) {
    const counted = countRight(snapshot, { values: uniform() });
    right += counted.right;
    codes += counted.stats.codesScanned;
  }
  expect(right / queries / WANTED).toBeGreaterThan(0.96);
  expect(codes / queries).toBeLessThan(documents);
});

const CASES = ELEMENTS.flatMap((element, e) =>
  effort<readonly DistanceMetric[]>({ usual: [METRICS[e % 2]], full: METRICS }).map((metric) => ({
    element,
    metric,
  })),
);

test.each(CASES)("vectors of $element are found by few codes, by $metric", (of) => {
  const { element, metric } = of;
  const random = seededRandom(11);
  const queryCount = effort({ usual: 12, full: 40 });
  const count = effort({ usual: 4_500, full: 6_000 });
  const all = grouped(random, count + queryCount, { element });
  const [queries, vectors] = [all.slice(0, queryCount), all.slice(queryCount)];
  const snapshot = namespaceOf({ type: `[32]${element}`, metric, vectors }, 32);
  expect(snapshot.segments[0].view.hasIndex(CODE_INDEX, "vector")).toBe(true);
  let [right, codes, compared] = [0, 0, 0];
  for (const values of queries) {
    const counted = countRight(snapshot, { values });
    right += counted.right;
    codes += counted.stats.codesScanned;
    compared += counted.stats.vectorsScored;
  }
  expect(right / queries.length / WANTED).toBeGreaterThan(0.975);
  // A group has some hundred vectors.
  expect(codes / queries.length).toBeLessThan(vectors.length / 6);
  expect(compared).toBeLessThan(codes);
});

/** Tested dimensions with their metrics; `npm test` uses one metric for large dimensions. */
const DIMENSIONS = effort({
  usual: [
    { dimensions: 1, count: 1_000, queryCount: 6, metrics: METRICS },
    { dimensions: 2, count: 1_000, queryCount: 6, metrics: METRICS },
    { dimensions: 2_801, count: 400, queryCount: 3, metrics: ["euclidean_squared"] },
    { dimensions: 10_752, count: 130, queryCount: 2, metrics: ["cosine_distance"] },
  ],
  full: [
    { dimensions: 1, count: 3_000, queryCount: 20, metrics: METRICS },
    { dimensions: 2, count: 3_000, queryCount: 20, metrics: METRICS },
    { dimensions: 2_801, count: 1_200, queryCount: 20, metrics: METRICS },
    { dimensions: 10_752, count: 600, queryCount: 20, metrics: METRICS },
  ],
});

describe.each(METRICS)("by %s", (metric) => {
  const tried = DIMENSIONS.filter(({ metrics }) => (metrics as readonly string[]).includes(metric));

  test.each(tried)("vectors of $dimensions dimensions are found", (given) => {
    const { dimensions, count, queryCount } = given;
    const random = seededRandom(dimensions);
    const all = grouped(random, count + queryCount, { dimensions, centres: 12 });
    const [queries, vectors] = [all.slice(0, queryCount), all.slice(queryCount)];
    const snapshot = namespaceOf({ type: `[${dimensions}]f32`, metric, vectors }, 16);
    expect(snapshot.segments[0].view.hasIndex(CODE_INDEX, "vector")).toBe(true);
    const walks = { ...PROBING, exactMatchesMax: 0 };
    let [right, wanted] = [0, 0];
    for (const [i, values] of queries.entries()) {
      const counted = countRight(snapshot, { values }, walks);
      expect(counted.stats.codesScanned).toBeGreaterThanOrEqual(WANTED);
      right += counted.right;
      wanted += counted.wanted;
      // As many as match, or as are asked for.
      const matches = [3, 40, 300][i % 3];
      const filter = filterOf(["n", "Lt", matches]);
      for (const limit of [1, 10, 100]) {
        const some = countRight(snapshot, { values, filter, limit }, walks);
        expect(some.wanted).toBe(Math.min(matches, limit));
        if (matches <= limit) expect(some.right).toBe(matches);
      }
    }
    expect(right / wanted).toBeGreaterThan(0.97);
  });
});

const EIGHT_BY = METRICS.slice(effort({ usual: 1, full: 0 }));

test.each(EIGHT_BY)("eight attributes are searched at the cost of the first, by %s", (metric) => {
  const random = seededRandom(21);
  const attributes = ["vector", "b", "c", "d", "e", "f", "g", "h"];
  const queryCount = effort({ usual: 2, full: 10 });
  const count = effort({ usual: 1_000, full: 2_000 });
  const drawn = grouped(random, count + queryCount, { dimensions: 16, centres: 40 });
  const [queries, vectors] = [drawn.slice(0, queryCount), drawn.slice(queryCount)];
  const snapshot = namespaceOf({ type: "[16]f32", metric, attributes, vectors }, 16);
  const [segment] = snapshot.segments;
  const view = segment.view as OpenSegment;
  const { content, head } = encodeStoredSegment(view, snapshot.schema);
  const { liveBitmap, liveCount, liveVersion } = segment;
  const source = new RemoteSource(content, ARENA_MEMORY, "0" as ObjectKey);
  const far: SegmentSnapshot = {
    ...{ liveBitmap, liveCount, liveVersion },
    view: openStoredSegment(view.id, head, () => source),
  };
  const remote = { ...snapshot, segments: [far] };
  const walks = { ...PROBING, exactMatchesMax: 0 };
  for (const values of queries) {
    // Ties of equal vectors are passed over or not by the order in which they are met.
    const { stats: all } = search(snapshot, { values, method: "ANN" }, walks);
    const { candidatesSkipped: _, ...first } = all;
    expect(first.codesScanned).toBeLessThan(vectors.length / 2);
    for (const attribute of attributes) {
      const sought = { values, attribute, method: "ANN" } as const;
      const { found, stats } = search(snapshot, sought, walks);
      expect(stats, attribute).toMatchObject(first);
      expect(found, attribute).toHaveLength(WANTED);
      source.drop();
      const cold = runRemote([source], () => search(remote, sought, walks), 4);
      expect(cold, attribute).toEqual({ found, stats });
    }
  }
});

/**
 * What searches of so many matches may look at on average, in bytes, beside the byte codes of all
 * of them; and one of 20 at most: with other clusters of the same vectors, means are 1.1 to 1.4,
 * and the greatest of one search 1.5 to 2.
 */
const STEP_MAX = 1.5;
const SINGLE_STEP_MAX = 2;

/** Vectors in many small groups, all as far from each other, or in larger ones. */
const PLACES = [
  { centres: 4_000, mostInGroups: false, count: effort({ usual: 16_000, full: 24_000 }) },
  { centres: 100, mostInGroups: true, count: effort({ usual: 9_000, full: 24_000 }) },
];

describe.each(PLACES)("with vectors around $centres centres", (place) => {
  const { centres, mostInGroups, count } = place;
  const dimensions = 64;
  const clusterRows = 16;
  const queryCount = effort({ usual: 10, full: 20 });
  const random = seededRandom(31);
  const drawn = grouped(random, count + queryCount, { dimensions, centres });
  const [queries, vectors] = [drawn.slice(0, queryCount), drawn.slice(queryCount)];
  // Matches are anywhere.
  const content: Content = { type: `[${dimensions}]f32`, metric: "euclidean_squared", vectors };
  let snapshot: Snapshot;
  beforeAll(() => {
    snapshot = namespaceOf(content, clusterRows);
  });
  const most = PROBING.exactMatchesMax;
  const matching = (matches: number) => filterOf(["n", "Lt", matches]);

  /** What is read of a cluster: its mean, and the blocks that its codes are in. */
  const clusterBytes = 4 * dimensions + 1.5 * codeBlockBytes(dimensions / 4);

  /** Where all matches are looked at, and more codes, that is a walk and then all byte codes. */
  function workOf(matches: number, probing?: Probing) {
    const filter = matching(matches);
    return queries.map((values) => {
      const { right, stats } = countRight(snapshot, { values, filter }, probing);
      const { clustersProbed, codesScanned, vectorsScored } = stats;
      const byteCodes = codesScanned >= matches ? matches : 0;
      const bytes =
        clustersProbed * clusterBytes +
        byteCodes * byteCodeStride(dimensions) +
        vectorsScored * 4 * dimensions;
      return { right, stats, bytes };
    });
  }

  test("work does not leap where more match than are looked at in any case", () => {
    const below = workOf(most);
    for (const { right, stats } of below) {
      expect(right).toBe(WANTED);
      expect(stats).toMatchObject({ clustersProbed: 0, codesScanned: most });
    }
    const counts = effort({ usual: [most + 1, 8_000], full: [most + 1, 5_000, 8_000, 12_000] });
    let right = 0;
    for (const matches of counts) {
      const above = workOf(matches);
      let steps = 0;
      for (const [i, { bytes, stats }] of above.entries()) {
        const shown = `${matches} match, query ${i}`;
        const step = (bytes * most) / (matches * below[i].bytes);
        expect(stats.clustersProbed, shown).toBeGreaterThan(0);
        expect(step, shown).toBeLessThanOrEqual(SINGLE_STEP_MAX);
        steps += step;
      }
      expect(steps / above.length, `${matches} match`).toBeLessThanOrEqual(STEP_MAX);
      right += above.reduce((sum, found) => sum + found.right, 0);
    }
    expect(right / (WANTED * queries.length * counts.length)).toBeGreaterThanOrEqual(0.99);
  });

  test("walks are given up where groups are small, and are not where they are large", () => {
    const { unaskedShare: _, ...whole } = PROBING;
    const long = workOf(most + 1, whole);
    for (const [i, { right, bytes, stats }] of workOf(most + 1).entries()) {
      if (mostInGroups) {
        expect(stats).toEqual(long[i].stats);
        continue;
      }
      // All are looked at by their byte codes then, in which the best are always among the nearest.
      expect(right).toBe(WANTED);
      expect(stats.codesScanned).toBeGreaterThan(most);
      expect(bytes).toBeLessThan(long[i].bytes);
    }
  });

  test("a walk goes on where the byte codes are not in memory", () => {
    const [segment] = snapshot.segments;
    const view = segment.view as OpenSegment;
    const { content: bytes, head } = encodeStoredSegment(view, snapshot.schema);
    const { liveBitmap, liveCount, liveVersion } = segment;
    const source = new RemoteSource(bytes, ARENA_MEMORY, "0" as ObjectKey);
    const far: SegmentSnapshot = {
      ...{ liveBitmap, liveCount, liveVersion },
      view: openStoredSegment(view.id, head, () => source),
    };
    const remote = { ...snapshot, segments: [far] };
    const sought = { values: queries[0], filter: matching(most + 1), method: "ANN" } as const;
    const { unaskedShare: _, ...whole } = PROBING;
    const cold = runRemote([source], () => search(remote, sought), 4);
    expect(cold).toEqual(search(snapshot, sought, whole));
  });
});
