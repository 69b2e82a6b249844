/** What happens to a namespace while another server reads it for longer than garbage is kept. */

import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { HookedObjectStore } from "../../test/support/stores/hooked-object-store.ts";

const LONG_MS = 400_000;

test("a server that opened slowly wins no number of the log that was collected since", async () => {
  const store = new HookedObjectStore();
  const clock = new InstantClock();
  const first = await EngineFixture.open({ store, clock, isShared: true });
  const write = (server: EngineFixture, id: number) =>
    server.call("write", "n", { upsert_rows: [{ id, n: id }] });
  await write(first, 1);
  const second = await EngineFixture.open({ store, clock, isShared: true });
  store.afterRange = async (key) => {
    if (!key.endsWith("/wal/00000000000000000001")) return;
    store.afterRange = undefined;
    for (const id of [2, 3]) await write(first, id);
    await first.indexAll();
    await clock.sleep(LONG_MS);
    await first.indexAll();
  };
  const answer = await write(second, 4);
  expect(store.afterRange).toBeUndefined();
  const ids = async (server: EngineFixture) => {
    const { json } = await server.call("query", "n", { rank_by: ["id", "asc"], limit: 10 });
    return json.rows.map(({ id }: { id: number }) => id);
  };
  // Whatever the client was told, both servers and a new one agree on it.
  const isThere = answer.status === 200 ? [4] : [];
  const third = await EngineFixture.open({ store, clock, isShared: true });
  for (const server of [first, second, third]) {
    expect(await ids(server)).toEqual([1, 2, 3, ...isThere]);
  }
  for (const server of [first, second, third]) await server.close();
});
