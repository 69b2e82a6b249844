/**
 * Segments that several namespaces share: nothing is copied that need not be, no side is seen by the
 * other (I11), what one of them reaches stays, and what none reaches goes (I12).
 */

import { expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { seededRandom } from "../../src/base/random.ts";
import { CountingObjectStore } from "../../src/storage/counting-object-store.ts";
import { MemoryObjectStore } from "../../src/storage/memory-object-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { EngineFixture, type Row, TestKeys } from "../support/engine-fixture.ts";
import { FaultyObjectStore } from "../support/faulty-object-store.ts";
import { InstantClock } from "../support/instant-clock.ts";

const THRESHOLDS = { indexTailEntries: 1 };
const QUIET = { before: 0, after: 0, delayMsMax: 0 };
const row = (id: number, text = `text ${id}`) => ({ id, text, n: id % 3 });
const rowsUpTo = (count: number) => Array.from({ length: count }, (_, id) => row(id));

async function keysOf(store: ObjectStore, part = ""): Promise<string[]> {
  const { keys } = await store.list({ prefix: "namespaces/", limit: 10_000 });
  return keys.filter((key) => key.includes(part));
}

/** Several passes, so that what the first ones uncover is seen by the next. */
async function collect(store: MemoryObjectStore, keys?: TestKeys): Promise<void> {
  const server = await open(store, keys);
  for (let pass = 0; pass < 4; pass++) {
    const indexer = server.indexer();
    await indexer.pass();
    await indexer.pass();
  }
  await server.close();
}

function open(store: ObjectStore, keys?: TestKeys): Promise<EngineFixture> {
  return EngineFixture.open({ store, thresholds: THRESHOLDS, ...(keys && { keys }) });
}

test.each(["copy", "branch"])("a %s of what is indexed copies no segment", async (kind) => {
  const inner = new MemoryObjectStore();
  const store = new CountingObjectStore(inner);
  const server = await open(store);
  await server.write("from", { upsert_rows: rowsUpTo(200) });
  await server.indexAll();
  const before = store.counts();
  await server.write("to", { [`${kind}_from_namespace`]: "from" });
  const after = store.counts();
  expect(await keysOf(inner, "/to-table/0000000001/segments/")).toEqual([]);
  expect(await keysOf(inner, "/pins/to-table/")).toHaveLength(1);
  expect(after.bytesRead - before.bytesRead).toBeLessThan(16_384);
  expect(await server.rows("to")).toEqual(rowsUpTo(200));
  await server.close();
  const next = await open(inner);
  expect(await next.rows("to")).toEqual(rowsUpTo(200));
  await next.close();
});

test("what is not indexed yet is put, and what is deleted stays deleted", async () => {
  const store = new MemoryObjectStore();
  const server = await open(store);
  await server.write("from", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  await server.write("from", { upsert_rows: [row(3, "new"), row(50)], deletes: [7] });
  await server.write("to", { branch_from_namespace: "from" });
  const expected = await server.rows("from");
  expect(expected).toHaveLength(20);
  expect(await server.rows("to")).toEqual(expected);
  await server.indexAll();
  await server.write("from", { deletes: [1, 2], upsert_rows: [row(50, "later")] });
  await server.indexAll();
  expect(await server.rows("to")).toEqual(expected);
  await server.close();
  await collect(store);
  const next = await open(store);
  expect(await next.rows("to")).toEqual(expected);
  await next.close();
});

test("a copy under another key shares nothing", async () => {
  const store = new MemoryObjectStore();
  const keys = new TestKeys();
  keys.names.add("k");
  const server = await open(store, keys);
  await server.write("from", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  const encryption = { cmek: { key_name: "k" } };
  await server.write("to", { copy_from_namespace: "from", encryption });
  expect(await keysOf(store, "/pins/")).toEqual([]);
  expect(await keysOf(store, "/to-table/0000000001/segments/")).toHaveLength(1);
  expect(await server.rows("to")).toEqual(rowsUpTo(20));
  await server.close();
});

test("an emptied namespace may be branched into again", async () => {
  const store = new MemoryObjectStore();
  const server = await open(store);
  await server.write("from", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  for (let time = 0; time < 3; time++) {
    await server.write("to", { branch_from_namespace: "from" });
    expect(await server.rows("to")).toEqual(rowsUpTo(20));
    if (time === 1) await server.indexAll();
    await server.write("to", { delete_by_filter: ["id", "Gte", 0] });
    expect(await server.rows("to")).toEqual([]);
  }
  await server.close();
  const next = await open(store);
  expect(await next.rows("to")).toEqual([]);
  await next.close();
});

test("shared segments outlive their home, and go with the last that shares them", async () => {
  const store = new MemoryObjectStore();
  let server = await open(store);
  await server.write("a", { upsert_rows: rowsUpTo(40) });
  await server.indexAll();
  await server.write("b", { branch_from_namespace: "a" });
  await server.write("b", { deletes: [0] });
  await server.indexAll();
  await server.write("c", { copy_from_namespace: "b" });
  await server.write("c", { deletes: [1] });
  await server.write("d", { branch_from_namespace: "c" });
  const expected = [rowsUpTo(40), rowsUpTo(40).slice(1), rowsUpTo(40).slice(2)];
  const check = async (names: readonly string[]) => {
    for (const [index, name] of ["a", "b", "c"].entries()) {
      const rows = names.includes(name) ? expected[index] : undefined;
      expect(await server.rows(name), `${name} of ${names}`).toEqual(rows);
    }
  };
  await check(["a", "b", "c"]);
  const names = ["a", "b", "c"];
  for (const gone of ["a", "c", "b"]) {
    await server.call("delete_namespace", gone);
    names.splice(names.indexOf(gone), 1);
    await server.close();
    await collect(store);
    expect(await keysOf(store, "/a-table/0000000001/segments/")).not.toEqual([]);
    server = await open(store);
    await check(names);
    expect(await server.rows("d")).toEqual(expected[2]);
  }
  await server.call("delete_namespace", "d");
  await server.close();
  await collect(store);
  expect(await keysOf(store)).toEqual([]);
});

test("what a sharer has compacted away goes, though its pin stays for the rest", async () => {
  const store = new MemoryObjectStore();
  const server = await open(store);
  for (let part = 0; part < 3; part++) {
    await server.write("a", { upsert_rows: rowsUpTo(10).map(({ id }) => row(part * 10 + id)) });
  }
  await server.indexAll();
  await server.write("b", { branch_from_namespace: "a" });
  await server.call("delete_namespace", "a");
  // All is rewritten, so that nothing of the old segments is alive.
  await server.write("b", { upsert_rows: rowsUpTo(30).map(({ id }) => row(id, "again")) });
  await server.indexAll();
  await server.close();
  await collect(store);
  expect(await keysOf(store, "/a-table/")).toEqual([]);
  const next = await open(store);
  expect(await next.rows("b")).toEqual(rowsUpTo(30).map(({ id }) => row(id, "again")));
  await next.close();
});

test("a copy that a crash ends at any call is whole or not there, and leaves nothing", async () => {
  for (let call = 1; ; call++) {
    for (const when of ["before", "after"] as const) {
      const where = `call ${call} ${when}`;
      const store = new MemoryObjectStore();
      const server = await open(store);
      await server.write("a", { upsert_rows: rowsUpTo(20) });
      await server.indexAll();
      await server.write("a", { deletes: [3], upsert_rows: [row(90)] });
      await server.close();
      const random = seededRandom(call);
      const faulty = new FaultyObjectStore({
        store,
        random,
        clock: new InstantClock(),
        rates: QUIET,
      });
      const dying = await open(faulty);
      const expected = await dying.rows("a");
      faulty.crashAt({ call: faulty.calls + call, when });
      const answer = await dying.call("write", "b", { copy_from_namespace: "a" });
      await collect(store);
      const next = await open(store);
      const rows = await next.rows("b");
      if (answer.status === 200) expect(rows, where).toEqual(expected);
      if (rows !== undefined) expect(rows, where).toEqual(expected);
      await next.call("delete_namespace", "a");
      await next.close();
      await collect(store);
      const last = await open(store);
      expect(await last.rows("b"), where).toEqual(rows);
      await last.call("delete_namespace", "b");
      await last.close();
      await collect(store);
      expect(await keysOf(store), where).toEqual([]);
      if (answer.status === 200 && call > 4) return;
    }
  }
}, 120_000);

/** A store whose next listing of pins is answered late. */
class LateListing extends MemoryObjectStore {
  #isArmed = false;
  #reached: () => void = () => {};
  #answer: () => void = () => {};

  /** Resolves once the listing was made; it is answered by `answer`. */
  next(): Promise<void> {
    this.#isArmed = true;
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }

  answer(): void {
    this.#answer();
  }

  override async list(request: Parameters<MemoryObjectStore["list"]>[0]) {
    const page = await super.list(request);
    if (this.#isArmed && request.prefix.endsWith("/pins/")) {
      this.#isArmed = false;
      const answered = new Promise<void>((resolve) => {
        this.#answer = resolve;
      });
      this.#reached();
      await answered;
    }
    return page;
  }
}

/** Writes and indexes parts of 10 rows; the server is not told. */
async function writeParts(
  server: EngineFixture,
  indexing: EngineFixture,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (let part = from; part < to; part++) {
    await server.write("a", { upsert_rows: rowsUpTo(10).map(({ id }) => row(part * 10 + id)) });
    await indexing.indexAll();
  }
}

test("a server that does not know yet what was merged copies what it was merged to", async () => {
  const store = new MemoryObjectStore();
  const server = await open(store);
  const indexing = await open(store);
  await writeParts(server, indexing, { from: 0, to: 2 });
  await server.follow();
  const before = await keysOf(store, "/segments/");
  await writeParts(server, indexing, { from: 2, to: 14 });
  const after = new Set(await keysOf(store, "/segments/"));
  expect(before.some((key) => !after.has(key))).toBe(true);
  await server.write("b", { branch_from_namespace: "a" });
  await server.close();
  const next = await open(store);
  expect(await next.rows("b")).toEqual(rowsUpTo(140));
  await next.close();
});

test("a collector looks for new pins after it has seen what the old ones need", async () => {
  const store = new LateListing();
  const server = await open(store);
  await server.write("a", { upsert_rows: rowsUpTo(10) });
  await server.indexAll();
  await server.write("b", { branch_from_namespace: "a" });
  await server.write("b", { upsert_rows: [row(70)] });
  await server.indexAll();
  await server.write("a", { upsert_rows: rowsUpTo(10).map(({ id }) => row(id, "again")) });
  const other = await open(store);
  const reached = store.next();
  const collecting = other.indexAll();
  await reached;
  await server.write("c", { branch_from_namespace: "b" });
  await server.write("b", { upsert_rows: rowsUpTo(10).map(({ id }) => row(id, "other")) });
  const third = await open(store);
  const indexer = third.indexer();
  await indexer.pass();
  store.answer();
  await collecting;
  await collect(store);
  const next = await open(store);
  expect(await next.rows("c")).toEqual([...rowsUpTo(10), row(70)]);
  await next.close();
});

test("what is being deleted cannot be shared any more", async () => {
  const store = new LateListing();
  const server = await open(store);
  await server.write("a", { upsert_rows: rowsUpTo(10) });
  await server.indexAll();
  await server.write("keep", { upsert_rows: rowsUpTo(1) });
  const copies = await open(store);
  expect(await copies.rows("a")).toHaveLength(10);
  const reached = store.next();
  const deleting = server.call("delete_namespace", "a");
  await reached;
  const answer = await copies.call("write", "b", { copy_from_namespace: "a" });
  store.answer();
  await deleting;
  expect(answer.status).toBe(404);
  await copies.close();
  await server.close();
  await collect(store);
  const next = await open(store);
  expect(await next.rows("b")).toBeUndefined();
  expect(await keysOf(store, "/a-table/")).toEqual([]);
  await next.close();
});

/** Time passes in turns of the event loop, so that calls overtake each other. */
class TurnClock implements Clock {
  readonly #inner = new InstantClock();
  nowMs = () => this.#inner.nowMs();
  monotonicMs = () => this.#inner.monotonicMs();
  every: Clock["every"] = (...given) => this.#inner.every(...given);
  async sleep(ms: number): Promise<void> {
    await this.#inner.sleep(ms);
    for (let turn = 0; turn < Math.min(ms, 24); turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const SEED = Number(process.env.TRAWL_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

test("branches stay as they were while sources are written, indexed, collected, deleted", async () => {
  console.log(`branches run with TRAWL_TEST_SEED=${SEED}`);
  for (let round = 0; round < 25; round++) await raceOnce(SEED + round);
}, 120_000);

async function raceOnce(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const inner = new MemoryObjectStore();
  const clock = new TurnClock();
  const rates = { before: 0, after: 0, delayMsMax: 2 + random.below(20) };
  const store = new FaultyObjectStore({ store: inner, random, clock, rates });
  const server = await EngineFixture.open({ store, clock, thresholds: THRESHOLDS });
  await server.write("a", { upsert_rows: rowsUpTo(12) });
  await server.indexAll();
  const states: Row[][] = [(await server.rows("a")) ?? []];
  let isOver = false;
  const writing = (async () => {
    for (let step = 0; step < 12; step++) {
      const deleted = random.below(12);
      await server.write("a", { upsert_rows: [row(random.below(12), `step ${step}`)] });
      states.push((await server.rows("a")) ?? []);
      await server.write("a", { deletes: [deleted] });
      states.push((await server.rows("a")) ?? []);
    }
    if (random.below(2) === 0) await server.call("delete_namespace", "a");
  })();
  const indexing = (async () => {
    const indexer = server.indexer();
    while (!isOver) {
      await indexer.pass();
      if (random.below(4) === 0) await server.follow();
    }
  })();
  const made = new Map<string, Row[]>();
  let last = "a";
  for (const name of ["b", "c", "d", "e", "f"]) {
    await clock.sleep(random.below(24));
    const kind = random.below(2) === 0 ? "copy" : "branch";
    const { status, json } = await server.call("write", name, { [`${kind}_from_namespace`]: last });
    const where = `seed ${seed}, ${name} of ${last}: ${JSON.stringify(json)}`;
    expect([200, 404], where).toContain(status);
    if (status !== 200) continue;
    const rows = (await server.rows(name)) ?? [];
    expect(last === "a" ? states : [made.get(last)], where).toContainEqual(rows);
    made.set(name, rows);
    if (random.below(3) === 0) last = random.below(2) === 0 ? name : "a";
  }
  await writing;
  isOver = true;
  await indexing;
  await server.close();
  await checkAll(inner, made, seed);
}

async function checkAll(
  store: MemoryObjectStore,
  made: ReadonlyMap<string, Row[]>,
  seed: number,
): Promise<void> {
  await collect(store);
  const server = await open(store);
  for (const [name, rows] of made) {
    expect(await server.rows(name), `seed ${seed}, ${name}`).toEqual(rows);
  }
  for (const name of ["a", ...made.keys()]) await server.call("delete_namespace", name);
  await server.close();
  await collect(store);
  expect(await keysOf(store), `seed ${seed}`).toEqual([]);
}
