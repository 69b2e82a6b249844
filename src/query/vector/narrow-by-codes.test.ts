/** Exact searches give the same by byte codes as without them, to the bit, and compare few rows. */

import { describe, expect, test } from "vitest";
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
  type DrawVector,
  roundedToF16,
  uniformVector,
  VECTOR_KINDS,
  vectorOf,
} from "../../../test/support/random/vector-kinds.ts";
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
import type { DocumentQuery } from "../../model/query.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { openStoredSegment } from "../../segment/stored-segment-reader.ts";
import { BYTE_CODE_INDEX } from "../../segment/vectors/byte-code-index.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { explainRequest, runRequest } from "../executor/run-request.ts";
import { ScanProgress } from "../operator/scan-progress.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { codesPay, freshCodesPay, loadingPays } from "./narrow-by-codes.ts";

const METRICS = ["cosine_distance", "euclidean_squared"] as const;
const ELEMENTS = ["f32", "f16"] as const;

interface Drawn {
  readonly metric: DistanceMetric;
  readonly element: (typeof ELEMENTS)[number];
  readonly draw: DrawVector;
  readonly dimensions: number;
  /** Documents of each segment with codes. */
  readonly rows?: number;
  /** Attributes with vectors; `vector` alone if absent. */
  readonly attributes?: readonly string[];
}

/** Two segments with codes and one without; some documents are deleted, some have no vector. */
function namespaceOf(random: Random, drawn: Drawn) {
  const { metric, element, draw, dimensions, rows = 700, attributes = ["vector"] } = drawn;
  const ann = { distanceMetric: metric, lateInteraction: false };
  const type = { type: `[${dimensions}]${element}`, ann } as const;
  const types = Object.fromEntries(attributes.map((name) => [name, type]));
  const schema = schemaOf({ ...types, n: "int" }, { distanceMetric: metric });
  const stored = () => {
    const vector = draw(random, dimensions);
    return element === "f32" ? vector : roundedToF16(vector);
  };
  const document = (id: number) => {
    const vectors = Object.fromEntries(attributes.map((name) => [name, stored()]));
    return documentOf(BigInt(id), id % 40 === 39 ? {} : { n: BigInt(id % 10), ...vectors });
  };
  const contents = [0, 700, 1400].map((start, part) => ({
    documents: Array.from({ length: part === 2 ? 50 : rows }, (_, i) => document(start + i)),
    deleted: Array.from({ length: 20 }, (_, i) => document(2000 + start + i)),
  }));
  const near = openSnapshot(schema, contents);
  const clustered = clusteredSnapshot(near, { clusterRows: 20 });
  const segments = [...clustered.segments.slice(0, 2), near.segments[2]];
  const query = random.below(2) === 0 ? draw(random, dimensions) : stored();
  return { near, coded: { ...near, segments }, query };
}

interface Sought extends Partial<DocumentQuery> {
  readonly method?: "ANN" | "kNN";
  readonly attribute?: string;
  readonly values: Float32Array;
}

function requestFor({ method = "kNN", attribute = "vector", values, ...rest }: Sought) {
  const operand = { kind: "vector", values } as const;
  const rankBy = { kind: "vector", method, attribute, operand } as const;
  return requestOf(documentQuery(rankBy, { limit: 10, ...rest }));
}

function search(snapshot: Snapshot, sought: Sought, progress?: ScanProgress) {
  const options = { kernels: KERNELS, ...(progress && { progress }) };
  const { results, stats } = runReads(runRequest(snapshot, requestFor(sought), options));
  const [result] = results;
  if (result.kind !== "documents") throw new Error("no documents");
  return { documents: result.documents, stats };
}

describe.each(METRICS)("%s", (metric) => {
  // In `npm test` each kind of vectors is tested with one metric; the metrics alternate.
  const kinds = Object.keys(VECTOR_KINDS).filter((_, k) =>
    effort({ usual: METRICS[k % 2] === metric, full: true }),
  );

  test.each(kinds)("of vectors that are %s: the same to the bit", (kind) => {
    const seeds = effort({ usual: 1, full: 12 });
    for (let seed = 1; seed <= seeds; seed++) {
      const random = seededRandom(seed);
      const element = ELEMENTS[(seed + kinds.indexOf(kind)) % 2];
      const dimensions = [40, 48, 65, 100, 300][random.below(5)];
      const rows = effort({ usual: 350, full: 700 });
      const attributes = ["vector", "further"];
      const given = { metric, element, draw: VECTOR_KINDS[kind], dimensions, rows, attributes };
      const { near, coded, query } = namespaceOf(random, given);
      for (const attribute of attributes) {
        for (const rest of [
          { limit: 1 },
          { limit: 10 },
          { limit: 30, offset: 20 },
          { filter: filterOf(["n", "Lt", 8]) },
          { method: "ANN", limit: 7 },
        ] as const) {
          const sought = { values: query, attribute, ...rest };
          const where = `seed ${seed}, ${element}, ${dimensions} of ${attribute}`;
          const found = search(coded, sought);
          expect(found.documents, where).toEqual(search(near, sought).documents);
        }
      }
    }
  });

  test("codes of all matches are looked at, and few vectors", () => {
    const random = seededRandom(1);
    const given = { metric, element: "f32", draw: uniformVector, dimensions: 256 } as const;
    const { near, coded, query } = namespaceOf(random, given);
    const { stats } = search(coded, { values: query });
    // 683 and 682 of each 700 have a vector, and 49 in the segment without codes.
    expect(stats).toMatchObject({ codesScanned: 1365 });
    expect(stats.candidatesReranked).toBeGreaterThanOrEqual(10);
    expect(stats.candidatesReranked).toBeLessThan(60);
    expect(stats.vectorsScored).toBe(stats.candidatesReranked + 49);
    expect(search(near, { values: query }).stats).toMatchObject({ codesScanned: 0 });
    const limitPer = { attributes: ["n"], limit: 1 };
    const selection = { kind: "include", names: new Set(["n"]) } as const;
    const per = search(coded, { values: query, limitPer, selection });
    expect(per.stats.codesScanned).toBe(0);
    const many = search(coded, { values: query, limit: 400 }).stats;
    expect(many).toMatchObject({ codesScanned: 0, vectorsScored: 1365 + 49 });
    const zeros = search(coded, { values: new Float32Array(256) }).stats;
    expect(zeros.codesScanned).toBe(metric === "cosine_distance" ? 0 : 1365);
  });

  test("remote codes take a round, and vectors that are near another", () => {
    const given = { metric, element: "f32", draw: uniformVector, dimensions: 64 } as const;
    const { coded, query } = namespaceOf(seededRandom(2), given);
    const { remote, sources } = remoteOf(coded);
    const expected = search(coded, { values: query });
    const run = (progress?: ScanProgress) => () => search(remote, { values: query }, progress);
    expect(runRemote(sources, run(), 4)).toEqual(expected);
    const bytes = sources[0].bytesLoaded;
    for (const source of sources) source.drop();
    // 720 codes of 80 bytes and some vectors of 256, in chunks of as many bytes.
    expect(bytes).toBeLessThan(0.6 * 720 * 256);
    // Without room for the codes, vectors come in waves.
    const progress = new ScanProgress(80_000);
    const found = inWaves(sources, progress, run(progress));
    expect(found.documents).toEqual(expected.documents);
    expect(found.stats.codesScanned).toBe(0);
    for (const source of sources) source.drop();
  });

  test("plans tell of codes", () => {
    const given = { metric, element: "f32", draw: uniformVector, dimensions: 40 } as const;
    const { near, coded, query } = namespaceOf(seededRandom(3), given);
    const explain = (snapshot: Snapshot) =>
      runReads(explainRequest(snapshot, requestFor({ values: query }), { kernels: KERNELS }));
    expect(explain(coded)).toContain(
      "in 2 of 3 segments of what may be among the best 10 by\n" +
        "  codes of all matches, whose bounds always hold",
    );
    expect(explain(near)).not.toContain("codes");
  });
});

const UNTOLD = METRICS.slice(0, effort({ usual: 1, full: 2 }));

test.each(UNTOLD)("%s: codes that tell too little are given up", (metric) => {
  const schema = schemaOf(
    { vector: { type: "[16]f32", ann: { distanceMetric: metric, lateInteraction: false } } },
    { distanceMetric: metric },
  );
  const random = seededRandom(6);
  const count = effort({ usual: 9_000, full: 12_000 });
  const searched = (draw: DrawVector) => {
    const documents = Array.from({ length: count }, (_, i) =>
      documentOf(BigInt(i), { vector: draw(random, 16) }),
    );
    const near = openSnapshot(schema, [{ documents }]);
    const coded = clusteredSnapshot(near, { clusterRows: 100 });
    const values = draw(random, 16);
    const found = search(coded, { values });
    expect(found.documents).toEqual(search(near, { values }).documents);
    return found.stats;
  };
  const same = searched((_, dimensions) => vectorOf(dimensions, Math.sin));
  expect(same).toMatchObject({ candidatesReranked: 0, vectorsScored: count });
  expect(same.codesScanned).toBeGreaterThanOrEqual(8192);
  expect(same.codesScanned).toBeLessThan(count);
  expect(searched(uniformVector)).toMatchObject({ codesScanned: count });
});

test("codes pay for many matches and few results", () => {
  expect(codesPay(511, 1)).toBe(false);
  expect(codesPay(512, 1)).toBe(true);
  expect(codesPay(1024, 256)).toBe(true);
  expect(codesPay(1024, 257)).toBe(false);
  expect(codesPay(4000, 1000)).toBe(true);
  expect(codesPay(3999, 1000)).toBe(false);
  expect(freshCodesPay(5_999, 5_999_000, 1)).toBe(false);
  expect(freshCodesPay(6_000, 6_000_000, 150)).toBe(true);
  expect(freshCodesPay(6_000, 6_000_000, 151)).toBe(false);
});

test("codes are loaded where they have at most five eighths of the missing bytes", () => {
  const pays = (missingCodes: number, missingVectors: number, codes = missingCodes) =>
    loadingPays({ codes, missingCodes, missingVectors });
  expect(pays(320, 512)).toBe(true);
  expect(pays(321, 512)).toBe(false);
  expect(pays(1, 0)).toBe(false);
  // The rest of codes that are nearly all there.
  expect(pays(1, 0, 8)).toBe(true);
  expect(pays(1, 0, 7)).toBe(false);
});

test.each(ELEMENTS)("codes of %s are not loaded where the vectors are there", (element) => {
  const given = {
    metric: "euclidean_squared",
    element,
    draw: uniformVector,
    dimensions: 256,
  } as const;
  const { coded, query } = namespaceOf(seededRandom(4), given);
  const { remote, sources } = remoteOf(coded);
  const values = query;
  const searchRemote = (sought: Sought) => {
    const progress = new ScanProgress(1 << 30);
    return inWaves(sources, progress, () => search(remote, sought, progress));
  };
  const limitPer = { attributes: ["n"], limit: 1 };
  const selection = { kind: "include", names: new Set(["n"]) } as const;
  // It may need any number of documents, and compares all.
  expect(searchRemote({ values, limitPer, selection }).stats.codesScanned).toBe(0);
  const expected = search(coded, { values });
  const warm = searchRemote({ values });
  expect(warm.documents).toEqual(expected.documents);
  expect(warm.stats).toMatchObject({ codesScanned: 0, vectorsScored: 1365 + 49 });
  // Nor does a part of a divided search ask for them, which could not go on then.
  expect(search(remote, { values })).toEqual(warm);
  for (const source of sources) source.drop();
  expect(searchRemote({ values })).toEqual(expected);
});

test("vectors of few dimensions, and of bytes, have no codes", () => {
  for (const [type, has] of [
    ["[12]f32", false],
    ["[16]f32", true],
    ["[48]f16", false],
    ["[64]f16", true],
    ["[256]i8", false],
  ] as const) {
    const options = { distanceMetric: "euclidean_squared" } as const;
    const ann = { ...options, lateInteraction: false };
    const schema = schemaOf({ vector: { type, ann } }, options);
    const dimensions = Number.parseInt(type.slice(1), 10);
    const documents = Array.from({ length: 20 }, (_, i) =>
      documentOf(BigInt(i), { vector: vectorOf(dimensions, (d) => (d + i) % 7) }),
    );
    const plain = openSnapshot(schema, [{ documents }]);
    const [{ view }] = clusteredSnapshot(plain, { clusterRows: 5 }).segments;
    expect(view.hasIndex(BYTE_CODE_INDEX, "vector"), type).toBe(has);
  }
});

/** Runs a search until nothing is missing, in waves of vectors. */
function inWaves<T>(sources: readonly RemoteSource[], progress: ScanProgress, run: () => T): T {
  return runRemote(sources, run, 12, () => progress.beginRound());
}

/** The snapshot with its segments in a store. */
function remoteOf(snapshot: Snapshot) {
  const sources: RemoteSource[] = [];
  const segments = snapshot.segments.map((segment, i) => {
    const view = segment.view as OpenSegment;
    const { content, head } = encodeStoredSegment(view, snapshot.schema);
    const source = new RemoteSource(content, ARENA_MEMORY, `${i}` as ObjectKey);
    sources.push(source);
    const { liveBitmap, liveCount, liveVersion } = segment;
    const stored = openStoredSegment(view.id, head, () => source);
    return { view: stored, liveBitmap, liveCount, liveVersion };
  });
  return { remote: { ...snapshot, segments }, sources };
}
