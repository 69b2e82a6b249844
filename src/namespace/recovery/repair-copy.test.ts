import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { EngineFixture } from "../../../test/support/engine/engine-fixture.ts";
import {
  type CrashPoint,
  FaultyObjectStore,
} from "../../../test/support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { namespaceName, sequenceNumber } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import { walKey } from "../../storage/object-keys.ts";
import { cutLog, repairCopy } from "./repair-copy.ts";

const AT = { name: namespaceName("n"), generation: 1 };
const upsert = (...ids: number[]) => ({ upsert_rows: ids.map((id) => ({ id })) });

test("what comes after a gap was written while the copy was made", () => {
  expect(cutLog([1, 2, 3], 0)).toBeUndefined();
  expect(cutLog([1, 2, 4, 6], 0)).toEqual({ last: 2, dropped: [4, 6] });
  expect(cutLog([4, 5, 6, 8], 5)).toEqual({ last: 6, dropped: [8] });
  expect(cutLog([4, 5, 7], 5)).toEqual({ last: 5, dropped: [7] });
  expect(cutLog([4, 5], 9)).toBeUndefined();
});

test("a gap before which nothing is left is damage", () => {
  expect(cutLog([2, 3], 0)).toBeUndefined();
  expect(cutLog([7, 8], 5)).toBeUndefined();
});

const keysOf = async (store: MemoryObjectStore) =>
  (await store.list({ prefix: "", limit: 1000 })).keys;

function dyingStore(store: MemoryObjectStore, crash: CrashPoint): FaultyObjectStore {
  const rates = { before: 0, after: 0, delayMsMax: 0 };
  const clock = new InstantClock();
  const dying = new FaultyObjectStore({ store, random: seededRandom(1), clock, rates });
  dying.crashAt(crash);
  return dying;
}

async function copyOf(store: MemoryObjectStore, lost: (key: string) => boolean) {
  const copy = new MemoryObjectStore();
  for (const key of (await keysOf(store)).filter((one) => !lost(one)))
    await copy.put(key, (await store.get(key)) ?? new Uint8Array(0), { kind: "always" });
  return copy;
}

test("a copy whose newest manifest lacks its segments has the one before", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", upsert(1, 2));
  const indexer = engine.indexer({ graceMs: 300_000 });
  await indexer.indexAll(AT);
  const before = new Set(await keysOf(store));
  await engine.write("n", upsert(3));
  await engine.write("n", { deletes: [1] });
  await indexer.indexAll(AT);
  const copy = await copyOf(
    store,
    (key) => key.includes("/segments/") && !before.has(key as never),
  );
  const warnings: string[] = [];
  const log = (_level: string, message: string) => void warnings.push(message);
  expect((await (await EngineFixture.open({ store: copy })).call("query", "n", ALL)).status).toBe(
    500,
  );
  await repairCopy({ store: copy, log });
  expect(warnings.length).toBeGreaterThan(0);
  for (const warning of warnings) expect(warning).toMatch(/a manifest of a copied directory/);
  const opened = await EngineFixture.open({ store: copy });
  expect((await opened.rows("n"))?.map(({ id }) => id)).toEqual([2, 3]);
  await opened.write("n", upsert(4));
  await opened.indexAll();
  expect((await opened.rows("n"))?.map(({ id }) => id)).toEqual([2, 3, 4]);
});

test("a copy whose log has a gap ends before it, and goes on from there", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  for (let id = 1; id <= 6; id++) await engine.write("n", upsert(id));
  const copy = await copyOf(store, (key) => key === walKey(AT, sequenceNumber(5)));
  const warnings: unknown[] = [];
  await repairCopy({ store: copy, log: (_level, _message, facts) => void warnings.push(facts) });
  expect(warnings).toEqual([{ namespace: "n", lastEntry: 4, dropped: 1 }]);
  const opened = await EngineFixture.open({ store: copy });
  expect((await opened.rows("n"))?.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  await opened.write("n", upsert(7));
  expect((await opened.rows("n"))?.map(({ id }) => id)).toEqual([1, 2, 3, 4, 7]);
});

test("a repair that ends at any call goes on where it ended", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", upsert(1, 2));
  const indexer = engine.indexer({ graceMs: 300_000 });
  await indexer.indexAll(AT);
  const before = new Set(await keysOf(store));
  for (let id = 3; id <= 8; id++) {
    await engine.write("n", upsert(id));
    if (id < 6) await indexer.indexAll(AT);
  }
  // Manifests without their segments, and two entries behind a gap.
  const lost = (key: string) =>
    key === walKey(AT, sequenceNumber(5)) ||
    (key.includes("/segments/") && !before.has(key as never));
  const log = () => {};
  const whole = await copyOf(store, lost);
  await repairCopy({ store: whole, log });
  const repaired = await keysOf(whole);
  expect(repaired.length).toBeLessThan((await keysOf(await copyOf(store, lost))).length - 3);
  let hasEnded = true;
  for (let call = 1; hasEnded; call++) {
    for (const when of ["before", "after"] as const) {
      const copy = await copyOf(store, lost);
      const dying = dyingStore(copy, { call, when });
      hasEnded = await repairCopy({ store: dying, log }).then(
        () => false,
        () => true,
      );
      if (hasEnded) await repairCopy({ store: copy, log });
      expect(await keysOf(copy), `call ${call}, ${when} its effect`).toEqual(repaired);
    }
  }
  const opened = await EngineFixture.open({ store: whole });
  expect((await opened.rows("n"))?.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
});

test("damage is left as it is, and refused", async () => {
  const store = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", upsert(1));
  await engine.write("n", upsert(2));
  const copy = await copyOf(store, (key) => key === walKey(AT, sequenceNumber(1)));
  const before = await keysOf(copy);
  await repairCopy({ store: copy, log: () => expect.unreachable() });
  expect(await keysOf(copy)).toEqual(before);
  const opened = await EngineFixture.open({ store: copy });
  expect((await opened.call("query", "n", ALL)).status).toBe(500);
});

const ALL = { rank_by: ["id", "asc"], limit: 10 };
