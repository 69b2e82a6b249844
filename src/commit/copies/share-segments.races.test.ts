/** Copies and branches while others index, collect and delete at the same time (I11, I12). */

import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { effort } from "../../../test/support/effort.ts";
import { EngineFixture, type Row } from "../../../test/support/engine/engine-fixture.ts";
import {
  collect,
  INDEX_AT_ONCE,
  keysOf,
  open,
  row,
  rowsUpTo,
} from "../../../test/support/engine/sharing-server.ts";
import { testSeed } from "../../../test/support/random/seed.ts";
import { FaultyObjectStore } from "../../../test/support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import type { Clock } from "../../base/clock.ts";
import { seededRandom } from "../../base/random.ts";

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

test("branches stay as they were while sources are written, indexed and deleted", async () => {
  const seed = testSeed();
  const rounds = effort({ usual: 8, full: 25 });
  for (let round = 0; round < rounds; round++) await raceOnce(seed + round);
}, 120_000);

async function raceOnce(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const inner = new MemoryObjectStore();
  const clock = new TurnClock();
  const rates = { before: 0, after: 0, delayMsMax: 2 + random.below(20) };
  const store = new FaultyObjectStore({ store: inner, random, clock, rates });
  const server = await EngineFixture.open({ store, clock, thresholds: INDEX_AT_ONCE });
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
