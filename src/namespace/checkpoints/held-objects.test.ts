import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { must } from "../../../test/support/engine/backup-client.ts";
import { EngineFixture } from "../../../test/support/engine/engine-fixture.ts";
import { rowsUpTo } from "../../../test/support/engine/sharing-server.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { namespaceName } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import { CountingObjectStore } from "../../storage/counting-object-store.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { findHeld, type KeptManifests } from "./held-objects.ts";

const OF = { name: namespaceName("n"), generation: 1 };

async function withCheckpoints() {
  const inner = new MemoryObjectStore();
  const engine = await EngineFixture.open({ store: inner });
  for (const name of ["first", "second"]) {
    await engine.write("n", { upsert_rows: rowsUpTo(10) });
    await engine.indexAll();
    await engine.write("n", { deletes: [1] });
    await must(engine, "create_checkpoint", { namespace: "n", body: { name } });
  }
  await engine.indexAll();
  await engine.close();
  const store = new CountingObjectStore(inner);
  const random = seededRandom(1);
  const options = { clock: new InstantClock(), random, store, storeFor: () => store };
  const { keys } = await inner.list({ prefix: "namespaces/", limit: 1000 });
  return { inner, store, options, keys };
}

test("a manifest that is kept is read once", async () => {
  const { store, options, keys } = await withCheckpoints();
  const kept: KeptManifests = new Map();
  const held = await findHeld(options, OF, kept);
  expect(kept.size).toBe(2);
  const before = store.counts();
  const again = await findHeld(options, OF, kept);
  expect(store.counts().bytesRead).toBe(before.bytesRead);
  const heldKeys = keys.filter((key) => held.holds(key));
  expect(heldKeys.length).toBeGreaterThan(5);
  expect(keys.filter((key) => again.holds(key))).toEqual(heldKeys);
  expect(heldKeys.length).toBeLessThan(keys.length);
});

test("what cannot be read keeps everything, what is missing nothing", async () => {
  const { inner, options, keys } = await withCheckpoints();
  const manifests = keys.filter((key) => key.includes("/manifest/")).sort();
  const [first] = manifests;
  const whole = (await inner.get(first)) as Uint8Array;
  await inner.put(first, whole.subarray(0, 40), { kind: "always" });
  const damaged = await findHeld(options, OF);
  expect(keys.every((key) => damaged.holds(key))).toBe(true);
  expect(damaged.idsOf(OF)).toBe(undefined);
  await inner.delete(first);
  const lost = await findHeld(options, OF);
  expect(lost.checkpoints).toHaveLength(2);
  expect(lost.holds(first as ObjectKey)).toBe(false);
  expect(lost.idsOf(OF)).toEqual([]);
});
