/** What was acknowledged is there after a stop and after a kill, and every answer is the same. */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OFFLINE_MODELS } from "../support/servers/replaced-config.ts";
import { observe, populate } from "../support/servers/restart-scenario.ts";
import { expectFault, sdkClient, untyped } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let server: ServerProcess;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

const start = async () => {
  server = await startServer({
    dataDir: directory.path,
    arguments: ["--query-threads", "1"],
    replaced: OFFLINE_MODELS,
  });
  return sdkClient({ baseURL: server.url });
};

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(async () => {
  await server.stop();
  await directory.remove();
});

test("stops and kills change no answer", async () => {
  let client = await start();
  await populate(client);
  const before = await observe(client);
  expect(JSON.stringify(before)).toContain("patched");
  expect(await server.stop()).toBe(0);
  client = await start();
  expect(await observe(client)).toEqual(before);
  await expectFault(client.namespace("gone").schema(), 404);
  const restart = client.namespace("restart");
  await restart.write({ upsert_rows: [500, 501].map((id) => ({ id, vector: [1, 1], body: "x" })) });
  await restart.write({ deletes: [501] });
  await server.kill();
  client = await start();
  const written = { filters: ["id", "Gte", 500], rank_by: ["id", "asc"], limit: 2 } as const;
  expect((await client.namespace("restart").query(untyped(written))).rows).toEqual([{ id: 500 }]);
  await client.namespace("restart").write({ deletes: [500] });
  const after = JSON.stringify(await observe(client));
  const timeless = (text: string) => text.replaceAll(/"(updated_at|last_write_at)":"[^"]+"/g, "");
  expect(timeless(after)).toBe(timeless(JSON.stringify(before)));
});

test("what is written is private to the server's user", async () => {
  const names = await readdir(directory.path, { recursive: true });
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const { mode } = await stat(join(directory.path, name));
    expect((mode & 0o777).toString(8), name).toMatch(/^[4-7]00$/);
  }
});
