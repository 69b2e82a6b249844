/** Customer-managed keys: names, rotation of servers, copies, and keys that are gone. */

import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFault, idsOf, sdkClient, untyped } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const SECRET = "a sentence that must not be readable on the disk";
const BY_ID = { rank_by: untyped<["id", "asc"]>(["id", "asc"]), limit: 5 };
let server: ServerProcess;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let keys: string;
let dataDir: string;

const start = async () => {
  server = await startServer({
    dataDir,
    arguments: ["--query-threads", "1", "--encryption-keys", keys],
  });
  return sdkClient({ baseURL: server.url });
};

beforeAll(async () => {
  directory = await temporaryDirectory();
  keys = join(directory.path, "keys");
  dataDir = join(directory.path, "data");
  await mkdir(keys);
  await writeFile(join(keys, "first"), Buffer.alloc(32, 1).toString("hex"));
  await writeFile(join(keys, "second"), Buffer.alloc(32, 2));
});

afterAll(async () => {
  await server.stop();
  await directory.remove();
});

/** Whether any stored byte sequence is the secret in plain form. */
async function isReadableOnDisk(): Promise<boolean> {
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    if ((await readFile(join(file.parentPath, file.name))).includes(SECRET)) return true;
  }
  return false;
}

test("documents are encrypted, and survive a restart", async () => {
  let client = await start();
  const upsert_rows = [{ id: 1, text: SECRET }];
  await client.namespace("locked").write({
    upsert_rows,
    encryption: { mode: "customer-managed", key_name: "first" },
  });
  const older = untyped<{ mode: "default" }>({ cmek: { key_name: "second" } });
  await client.namespace("older").write({ upsert_rows, encryption: older });
  expect((await client.namespace("locked").metadata()).encryption).toEqual({
    mode: "customer-managed",
    key_name: "first",
  });
  expect(await isReadableOnDisk()).toBe(false);
  await server.kill();
  client = await start();
  const answer = await client.namespace("locked").query({ ...BY_ID, include_attributes: true });
  expect(answer.rows).toEqual(upsert_rows);
  expect(idsOf(await client.namespace("older").query(BY_ID))).toEqual([1]);
  await client.namespace("copied").copyFrom({ source_namespace: "locked" });
  expect((await client.namespace("copied").metadata()).encryption).toMatchObject({
    key_name: "first",
  });
  await client.namespace("moved").copyFrom({
    source_namespace: "locked",
    dest_encryption: { mode: "customer-managed", key_name: "second" },
  });
  expect((await client.namespace("moved").metadata()).encryption).toMatchObject({
    key_name: "second",
  });
  expect(await isReadableOnDisk()).toBe(false);
});

test("a context of the key is kept, and used again after a restart", async () => {
  const encryption = {
    mode: "customer-managed",
    key_name: "first",
    encryption_context: { tenant: "t1", stage: "test" },
  } as const;
  let client = sdkClient({ baseURL: server.url });
  await client.namespace("bound").write({ upsert_rows: [{ id: 1, text: SECRET }], encryption });
  await server.kill();
  client = await start();
  await client.namespace("bound").write({ upsert_rows: [{ id: 2 }] });
  expect(idsOf(await client.namespace("bound").query(BY_ID))).toEqual([1, 2]);
  expect((await client.namespace("bound").metadata()).encryption).toEqual(encryption);
  expect(await isReadableOnDisk()).toBe(false);
});

test("an unknown or malformed key name is refused, and leaves no namespace", async () => {
  const client = sdkClient({ baseURL: server.url });
  for (const key_name of ["mykey", "../keys/first", ""]) {
    const write = client.namespace("refused").write({
      upsert_rows: [{ id: 1 }],
      encryption: { mode: "customer-managed", key_name },
    });
    await expectFault(write, 400, `Malformed Cloud KMS crypto key: ${key_name}`);
  }
  expect(await client.namespace("refused").exists()).toBe(false);
});

test("a namespace whose key is gone says so, and the key can be put back", async () => {
  await server.stop();
  await rename(join(keys, "first"), join(directory.path, "first"));
  let client = await start();
  const lost = client.namespace("locked").query(BY_ID);
  await expect(lost).rejects.toThrow(/key.*first|first.*key/i);
  expect(idsOf(await client.namespace("older").query(BY_ID))).toEqual([1]);
  await rename(join(directory.path, "first"), join(keys, "first"));
  await server.stop();
  client = await start();
  expect(idsOf(await client.namespace("locked").query(BY_ID))).toEqual([1]);
});
