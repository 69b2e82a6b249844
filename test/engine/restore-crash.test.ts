/** A server that ends at any call to the store while it restores: all of the namespace is there, or nothing. */

import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { effort } from "../support/effort.ts";
import { must, restore, type TakenBackup, takeBackup } from "../support/engine/backup-client.ts";
import { EngineFixture, type Row } from "../support/engine/engine-fixture.ts";
import { collect, row, rowsUpTo } from "../support/engine/sharing-server.ts";
import { FaultyObjectStore } from "../support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const NO_FAULTS = { before: 0, after: 0, delayMsMax: 0 };
/** Of so many calls one is the last. */
const STRIDE = effort({ usual: 19, full: 1 });

async function backedUp(): Promise<{ backup: TakenBackup; rows: Row[] | undefined }> {
  const server = await EngineFixture.open({ store: new MemoryObjectStore() });
  await server.write("n", { upsert_rows: rowsUpTo(20) });
  await server.indexAll();
  await server.write("n", { deletes: [1], upsert_rows: [row(50)] });
  await server.indexAll();
  await server.write("n", { deletes: [2], upsert_rows: [row(51)] });
  const backup = await takeBackup(server, "n");
  const rows = await server.rows("n");
  await server.close();
  return { backup, rows };
}

/** Restores on a server that ends at a call; returns how many calls there were. */
async function restoreUntil(
  inner: MemoryObjectStore,
  backup: TakenBackup,
  point: { readonly call: number; readonly when: "before" | "after" } | undefined,
): Promise<number> {
  const random = seededRandom(1);
  const clock = new InstantClock();
  const store = new FaultyObjectStore({ store: inner, random, clock, rates: NO_FAULTS });
  if (point !== undefined) store.crashAt(point);
  try {
    const server = await EngineFixture.open({ store });
    await restore(server, backup, "n");
    await server.catalog.settle();
  } catch {
    // The process is gone, in the middle of whatever it did.
  }
  return store.calls;
}

test.each(["before", "after"] as const)("the last call ends %s its effect", async (when) => {
  const { backup, rows } = await backedUp();
  const calls = await restoreUntil(new MemoryObjectStore(), backup, undefined);
  expect(calls).toBeGreaterThan(50);
  let absent = 0;
  for (let call = 1; call <= calls; call += STRIDE) {
    const store = new MemoryObjectStore();
    await restoreUntil(store, backup, { call, when });
    const next = await EngineFixture.open({ store });
    const found = await next.rows("n");
    if (found === undefined) {
      absent++;
      expect((await restore(next, backup, "n")).json, `call ${call}`).toEqual({ documents: 20 });
    }
    expect(await next.rows("n"), `call ${call}`).toEqual(rows);
    await next.indexAll();
    expect(await next.rows("n"), `call ${call}`).toEqual(rows);
    await must(next, "delete_namespace", { namespace: "n" });
    await next.catalog.settle();
    await next.close();
    await collect(store);
    const { keys } = await store.list({ prefix: "namespaces/", limit: 100 });
    expect(keys, `call ${call}`).toEqual([]);
  }
  expect(absent).toBeGreaterThan(effort({ usual: 1, full: 3 }));
});
