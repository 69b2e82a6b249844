/** The life of an opening of a namespace: its states follow each other, and none comes back. */

import { expect, test } from "vitest";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { HookedObjectStore } from "../../test/support/stores/hooked-object-store.ts";
import { namespaceName } from "../base/ids.ts";
import { announceDeletion } from "../namespace/generations/namespace-generations.ts";

const NAME = namespaceName("n");
const upsert = { upsert_rows: [{ id: 1 }] };

test("an opening serves, retires while it has readers, and is gone after the last", async () => {
  const server = await EngineFixture.open();
  await server.write("n", upsert);
  const namespace = await server.catalog.get(NAME);
  expect(namespace.life).toBe("serving");
  const retained = namespace.retain();
  namespace.retire("idle");
  expect(namespace.life).toBe("retired");
  retained.release();
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(namespace.life).toBe("gone");
  expect((await server.catalog.get(NAME)).instance).not.toBe(namespace.instance);
  await server.close();
});

test("states do not come back, and memory with readers is not discarded", async () => {
  const server = await EngineFixture.open();
  await server.write("n", upsert);
  const namespace = await server.catalog.get(NAME);
  expect(() => namespace.serve()).toThrow("is serving");
  expect(() => namespace.discard()).toThrow("has readers");
  expect(namespace.life).toBe("serving");
  namespace.retire("idle");
  expect(() => namespace.serve()).toThrow(/is (retired|gone)/);
  expect(() => namespace.retain()).toThrow("nothing to retain");
  expect(await server.rows("n")).toEqual(upsert.upsert_rows);
  await server.close();
});

test("a name that nobody has written to is open only while it is worked with", async () => {
  const server = await EngineFixture.open();
  await server.catalog.with(NAME, async (namespace) => {
    expect([namespace.life, namespace.exists]).toEqual(["serving", false]);
    // Another caller that finds nothing leaves the instance alone.
    expect(await server.catalog.find(NAME)).toBeUndefined();
    expect([namespace.life, server.catalog.openCount]).toEqual(["serving", 1]);
  });
  expect([server.catalog.openCount, server.catalog.instanceCount]).toEqual([0, 0]);
  await server.close();
});

test("an opening that is not served publishes nothing of what another server commits", async () => {
  const store = new HookedObjectStore();
  const other = await EngineFixture.open({ store, isShared: true });
  // A copy into the name was interrupted: the next start ends it, unless the namespace exists.
  await announceDeletion(store, { name: NAME, generation: 1 });
  store.before = async (key, kind) => {
    if (kind !== "put" || !key.includes("/wal/")) return;
    store.before = undefined;
    await other.write("n", upsert);
  };
  const server = await EngineFixture.open({ store, isShared: true });
  expect(store.before).toBeUndefined();
  const query = { rank_by: ["id", "asc"], limit: 10, consistency: { level: "eventual" } };
  expect((await server.call("query", "n", query)).json.rows).toEqual(upsert.upsert_rows);
  // The query has opened the namespace: it knows nothing of the instance that is over.
  expect(server.catalog.openCount).toBe(1);
  await server.close();
  await other.close();
});
