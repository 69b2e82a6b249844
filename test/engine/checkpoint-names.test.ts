/** Two servers over one store that make a checkpoint of the same name at the same time. */

import { expect, test } from "vitest";
import { DatabaseError } from "../../src/base/errors.ts";
import { namespaceName } from "../../src/base/ids.ts";
import { checkpointClaimKey } from "../../src/storage/object-keys.ts";
import { IF_ABSENT } from "../../src/storage/object-store.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { rowsUpTo } from "../support/engine/sharing-server.ts";
import { HookedObjectStore } from "../support/stores/hooked-object-store.ts";

async function twoServers() {
  const store = new HookedObjectStore();
  const first = await EngineFixture.open({ store });
  await first.write("n", { upsert_rows: rowsUpTo(3) });
  const second = await EngineFixture.open({ store });
  const create = (engine: EngineFixture, name: string) =>
    engine.call("create_checkpoint", "n", { name });
  return { store, first, second, create };
}

async function keysBelow(store: HookedObjectStore, prefix: string): Promise<readonly string[]> {
  return (await store.list({ prefix, limit: 1000 })).keys;
}
const claims = (store: HookedObjectStore) => keysBelow(store, "checkpoints/n-table/names/");
const checkpoints = (store: HookedObjectStore) => keysBelow(store, "checkpoints/n-table/0");

test("one of two that go on in step makes it, the other one hears of the conflict", async () => {
  const { store, first, second, create } = await twoServers();
  for (let i = 0; i < 10; i++) {
    const answers = await Promise.all([create(first, `c${i}`), create(second, `c${i}`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const lost = answers.find(({ status }) => status === 409);
    expect(lost?.json.error).toContain(`has a checkpoint 'c${i}': delete it, or take another name`);
    expect(await checkpoints(store)).toHaveLength(i + 1);
    expect(await claims(store)).toEqual([]);
  }
  await first.close();
  await second.close();
});

test.each(["before", "after"] as const)(
  "one that makes it %s any request of the other leaves one of both",
  async (moment) => {
    const { store, first, second, create } = await twoServers();
    let requests = 0;
    for (let isOver = false; !isOver; requests++) {
      const name = `c${requests}`;
      let left = requests;
      let other: ReturnType<typeof create> | undefined;
      store[moment] = async () => {
        if (left-- !== 0) return;
        other = create(second, name);
        await other;
      };
      const one = await create(first, name);
      store[moment] = undefined;
      isOver = other === undefined;
      const statuses = [one.status, (await (other ?? create(second, name))).status];
      expect(statuses.sort(), `at request ${requests}`).toEqual([200, 409]);
      expect(await checkpoints(store)).toHaveLength(requests + 1);
      expect(await claims(store)).toEqual([]);
    }
    expect(requests).toBeGreaterThan(moment === "before" ? 6 : 2);
    await first.close();
    await second.close();
  },
);

test.each(["before", "after"] as const)(
  "is made once where the store fails %s any put",
  async (moment) => {
    const { store, first, second, create } = await twoServers();
    let puts = 0;
    for (let isOver = false; !isOver; puts++) {
      let left = puts;
      isOver = true;
      store[moment] = async (key, kind) => {
        if (kind !== "put" || !key.startsWith("checkpoints/") || left-- !== 0) return;
        isOver = false;
        throw new DatabaseError("unavailable", "the answer was lost");
      };
      expect((await create(first, `c${puts}`)).status, `at put ${puts}`).toBe(200);
      store[moment] = undefined;
      expect(await checkpoints(store)).toHaveLength(puts + 1);
      expect(await claims(store)).toEqual([]);
    }
    expect(puts).toBe(3);
    await first.close();
    await second.close();
  },
);

test("a claim whose server is gone is waited for, and then passed over", async () => {
  const { store, first, second, create } = await twoServers();
  const claim = checkpointClaimKey(namespaceName("n"), "c", 7);
  await store.put(claim, new Uint8Array(0), IF_ABSENT);
  expect((await create(second, "c")).status).toBe(200);
  expect(await checkpoints(store)).toHaveLength(1);
  expect(await claims(store)).toEqual([]);
  await first.close();
  await second.close();
});
