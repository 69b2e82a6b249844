/** What it costs to open a namespace, and that what happens meanwhile does no harm (I7, I17). */

import { beforeAll, describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import {
  answerOf,
  fillNamespace,
  QUERIES,
  RoundStore,
  VECTOR,
} from "../../test/support/engine/cold-namespace.ts";
import { EngineFixture, TestKeys } from "../../test/support/engine/engine-fixture.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { namespaceName } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import { OPENING_ENTRIES_AHEAD_MAX, readsAhead } from "../namespace/recovery/namespace-listing.ts";
import { CountingObjectStore } from "../storage/counting-object-store.ts";
import { ALWAYS, type ListPage, type ListRequest, objectKey } from "../storage/object-store.ts";
import { OPENING_AHEAD_BYTES_MAX } from "./open-namespace.ts";

const ROWS = effort({ usual: 600, full: 1500 });
const LARGE = { rowCount: ROWS, wordCount: 12 };
/** Overwrites documents of all three segments. */
const overwrite = (i: number) => ({
  upsert_rows: [i, ROWS + i, 2 * ROWS + i].map((id) => ({ id, vector: VECTOR, n: i })),
});

/** Namespaces of large segments, and the answers to all queries from memory. */
interface Sample {
  readonly store: RoundStore;
  readonly answers: Map<string, object>;
}

/** Without a log. */
let indexed: RoundStore;

beforeAll(async () => {
  const { store, engine } = await fillNamespace({ ...LARGE, tail: [] });
  await engine.close();
  indexed = store;
});

async function sample(tail: readonly object[]): Promise<Sample> {
  const store = new RoundStore();
  const { keys } = await indexed.list({ prefix: "", limit: 1000 });
  for (const key of keys) await store.put(key, (await indexed.get(key)) as Uint8Array, ALWAYS);
  const engine = await EngineFixture.open({ store });
  for (const body of tail) await engine.write("n", body);
  const answers = new Map<string, object>();
  for (const [name, query] of Object.entries(QUERIES)) {
    const { performance: _, ...answer } = await answerOf(engine, query);
    answers.set(name, answer);
  }
  await engine.close();
  return { store, answers };
}

describe.each([
  { log: "no log", tail: [], lookups: 0 },
  {
    log: "a log of new documents",
    tail: [{ upsert_rows: [{ id: 9e6, vector: VECTOR, n: 1 }] }],
    lookups: 1,
  },
  {
    log: "a log that overwrites stored documents",
    tail: Array.from({ length: OPENING_ENTRIES_AHEAD_MAX }, (_, i) => overwrite(i)),
    lookups: 2,
  },
])("opening with $log", ({ tail, lookups }) => {
  let opened: Sample;
  beforeAll(async () => {
    opened = await sample(tail);
  });

  // What overwrites stored documents takes the most requests: all queries are tried over it.
  const step = lookups === 2 ? 1 : effort({ usual: 3, full: 1 });
  const queries = Object.entries(QUERIES).filter((_, i) => i % step === 0);

  test.each(queries)("for a %s query", async (name, query) => {
    const { store, answers } = opened;
    const engine = await EngineFixture.open({ store });
    store.count();
    const { performance: _, ...answer } = await answerOf(engine, query);
    store.isCounting = false;
    expect(answer).toEqual(answers.get(name));
    // One listing; manifest, log and tombstones; ids of the log's documents; the query's rounds.
    expect(
      store.rounds[0].every(({ kind }) => kind === "LIST"),
      store.shown,
    ).toBe(true);
    expect(store.rounds.length - store.getRounds, store.shown).toBe(1);
    expect(store.getRounds, store.shown).toBeLessThanOrEqual(1 + lookups + 3);
    await engine.close();
  });
});

/** Something happens right after the listing that an opening begins with. */
class LateListingStore extends MemoryObjectStore {
  meanwhile: (() => Promise<unknown>) | undefined;

  override async list(request: ListRequest): Promise<ListPage> {
    const page = await super.list(request);
    const { meanwhile } = this;
    if (meanwhile !== undefined && request.prefix === "namespaces/n-table/") {
      this.meanwhile = undefined;
      await meanwhile();
    }
    return page;
  }
}

describe("after the listing", () => {
  async function filled() {
    const store = new LateListingStore();
    const other = await EngineFixture.open({ store });
    for (let part = 0; part < 3; part++) {
      const rows = Array.from({ length: 20 }, (_, i) => ({ id: 20 * part + i, n: part }));
      await other.write("n", { upsert_rows: rows });
      await other.indexAll();
    }
    await other.write("n", { deletes: [7, 27] });
    await other.indexAll();
    await other.write("n", { upsert_rows: [{ id: 8, n: 99 }], deletes: [30] });
    return { store, other };
  }

  test.each<[string, (other: EngineFixture) => Promise<unknown>]>([
    ["nothing happens", async () => {}],
    ["all is indexed and collected", (other) => other.indexAll()],
    [
      "documents are deleted, and all is indexed and collected twice",
      async (other) => {
        for (const id of [9, 10]) {
          await other.write("n", { deletes: [id] });
          await other.indexAll();
        }
      },
    ],
    ["the log goes on", (other) => other.write("n", { upsert_rows: [{ id: 900, n: 1 }] })],
    [
      "the log goes on and is indexed",
      async (other) => {
        for (const id of [900, 901]) await other.write("n", { upsert_rows: [{ id, n: 1 }] });
        await other.index();
      },
    ],
    [
      "the namespace is deleted and made anew",
      async (other) => {
        await other.call("delete_namespace", "n");
        await other.write("n", { upsert_rows: [{ id: 1, n: 1 }] });
      },
    ],
  ])("%s", async (_, meanwhile) => {
    const { store, other } = await filled();
    const before = await other.rows("n");
    const engine = await EngineFixture.open({ store });
    store.meanwhile = () => meanwhile(other);
    const rows = await engine.rows("n");
    const after = await other.rows("n");
    // Of what was written after the query was sent, it may see all or nothing.
    const expected = JSON.stringify(rows) === JSON.stringify(before) ? before : after;
    expect(rows).toEqual(expected);
    expect(store.meanwhile).toBeUndefined();
    await engine.close();
    const next = await EngineFixture.open({ store });
    expect(await next.rows("n")).toEqual(after);
  });

  test("a writer that came too late takes the next number", async () => {
    const { store, other } = await filled();
    const engine = await EngineFixture.open({ store });
    store.meanwhile = () => other.write("n", { upsert_rows: [{ id: 900, n: 1 }] });
    const { status } = await engine.call("write", "n", { upsert_rows: [{ id: 901, n: 1 }] });
    if (status === 503) await engine.write("n", { upsert_rows: [{ id: 901, n: 1 }] });
    const ids = (await engine.rows("n"))?.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([900, 901]));
    expect(ids).toHaveLength(59);
  });
});

test.each([
  { what: "a page", garbageCount: 1000 },
  { what: "all pages that are listed", garbageCount: 4000 },
])("a name with more objects than $what is opened all the same", async ({ garbageCount }) => {
  const store = new RoundStore();
  const first = await EngineFixture.open({ store });
  await first.write("n", { upsert_rows: [{ id: 1 }, { id: 2 }] });
  await first.indexAll();
  await first.write("n", { upsert_rows: [{ id: 3 }], deletes: [2] });
  await first.close();
  for (let i = 0; i < garbageCount; i++) {
    const name = `00000000000000000009-${String(i).padStart(16, "0")}`;
    const key = objectKey(`namespaces/n-table/0000000001/segments/${name}`);
    await store.put(key, Uint8Array.of(1), ALWAYS);
  }
  const next = await EngineFixture.open({ store });
  store.count();
  expect(await next.rows("n")).toEqual([{ id: 1 }, { id: 3 }]);
  const listings = store.rounds.length - store.getRounds;
  if (garbageCount === 1000) expect(listings, store.shown).toBe(2);
});

test("an entry that is larger than what is read ahead is read whole", async () => {
  const store = new MemoryObjectStore();
  const first = await EngineFixture.open({ store });
  const random = seededRandom(3);
  const text = Array.from({ length: 40 }, () => Buffer.from(random.bytes(30_000)).toString("hex"));
  const rows = text.map((note, id) => ({ id, note }));
  const schema = { note: { type: "string", filterable: false } };
  await first.write("n", { upsert_rows: rows, schema });
  await first.close();
  const key = objectKey("namespaces/n-table/0000000001/wal/00000000000000000001");
  expect((await store.get(key))?.length).toBeGreaterThan(OPENING_AHEAD_BYTES_MAX);
  const next = await EngineFixture.open({ store });
  expect(await next.rows("n")).toEqual(rows);
});

test("an encrypted namespace is opened in as many rounds", async () => {
  const keys = new TestKeys();
  keys.names.add("k");
  const store = new RoundStore();
  const first = await EngineFixture.open({ store, keys });
  const encryption = { cmek: { key_name: "k" } };
  await first.write("n", { upsert_rows: [{ id: 1 }, { id: 2 }, { id: 3 }], encryption });
  await first.indexAll();
  await first.write("n", { deletes: [2] });
  await first.indexAll();
  await first.write("n", { upsert_rows: [{ id: 4 }] });
  const expected = await first.rows("n");
  await first.close();
  const next = await EngineFixture.open({ store, keys });
  store.count();
  expect(await next.rows("n")).toEqual(expected);
  store.isCounting = false;
  expect(store.rounds.length, store.shown).toBeLessThanOrEqual(3);
});

describe("entries that a manifest covers", () => {
  const COVERED = 24;

  /**
   * Creates covered entries that wait for garbage collection, and two entries that no manifest
   * covers.
   */
  async function covered() {
    const store = new RoundStore();
    const engine = await EngineFixture.open({ store, thresholds: { indexTailEntries: COVERED } });
    const note = "x".repeat(2000);
    for (let id = 0; id < COVERED; id++) await engine.write("n", { upsert_rows: [{ id, note }] });
    await engine.indexer({ graceMs: 300_000 }).pass();
    await engine.follow();
    for (const id of [100, 101]) await engine.write("n", { upsert_rows: [{ id, note }] });
    const rows = await engine.rows("n");
    await engine.close();
    return { store, rows };
  }

  /** Counts the requests of a new server's first query. */
  async function opening({ store, rows }: Awaited<ReturnType<typeof covered>>) {
    const counting = new CountingObjectStore(store);
    const engine = await EngineFixture.open({ store: counting });
    const before = counting.counts().bytesRead;
    store.count();
    expect(await engine.rows("n")).toEqual(rows);
    store.isCounting = false;
    const bytes = counting.counts().bytesRead - before;
    await engine.close();
    const walRequests = store.rounds.flat().filter(({ target }) => target.includes("/wal/"));
    return { bytes, walRequests, rounds: store.rounds.length };
  }

  test("are not read by an opening, which takes no round more", async () => {
    const filled = await covered();
    const { store } = filled;
    const marked = await opening(filled);
    expect(marked.walRequests.map(({ target }) => Number(target.split("/").at(-1)))).toEqual([
      COVERED + 1,
      COVERED + 2,
    ]);
    // A store whose mark was lost.
    const { keys } = await store.list({ prefix: "namespaces/n-table/", limit: 1000 });
    const marks = keys.filter((key) => key.includes("/covered/"));
    expect(marks).toHaveLength(1);
    for (const mark of marks) await store.delete(mark);
    const unmarked = await opening(filled);
    expect(unmarked.walRequests).toHaveLength(COVERED + 2);
    expect(marked.rounds).toBe(unmarked.rounds);
    expect(marked.bytes).toBeLessThan(unmarked.bytes);
  });

  test("are read where a mark is wrong", async () => {
    const filled = await covered();
    const wrong = objectKey("namespaces/n-table/0000000001/covered/00000000000000000099");
    await filled.store.put(wrong, new Uint8Array(0), ALWAYS);
    expect((await opening(filled)).walRequests).toHaveLength(2);
  });

  test("leave one mark when they are collected", async () => {
    const { store } = await covered();
    const engine = await EngineFixture.open({ store });
    await engine.indexAll();
    await engine.indexAll();
    const { keys } = await store.list({ prefix: "namespaces/n-table/", limit: 1000 });
    const left = keys.filter((key) => /\/(covered|wal)\//.test(key));
    expect(left.map((key) => key.split("/").slice(3).join("/"))).toEqual([
      `covered/${String(COVERED + 2).padStart(20, "0")}`,
    ]);
    await engine.close();
  });
});

test("what is read ahead: the end of the log, and each segment's newest tombstones", () => {
  const generation = { name: namespaceName("n"), generation: 2 };
  const under = (path: string) => objectKey(`namespaces/n-table/0000000002/${path}`);
  const length = OPENING_ENTRIES_AHEAD_MAX + 4;
  const wal = Array.from({ length }, (_, i) => under(`wal/${String(i + 1).padStart(20, "0")}`));
  const segment = (i: number) => `segments/${String(i).padStart(20, "0")}-0123456789abcdef`;
  const live = (i: number, version: number) =>
    under(`${segment(i)}.live-${version}-0123456789abcdef`);
  const keys = [
    objectKey("namespaces/n-table/0000000001/wal/00000000000000000007"),
    under("manifest/00000000000000000003"),
    under(segment(1)),
    live(1, 10),
    live(1, 9),
    under(segment(2)),
    live(2, 2),
    under("segments/odd.live-x"),
    ...wal,
  ];
  expect(readsAhead(keys, generation)).toEqual([...wal.slice(4), live(1, 10), live(2, 2)]);
  expect(readsAhead([], generation)).toEqual([]);
  const covered = [under("covered/00000000000000000005"), under("covered/00000000000000000060")];
  expect(readsAhead([...covered, ...wal], generation)).toEqual(wal.slice(60));
});
