/** Branches that nobody writes to keep what they share, and nothing else (I12). */

import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { keysOf, row, rowsUpTo } from "../../test/support/engine/sharing-server.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { reachableFrom } from "../../test/support/stores/reachable.ts";
import { namespaceName } from "../base/ids.ts";
import { ALWAYS, type ObjectKey } from "../storage/object-store.ts";

const GRACE_MS = 1000;
const at = (name: string) => ({ name: namespaceName(name), generation: 1 });
const again = (round: number) => rowsUpTo(10).map(({ id }) => row(id, `round ${round}`));

async function owner() {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock, thresholds: { indexTailEntries: 4 } });
  const indexer = server.indexer({ graceMs: GRACE_MS });
  const rewrite = async (round: number) => {
    for (let part = 0; part < 4; part++) await server.write("a", { upsert_rows: again(round) });
    await indexer.pass();
    await server.follow();
    await clock.sleep(GRACE_MS);
  };
  return { store, clock, server, indexer, rewrite };
}

test("what the source rewrites goes, though the branch is not worth indexing", async () => {
  const { store, clock, server, indexer, rewrite } = await owner();
  await rewrite(0);
  await server.write("b", { branch_from_namespace: "a" });
  for (let round = 1; round < 8; round++) await rewrite(round);
  for (let pass = 0; pass < 4; pass++) {
    await indexer.pass();
    await clock.sleep(GRACE_MS);
  }
  const reached = new Set([
    ...(await reachableFrom(store, at("a"))),
    ...(await reachableFrom(store, at("b"))),
  ]);
  const segments = await keysOf(store, "/segments/");
  expect(segments.filter((key) => !reached.has(key))).toEqual([]);
  expect(await server.rows("b")).toEqual(again(0));
  expect(await server.rows("a")).toEqual(again(7));
  await server.close();
});

test("branches that come all the time keep no garbage of before", async () => {
  const { store, server, rewrite } = await owner();
  await rewrite(0);
  for (let round = 1; round < 12; round++) {
    const name = `b${round}`;
    await server.write(name, { branch_from_namespace: "a" });
    if (round > 1) await server.call("delete_namespace", `b${round - 1}`);
    await rewrite(round);
  }
  // Those of the last rounds wait for their grace.
  expect((await keysOf(store, "/a-table/0000000001/segments/")).length).toBeLessThan(10);
  expect((await keysOf(store, "/pins/")).length).toBeLessThan(6);
  await server.close();
});

test("a branch that is damaged keeps segments, and nothing else of its source", async () => {
  const { store, server, rewrite } = await owner();
  await rewrite(0);
  await server.write("b", { branch_from_namespace: "a" });
  for (let part = 0; part < 4; part++) await server.write("b", { upsert_rows: [row(90 + part)] });
  await rewrite(1);
  const [manifest] = (await keysOf(store, "/b-table/0000000001/manifest/")).slice(-1);
  await store.put(manifest as ObjectKey, Uint8Array.of(1, 2, 3), ALWAYS);
  for (let round = 2; round < 8; round++) await rewrite(round);
  expect((await keysOf(store, "/a-table/0000000001/wal/")).length).toBeLessThan(10);
  expect((await keysOf(store, "/a-table/0000000001/manifest/")).length).toBeLessThan(4);
  expect(await server.rows("a")).toEqual(again(7));
  await server.close();
});
