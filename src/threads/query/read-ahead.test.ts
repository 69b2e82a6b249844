/** What follows a cold query finds its bytes in memory, within bounds. */

import { beforeAll, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { EngineFixture, type FixtureOptions } from "../../../test/support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { seededRandom } from "../../base/random.ts";
import { compileKernel } from "../../kernel/load-kernel.ts";
import type { WantedRange } from "../../segment/format/bytes-missing.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { objectKey } from "../../storage/object-store.ts";
import { ReadAhead } from "./read-ahead.ts";

const COUNT = effort({ usual: 2000, full: 5000 });
const DIMENSIONS = 40;
const kernel = await compileKernel("auto");

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writes documents and indexes them; each server that is opened over them begins cold. */
async function stored(body: object): Promise<MemoryObjectStore> {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store, kernel });
  await engine.write("n", body);
  await engine.indexAll();
  await engine.close();
  return store;
}

/** What share of its bytes each query finds in memory, where the server has time after each. */
async function ratiosOf(queries: readonly object[], options: FixtureOptions): Promise<number[]> {
  const engine = await EngineFixture.open({ answersOwn: false, kernel, ...options });
  const seen: number[] = [];
  for (const query of queries) {
    const { json } = await engine.call("query", "n", query);
    seen.push(json.performance.cache_hit_ratio);
    for (let i = 0; i < 200; i++) await turn();
  }
  await engine.close();
  return seen;
}

const random = seededRandom(1);
const vector = (group: number) =>
  Array.from({ length: DIMENSIONS }, (_, d) => random.next() + (d === group ? 20 : 0));
const NEAREST = [0, 10, 20].map((group) => {
  return { rank_by: ["vector", "ANN", vector(group)], limit: 3 };
});
let vectors: MemoryObjectStore;

beforeAll(async () => {
  const upsert_rows = Array.from({ length: COUNT }, (_, id) => ({ id, vector: vector(id % 40) }));
  vectors = await stored({ distance_metric: "euclidean_squared", upsert_rows });
});

const hitRatios = (options: { readsAhead: boolean; cacheBytes?: number }) =>
  ratiosOf(NEAREST, { store: vectors, ...options });

test("queries after a cold one need nothing that is not in memory", async () => {
  expect(await hitRatios({ readsAhead: true })).toEqual([0, 1, 1]);
  expect(Math.min(...(await hitRatios({ readsAhead: false })).slice(1))).toBeLessThan(1);
});

test("queries by other words than the first need nothing that is not in memory", async () => {
  const words = (id: number) => [id % 7, id % 40, id % 41, id % 1999].map((n) => `w${n}`);
  // Posting lists in several windows.
  const upsert_rows = Array.from({ length: 4 * COUNT }, (_, id) => ({
    id,
    text: words(id).join(" "),
  }));
  const schema = { text: { type: "string", full_text_search: true } };
  const store = await stored({ upsert_rows, schema });
  const queries = ["w3", "w5 w39", "w1234 w6"].map((word) => {
    return { rank_by: ["text", "BM25", word], limit: 3 };
  });
  const ratios = (readsAhead: boolean) => ratiosOf(queries, { store, readsAhead });
  expect((await ratios(true)).slice(1)).toEqual([1, 1]);
  expect(Math.min(...(await ratios(false)).slice(1))).toBeLessThan(1);
});

test("filters by other values than the first need nothing that is not in memory", async () => {
  // Sorted values in several windows.
  const upsert_rows = Array.from({ length: 8 * COUNT }, (_, id) => ({
    id,
    number: (id * 7919) % 1_000_003,
    word: `w${(id * 31) % 3001}`,
  }));
  const store = await stored({ upsert_rows });
  const queries = [10_000, 300_000, 700_000, 990_000].map((from) => {
    const range = [
      ["number", "Gte", from],
      ["number", "Lt", from + 5000],
    ];
    const either = [
      ["And", range],
      ["word", "Eq", `w${from / 1000}`],
    ];
    return { aggregate_by: { n: ["Count"] }, filters: ["Or", either] };
  });
  const ratios = (readsAhead: boolean) => ratiosOf(queries, { store, readsAhead });
  expect((await ratios(true)).slice(1)).toEqual([1, 1, 1]);
  expect(Math.min(...(await ratios(false)).slice(1))).toBeLessThan(1);
});

test("nothing is read ahead where less than half of the cache is free", async () => {
  const cacheBytes = MIB;
  const seen = await hitRatios({ readsAhead: true, cacheBytes });
  expect(seen).toEqual(await hitRatios({ readsAhead: false, cacheBytes }));
});

/** A segment with ranges of so many bytes, vectors among them, of which nothing is in memory. */
function coldSegment(name: string, sizes: { vectors?: number[]; others?: number[] }) {
  const object = objectKey(`namespaces/n-table/0000000001/segments/${name}`);
  const missing = { vectors: sizes.vectors ?? [], others: sizes.others ?? [] };
  const touch = (kind: keyof typeof missing) => {
    const base = kind === "vectors" ? 1e9 : 0;
    const ranges = missing[kind].map((bytes, i) => {
      const start = base + i * 1e7;
      return { object, start, end: start + bytes };
    });
    if (ranges.length > 0) throw new BytesMissing(ranges);
  };
  const sections = (attribute: string) => ({
    touch: () => (attribute === "" ? undefined : touch("others")),
    bytes: () => (attribute === "" ? undefined : touch("vectors")),
    entry: () => ({}),
  });
  const segment = { indexedAttributes: ["a"], sections } as unknown as OpenSegment;
  /** Puts the ranges into memory. */
  const load = (ranges: readonly WantedRange[]) => {
    for (const { start, end } of ranges) {
      const kind = start >= 1e9 ? "vectors" : "others";
      missing[kind].splice(missing[kind].indexOf(end - start), 1);
    }
  };
  return { object, segment, load };
}

type Cold = ReturnType<typeof coldSegment>;

function missedBy(attempt: () => void): Pick<BytesMissing, "wanted"> {
  try {
    attempt();
  } catch (error) {
    if (error instanceof BytesMissing) return error;
    throw error;
  }
  return { wanted: [] };
}

/** Reads ahead of such segments; what is loaded is told as its segment and its MiB. */
function reader(segments: readonly Cold[], options: { isKept?: boolean; roomBytes?: number } = {}) {
  const { isKept = true, roomBytes = Number.POSITIVE_INFINITY } = options;
  const pieces: string[] = [];
  let takenBytes = 0;
  const state = { onPiece: async () => {} };
  const ahead = new ReadAhead({
    nextTurn: async () => {},
    reads: {
      missingOf: (attempt, { rangeBytesMax = 0 } = {}) => {
        const { wanted } = missedBy(attempt);
        return wanted.filter(({ start, end }) => end - start <= rangeBytesMax);
      },
      prefetch: async (wanted) => {
        const [{ object }] = wanted;
        const bytes = wanted.reduce((sum, { start, end }) => sum + end - start, 0);
        pieces.push(`${object.at(-1)} ${bytes / MIB}`);
        takenBytes += bytes;
        await state.onPiece();
        if (object.endsWith("x")) throw new Error("the store is away");
        if (isKept) segments.find((cold) => cold.object === object)?.load(wanted);
        return takenBytes < roomBytes;
      },
    },
  });
  return { ahead, pieces, state };
}

const ofMib = (count: number) => Array.from({ length: count }, () => MIB);
const sourceOf = (...segments: Cold[]) => ({ storedSegments: segments.map((s) => s.segment) });

test("a namespace is read in pieces, vectors last, once", async () => {
  const segments = [
    coldSegment("a", { vectors: ofMib(5), others: ofMib(1) }),
    coldSegment("b", { others: ofMib(6) }),
  ];
  const { ahead, pieces } = reader(segments);
  ahead.add(sourceOf(...segments));
  await turn();
  expect(pieces).toEqual(["a 1", "b 4", "b 2", "a 4", "a 1"]);
  ahead.add(sourceOf(...segments));
  await turn();
  expect(pieces).toHaveLength(5);
  expect(ahead.stats).toEqual({ turns: 2, bytes: 12 * MIB });
});

test("a cold query does not fetch a large namespace as a whole, several do, in turns", async () => {
  const large = coldSegment("a", { others: ofMib(100) });
  const other = coldSegment("b", { others: ofMib(3) });
  const { ahead, pieces, state } = reader([large, other]);
  const largeSource = sourceOf(large);
  // While the first turn is under way, both are asked for.
  state.onPiece = async () => {
    if (pieces.length !== 1) return;
    ahead.add(sourceOf(other));
    ahead.add(largeSource);
  };
  ahead.add(largeSource);
  await turn();
  expect(pieces.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => "a 4"));
  expect(pieces.slice(16)).toEqual(["b 3", ...Array.from({ length: 9 }, () => "a 4")]);
});

test("reading ends where there is no room, and where nothing stays", async () => {
  const full = coldSegment("a", { others: ofMib(20), vectors: ofMib(20) });
  const refused = reader([full], { roomBytes: 8 * MIB });
  refused.ahead.add(sourceOf(full));
  await turn();
  expect(refused.pieces).toEqual(["a 4", "a 4"]);
  const leaky = reader([full], { isKept: false });
  leaky.ahead.add(sourceOf(full));
  await turn();
  expect(leaky.pieces).toHaveLength(16);
});

test("dropped segments and deleted namespaces are read no further", async () => {
  const dropped = coldSegment("a", { others: ofMib(20) });
  const kept = coldSegment("b", { others: ofMib(20) });
  const source = { storedSegments: [dropped.segment, kept.segment] };
  const { ahead, pieces, state } = reader([dropped, kept]);
  state.onPiece = async () => {
    if (pieces.length === 2) source.storedSegments = [kept.segment];
    if (pieces.length === 4) source.storedSegments = [];
  };
  ahead.add(source);
  await turn();
  expect(pieces).toEqual(["a 4", "a 4", "b 4", "b 4"]);
});

test("what cannot be read is passed over, and what is long is left to queries", async () => {
  const broken = coldSegment("x", { others: ofMib(8) });
  const long = coldSegment("b", { others: [17 * MIB, MIB] });
  const { ahead, pieces } = reader([broken, long]);
  ahead.add(sourceOf(broken, long));
  await turn();
  expect(pieces).toEqual(["x 4", "b 1"]);
});
