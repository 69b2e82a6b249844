/** Instances that are retired while something is under way: nobody waits for ever, all memory goes. */

import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { row, rowsUpTo } from "../../test/support/engine/sharing-server.ts";
import { HookedObjectStore } from "../../test/support/stores/hooked-object-store.ts";
import { namespaceName } from "../base/ids.ts";
import { oneStep } from "../base/steps.ts";
import type { CommitJob } from "./commit-job.ts";

async function turns(count = 40): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test.each([false, true])(
  "what is committed while its instance is retired is there, and its memory is given back",
  async (isShared) => {
    const store = new HookedObjectStore();
    const server = await EngineFixture.open({ store, isShared });
    const other = await EngineFixture.open({ store, isShared });
    const expected = [...rowsUpTo(10)];
    await server.write("n", { upsert_rows: expected });
    for (let round = 0; round < effort({ usual: 3, full: 6 }); round++) {
      expect(await server.rows("n")).toEqual(expected);
      store.after = async (key, kind) => {
        if (kind !== "put" || !key.includes("/wal/")) return;
        store.after = undefined;
        await other.indexAll();
        // Alone, a server does not expect that a manifest covers more than it has acknowledged.
        if (!isShared) await server.catalog.followAll();
        else (await server.catalog.get(namespaceName("n"))).retire("collected");
      };
      expected.push(row(100 + round));
      const rows = [row(100 + round)];
      const answers = await Promise.all([
        server.call("write", "n", { upsert_rows: rows }),
        server.call("write", "n", { upsert_rows: rows }),
        server.rows("n"),
      ]);
      expect(answers.slice(0, 2).map((answer) => Reflect.get(answer ?? {}, "status"))).toEqual([
        200, 200,
      ]);
      expect(await server.rows("n")).toEqual(expected);
    }
    await server.call("delete_namespace", "n");
    await server.catalog.settle();
    await turns();
    expect(server.catalog.instanceCount).toBe(0);
    expect(server.arenas.usedBytes).toBe(0);
    await server.close();
    await other.close();
  },
);

/** Step between the tested moments of retirement, in microtasks: 1 tests every moment. */
const TICKS_APART = effort({ usual: 4, full: 1 });

/** Waits for `count` turns of the microtask queue. */
async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await undefined;
}

test("an instance that is retired while it takes over a manifest is given back", async () => {
  const name = namespaceName("n");
  for (let count = 0; count < 30; count += TICKS_APART) {
    const store = new HookedObjectStore();
    const server = await EngineFixture.open({ store });
    const other = await EngineFixture.open({ store });
    await server.write("n", { upsert_rows: rowsUpTo(10) });
    await server.rows("n");
    await other.indexAll();
    const namespace = await server.catalog.get(name);
    await namespace.follow(true);
    await ticks(count);
    namespace.retire("idle");
    await server.catalog.settle();
    await turns();
    expect(server.catalog.instanceCount, `${count} ticks`).toBe(0);
    expect(server.arenas.usedBytes, `${count} ticks`).toBe(0);
    await server.close();
    await other.close();
  }
});

test("a job is done or taken again, whenever its instance is retired", async () => {
  const name = namespaceName("n");
  for (let count = 0; count < 60; count += TICKS_APART) {
    const server = await EngineFixture.open();
    await server.write("n", { upsert_rows: rowsUpTo(2) });
    const namespace = await server.catalog.get(name);
    let isReleased = false;
    const job: CommitJob<string> = {
      bytes: 10,
      alone: false,
      release: () => {
        isReleased = true;
      },
      *bind({ schema }) {
        yield;
        if (isReleased) throw new Error("bound after its release");
        return {
          conflictsWith: () => oneStep(() => false),
          *resolve() {
            yield;
            return { batch: [{ kind: "schema", schema }], result: () => "done" };
          },
        };
      },
    };
    const submitted = server.catalog.submit(name, job);
    await ticks(count);
    namespace.retire("idle");
    await expect(submitted, `${count} ticks`).resolves.toBe("done");
    await server.close();
  }
});

test("a write is acknowledged whose instance is retired while it builds an index", async () => {
  for (let pause = 1, ended = false; !ended; pause += TICKS_APART) {
    let left = 0;
    let retire = () => {};
    const turn = (resolve: () => void) => {
      if (left > 0 && --left === 0) retire();
      setImmediate(resolve);
    };
    const server = await EngineFixture.open({ endsSlice: () => true, turn });
    await server.write("n", { upsert_rows: rowsUpTo(5) });
    const namespace = await server.catalog.get(namespaceName("n"));
    retire = () => namespace.retire("uncertain");
    left = pause;
    const answer = await server.call("write", "n", {
      schema: { text: { type: "string", full_text_search: true } },
      upsert_rows: [row(5)],
    });
    expect(Reflect.get(answer ?? {}, "status"), `pause ${pause}: ${answer}`).toBe(200);
    // Of later pauses there are none during the write.
    ended = left > 0;
    left = 0;
    expect(await server.rows("n"), `pause ${pause}`).toEqual(rowsUpTo(6));
    await server.close();
  }
});

test("a long reader keeps no more in memory than what it reads", async () => {
  const server = await EngineFixture.open();
  const fill = async (name: string, count: number, from = 0) => {
    for (let id = from; id < from + count; id++) {
      await server.write(name, { upsert_rows: [row(id, "x".repeat(2000))] });
      await server.rows(name);
    }
  };
  await fill("n", 20);
  const retained = (await server.catalog.get(namespaceName("n"))).retain();
  await fill("n", 120, 20);
  await turns();
  const whileHeld = server.arenas.usedBytes;
  retained.release();
  await turns();
  expect(whileHeld).toBeLessThan(1.5 * server.arenas.usedBytes);
  await server.close();
});
