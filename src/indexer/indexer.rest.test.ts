/** What becomes of segments once nothing is written for a while. */

import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { EngineFixture, type FixtureOptions } from "../../test/support/engine/engine-fixture.ts";
import { keysOf, row } from "../../test/support/engine/sharing-server.ts";
import { HookedObjectStore } from "../../test/support/stores/hooked-object-store.ts";
import type { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError } from "../base/errors.ts";
import { namespaceName } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import { INDEX_POLL_MS } from "./idle-pace.ts";

const upsert = (...ids: number[]) => ({ upsert_rows: ids.map((id) => row(id)) });
const longText = (id: number, text: string) => ({
  upsert_rows: [{ id, text }],
  schema: { text: { type: "string", filterable: false } },
});
const at = (name: string) => ({ name: namespaceName(name), generation: 1 });
const thresholds = { indexTailEntries: 1 };
const segmentCount = async (store: MemoryObjectStore, name = "n") =>
  (await keysOf(store, `/${name}-table/`)).filter((key) => key.includes("/segments/")).length;

/** So many segments of a namespace, the last of which was just written. */
async function filled(count: number, options: Partial<FixtureOptions> = {}) {
  const store = new HookedObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock, thresholds, ...options });
  const indexer = server.indexer({ graceMs: 1 });
  const index = async (name: string, body: object) => {
    await server.write(name, body);
    await indexer.pass();
    await clock.sleep(INDEX_POLL_MS);
    await server.catalog.followAll();
    await server.catalog.settle();
  };
  for (let round = 0; round < count; round++) await index("n", upsert(round));
  const passes = async (ms: number) => {
    for (let at = 0; at < ms; at += INDEX_POLL_MS) {
      await indexer.pass();
      await clock.sleep(INDEX_POLL_MS);
    }
  };
  return { store, clock, server, indexer, index, passes };
}

test("segments that rest are merged into one once nothing is written for a while", async () => {
  const { store, server, indexer, passes } = await filled(5);
  expect(await segmentCount(store)).toBe(5);
  await passes(4000);
  expect(await segmentCount(store)).toBe(1);
  let calls = 0;
  store.before = async () => void calls++;
  await indexer.pass();
  expect(calls, "reads of a namespace that rests").toBe(1); // The hints.
  expect(indexer.knownCount).toBe(0);
  await server.follow();
  const { json } = await server.call("query", "n", { rank_by: ["id", "asc"], limit: 10 });
  expect(json.rows?.map((found: { id: number }) => found.id)).toEqual([0, 1, 2, 3, 4]);
  await server.close();
});

test("segments that rest are merged also by an indexer that starts later", async () => {
  const { store, clock, server, indexer } = await filled(5);
  const logged = async () => (await keysOf(store, "/n-table/")).filter((k) => k.includes("/wal/"));
  // A log would be a reason of its own to look at the namespace.
  while ((await logged()).length > 0) {
    await clock.sleep(2);
    await indexer.pass();
  }
  expect(await segmentCount(store)).toBe(5);
  const later = server.indexer({ graceMs: 1 });
  for (let at = 0; at < 4000; at += INDEX_POLL_MS) {
    await later.pass();
    await clock.sleep(INDEX_POLL_MS);
  }
  expect(await segmentCount(store)).toBe(1);
  expect(later.knownCount).toBe(0);
  await server.close();
});

test.each([
  ["unavailable", 45_000],
  ["overloaded", 20_000],
] as const)("segments that rest are merged later where it fails at first: %s", async (code, ms) => {
  const { store, clock, server, indexer, passes } = await filled(5);
  const endMs = clock.monotonicMs() + ms;
  let failed = 0;
  store.before = async (key, kind) => {
    if (clock.monotonicMs() >= endMs || !key.includes("/segments/") || kind === "list") return;
    failed++;
    throw new DatabaseError(code, "not now");
  };
  await passes(ms - 5_000);
  expect(failed).toBeGreaterThan(0);
  expect(failed).toBeLessThan(ms / 1000);
  expect(await segmentCount(store)).toBe(5);
  await passes(90_000);
  expect(await segmentCount(store)).toBe(1);
  expect(indexer.knownCount).toBe(0);
  const messages = server.logs.map(({ message }) => message);
  expect(messages).not.toContain("cannot index a namespace now");
  expect(messages, "as where memory is short").not.toContain("cannot compact a namespace now");
  await server.close();
});

test("segments that rest are left alone where one is damaged", async () => {
  const { store, server, indexer, passes } = await filled(5);
  const [damaged] = (await keysOf(store, "/segments/")) as ObjectKey[];
  let reads = 0;
  const refuse = (key: ObjectKey) => {
    if (key !== damaged) return;
    reads++;
    throw new DatabaseError("corrupt", `${key} is damaged`);
  };
  const { get, getRange } = HookedObjectStore.prototype;
  store.get = async (key) => refuse(key) ?? get.call(store, key);
  store.getRange = async (key, start, end) => refuse(key) ?? getRange.call(store, key, start, end);
  await passes(40_000);
  const tried = reads;
  expect(tried).toBeGreaterThan(0);
  await passes(120_000);
  expect(reads).toBe(tried);
  expect(await segmentCount(store)).toBe(5);
  expect(indexer.knownCount).toBe(0);
  expect(server.logs.map(({ message }) => message)).toContain("cannot merge a namespace now");
  await server.close();
});

test("segments that rest are merged later where another indexer came first", async () => {
  const { store, server, passes } = await filled(5);
  let isDone = false;
  store.before = async (key, kind) => {
    if (isDone || kind !== "put" || !key.includes("/segments/")) return;
    isDone = true;
    await server.write("n", upsert(9));
    await server.indexer({ graceMs: 1 }).indexAll(at("n"));
  };
  await passes(10_000);
  expect(isDone).toBe(true);
  expect(await segmentCount(store)).toBe(1);
  await server.close();
});

test("segments that rest are merged as far as memory goes", async () => {
  const memory = { indexerMemoryBytes: 4 * MIB };
  const { store, server, index, passes } = await filled(0, memory);
  for (let id = 0; id < 5; id++) {
    await index("n", longText(id, "x".repeat(1e6)));
  }
  await passes(200_000);
  expect(await segmentCount(store)).toBeLessThan(5);
  await server.close();
});

test("segments that rest keep the hints of others waiting for one merge alone", async () => {
  const { store, clock, server, index, passes } = await filled(0);
  // Three fit into one segment, so that there are two merges.
  for (let id = 0; id < 7; id++) {
    const text = Buffer.from(seededRandom(id).bytes(225_000)).toString("base64");
    await index("n", longText(id, text));
  }
  let isTold = false;
  store.before = async (key, kind) => {
    if (isTold || kind !== "put" || !key.includes("/n-table/")) return;
    isTold = true;
    await server.write("other", upsert(1));
    await clock.sleep(INDEX_POLL_MS);
    await server.catalog.followAll();
    await server.catalog.settle();
  };
  await passes(20_000);
  const told = server.logs.flatMap(({ message, facts }) =>
    ["indexed", "compacted"].includes(message) ? [`${message} ${String(facts.namespace)}`] : [],
  );
  expect(told.slice(7)).toEqual(["compacted n", "indexed other", "compacted n"]);
  await server.close();
});

test("segments that rest stay shared by a branch that is written to a little", async () => {
  const { store, server, index, passes } = await filled(5);
  const branched = await server.write("m", { branch_from_namespace: "n" });
  expect(branched.status).toBe(200);
  await index("m", upsert(7));
  await passes(10_000);
  expect(await segmentCount(store, "n")).toBe(6); // The branch pins those that were merged.
  expect(await segmentCount(store, "m")).toBe(1);
  await server.close();
});

test("segments rest from the last write on, whichever indexer has indexed it", async () => {
  const { store, clock, server, indexer } = await filled(2);
  const other = server.indexer({ graceMs: 1 });
  for (let round = 0; round < 8; round++) {
    await server.write("n", upsert(20 + round));
    await other.pass();
    await indexer.pass();
    await clock.sleep(INDEX_POLL_MS);
    await server.catalog.followAll();
    await server.catalog.settle();
  }
  const merged = server.logs.filter(({ message }) => message === "compacted");
  // Eight of them fill a tier.
  expect(merged.map(({ facts }) => facts.segments)).toEqual([8]);
  expect(await segmentCount(store)).toBeGreaterThan(1);
  await server.close();
});
