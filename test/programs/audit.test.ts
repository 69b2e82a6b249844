/** The audit of a server in a process of its own: what each kind of request leaves in it. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rawCall, sdkClient, untyped } from "../support/servers/sdk-client.ts";
import { startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const KEY = "tpuf_a-key-of-the-audit";
type Line = Readonly<Record<string, unknown>>;
const parse = (text: string): Line[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);

test("changes of namespaces are in the file, writes where that is said", async () => {
  const directory = await temporaryDirectory();
  const path = join(directory.path, "audit.log");
  const start = (...flags: string[]) =>
    startServer({
      dataDir: join(directory.path, "data"),
      arguments: ["--query-threads", "1", "--indexer", "off", "--audit-log", ...flags],
      environment: { TRAWL_API_KEY: KEY },
    });
  await expect(start(join(directory.path, "absent", "x"))).rejects.toThrow("--audit-log: cannot");
  const server = await start(path);
  const { url } = server;
  const namespace = (name: string) => sdkClient({ baseURL: url, apiKey: KEY }).namespace(name);
  const headers = { authorization: `Bearer ${KEY}` };
  await namespace("a").write({ upsert_rows: [{ id: 1 }] });
  await namespace("a").write({ upsert_rows: [{ id: 2 }] });
  await namespace("a").write({ upsert_rows: [{ id: 3, x: "new" }] });
  await namespace("b").write({ copy_from_namespace: "a" });
  for (const kind of ["copy", "branch"]) {
    const refusedWrite = namespace("f").write(untyped({ [`${kind}_from_namespace`]: "absent" }));
    await expect(refusedWrite).rejects.toMatchObject({ status: 404 });
  }
  // The SDK sends what was in conflict again.
  const copy = { copy_from_namespace: "a" };
  const conflict = await rawCall("POST", "/v2/namespaces/b", copy, { url, headers });
  expect(conflict.status).toBe(409);
  const writer = await rawCall(
    "POST",
    "/trawl/keys",
    { name: "writer", actions: ["write"], namespaces: ["g"] },
    { url, headers },
  );
  const { key } = JSON.parse(writer.text);
  await rawCall("POST", "/v2/namespaces/g", copy, {
    url,
    headers: { authorization: `Bearer ${key}` },
  });
  await namespace("c").write(untyped({ branch_from_namespace: "a" }));
  const started = await rawCall(
    "POST",
    "/v2/namespaces/d/async",
    { copy_from_namespace: { source_namespace: "a" } },
    { url, headers },
  );
  expect(started.status).toBe(202);
  const refused = await rawCall(
    "POST",
    "/v2/namespaces/e/async",
    { copy_from_namespace: { source_namespace: "absent" } },
    { url, headers },
  );
  await namespace("a").updateSchema({ schema: { y: "int" } });
  await namespace("a").query({ rank_by: ["id", "asc"], limit: 1 });
  await namespace("b").deleteAll();
  expect(await server.stop()).toBe(0);
  const text = await readFile(path, "utf8");
  const actor = { key: expect.stringMatching(/^[0-9a-f]{16}$/), name: "--api-key" };
  const seen = parse(text).map((line) => {
    const isWriter = (line.actor as { name: string }).name === "writer";
    const expected = isWriter ? { ...actor, name: "writer" } : actor;
    expect(line).toMatchObject({ actor: expected, origin: "127.0.0.1", time: expect.any(String) });
    return [line.action, line.targets, line.status];
  });
  expect(seen).toEqual([
    ["create_namespace", ["a"], 200],
    ["update_schema", ["a"], 200],
    ["copy_namespace", ["b", "a"], 200],
    ["copy_namespace", ["f", "absent"], 404],
    ["branch_namespace", ["f", "absent"], 404],
    ["copy_namespace", ["b", "a"], 409],
    ["create_key", [expect.any(String)], 200],
    ["copy_namespace", ["g", "a"], 403],
    ["branch_namespace", ["c", "a"], 200],
    ["copy_namespace", ["d", "a"], 202],
    ["copy_namespace", ["e", "absent"], refused.status],
    ["update_schema", ["a"], 200],
    ["delete_namespace", ["b"], 200],
  ]);
  expect(text).not.toContain(KEY);

  const again = await start("stdout", "--audit-writes");
  const client = sdkClient({ baseURL: again.url, apiKey: KEY });
  await client.namespace("a").write({ deletes: [1] });
  expect(await again.stop()).toBe(0);
  const printed = parse(again.output()).filter(({ targets }) => targets !== undefined);
  expect(printed).toMatchObject([{ action: "write", targets: ["a"], status: 200, actor }]);
  await directory.remove();
});
