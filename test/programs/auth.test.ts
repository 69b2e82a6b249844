/** API keys: who is let in, and how refusals look. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFault, rawCall, sdkClient } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const KEY = "tpuf_a-key-of-this-test";
let server: ServerProcess;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const environment = { TRAWL_API_KEY: KEY };
  server = await startServer({
    dataDir: directory.path,
    arguments: ["--query-threads", "1"],
    environment,
  });
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
  expect(server.output()).not.toContain(KEY);
  await directory.remove();
});

test("the right key opens everything", async () => {
  const client = sdkClient({ baseURL: server.url, apiKey: KEY });
  await client.namespace("auth").write({ upsert_rows: [{ id: 1 }] });
  expect(await client.namespace("auth").exists()).toBe(true);
});

test("a wrong or missing key is unauthorized", async () => {
  const wrong = sdkClient({ baseURL: server.url, apiKey: "tpuf_wrong" });
  await expectFault(wrong.namespaces(), 401, "unknown API key");
  const { url } = server;
  for (const path of ["/v1/namespaces", "/metrics"]) {
    const answer = await rawCall("GET", path, undefined, { url });
    expect([path, answer.status, answer.json?.status]).toEqual([path, 401, "error"]);
  }
});

test("health is public", async () => {
  for (const path of ["/", "/healthz", "/readyz"]) {
    expect((await rawCall("GET", path, undefined, { url: server.url })).status).toBe(200);
  }
});
