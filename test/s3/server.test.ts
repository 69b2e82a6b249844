/** The real server over a bucket: writes, indexing, restarts, copies, deletion, two at once. */

import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import type { S3StoreConfig } from "../../src/storage/store-config.ts";
import { OFFLINE_MODELS } from "../support/servers/replaced-config.ts";
import { observe, populate } from "../support/servers/restart-scenario.ts";
import { expectFault, sdkClient } from "../support/servers/sdk-client.ts";
import { callJson, type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { freshS3Config, openS3, s3Arguments } from "../support/stores/s3-bucket.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let config: S3StoreConfig;
let servers: ServerProcess[] = [];
let caches = 0;

beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => directory.remove());
beforeEach(() => {
  config = freshS3Config();
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  servers = [];
});

/** Starts a server with an empty disk cache. */
async function start(...more: readonly string[]): Promise<ServerProcess> {
  const cache = ["--disk-cache-dir", join(directory.path, `cache-${++caches}`)];
  const base = ["--query-threads", "1", "--log-level", "warn"];
  const server = await startServer({
    arguments: [...s3Arguments(config), ...base, ...cache, ...more],
    replaced: OFFLINE_MODELS,
  });
  servers.push(server);
  return server;
}

const clientOf = (server: ServerProcess) => sdkClient({ baseURL: server.url });

test("stops and kills change no answer; copies, branches and deletions stay", async () => {
  let server = await start();
  await populate(clientOf(server));
  const before = await observe(clientOf(server));
  expect(JSON.stringify(before)).toContain("patched");
  expect(await server.stop()).toBe(0);
  server = await start();
  expect(await observe(clientOf(server))).toEqual(before);
  await expectFault(clientOf(server).namespace("gone").schema(), 404);
  const restart = () => clientOf(server).namespace("restart");
  await restart().write({ upsert_rows: [{ id: 500, vector: [1, 1], body: "x" }] });
  await server.kill();
  server = await start();
  const answer = await restart().query({ filters: ["id", "Eq", 500], limit: 1 });
  expect(answer.rows).toEqual([{ id: 500 }]);
  await restart().write({ deletes: [500] });
  await server.kill();
  server = await start();
  const after = JSON.stringify(await observe(clientOf(server)));
  const timeless = (text: string) => text.replaceAll(/"(updated_at|last_write_at)":"[^"]+"/g, "");
  expect(timeless(after)).toBe(timeless(JSON.stringify(before)));
});

test("stored segments give the same answers, from memory, after a restart and cold", async () => {
  const random = seededRandom(5);
  const dimensions = 1536;
  const vectorOf = () => Array.from({ length: dimensions }, () => random.next() - 0.5);
  const words = ["fox", "whale", "walrus", "sea", "quick"];
  let server = await start();
  const path = "/v2/namespaces/indexed";
  for (let batch = 0; batch < 8; batch++) {
    const rows = Array.from({ length: 400 }, (_, at) => {
      const id = batch * 400 + at;
      return { id, vector: vectorOf(), text: `${words[id % 5]} ${words[id % 3]}`, n: id % 97 };
    });
    const answer = await callJson(server.url, "POST", path, {
      upsert_rows: rows,
      distance_metric: "euclidean_squared",
      schema: { text: { type: "string", full_text_search: true } },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }
  const queries = [
    { rank_by: ["vector", "kNN", vectorOf()], top_k: 10, filters: ["n", "Gte", 0] },
    { rank_by: ["vector", "kNN", vectorOf()], top_k: 10, filters: ["n", "Lt", 7] },
    { rank_by: ["text", "BM25", "walrus fox"], top_k: 20 },
    { rank_by: ["n", "desc"], top_k: 20, filters: ["id", "Gte", 3000] },
    { aggregate_by: { count: ["Count"], sum: ["Sum", "n"] } },
  ];
  const ask = async () => {
    const seen: unknown[] = [];
    for (const query of queries) {
      const { status, body } = await callJson(server.url, "POST", `${path}/query`, query);
      expect(status, JSON.stringify(body)).toBe(200);
      const { rows, aggregations } = body as { rows?: unknown; aggregations?: unknown };
      seen.push(rows ?? aggregations);
    }
    return seen;
  };
  await callJson(server.url, "POST", path, { deletes: [0, 1, 2] });
  const before = await ask();
  const store = await openS3(config);
  const hasManifest = async () => {
    const { keys } = await store.list({ prefix: "namespaces/", limit: 10_000 });
    return keys.some((key) => key.includes("/manifest/"));
  };
  await expect.poll(hasManifest, { timeout: 60_000, interval: 300 }).toBe(true);
  expect(await ask()).toEqual(before);
  expect(await server.stop()).toBe(0);
  server = await start();
  expect(await ask()).toEqual(before);
  const purge = "/v1/namespaces/indexed/_debug/purge_cache";
  const purged = await callJson(server.url, "GET", purge);
  expect(purged.status, JSON.stringify(purged.body)).toBe(200);
  expect(await ask()).toEqual(before);
});

test("two servers over one bucket see each other's writes at once", async () => {
  const [a, b] = await Promise.all([start("--indexer", "off"), start("--indexer", "off")]);
  const path = "/v2/namespaces/shared";
  for (let id = 0; id < 20; id++) {
    const [writer, reader] = id % 2 === 0 ? [a, b] : [b, a];
    const written = await callJson(writer.url, "POST", path, { upsert_rows: [{ id, n: id }] });
    expect(written.status, JSON.stringify(written.body)).toBe(200);
    const read = await callJson(reader.url, "POST", `${path}/query`, {
      rank_by: ["id", "asc"],
      limit: 100,
    });
    expect(read.status, JSON.stringify(read.body)).toBe(200);
    const { rows } = read.body as { rows: { id: number }[] };
    expect(rows.map((row) => row.id)).toEqual(Array.from({ length: id + 1 }, (_, at) => at));
  }
});

test("of two servers that create an id if it is absent, one succeeds", async () => {
  const both = await Promise.all([start("--indexer", "off"), start("--indexer", "off")]);
  for (let id = 0; id < 10; id++) {
    const answers = await Promise.all(
      both.map(({ url }, owner) =>
        callJson(url, "POST", "/v2/namespaces/once", {
          upsert_rows: [{ id, owner }],
          upsert_condition: ["id", "Eq", null],
        }),
      ),
    );
    const created = answers.map(({ status, body }) => {
      expect(status, JSON.stringify(body)).toBe(200);
      return (body as { rows_upserted?: number }).rows_upserted ?? 0;
    });
    expect(created[0] + created[1], `id ${id}: ${created}`).toBe(1);
  }
});

test("wrong settings refuse to start, and the message names them", async () => {
  const withBucket = (bucket: string) =>
    startServer({ arguments: s3Arguments({ ...config, bucket }) });
  await expect(withBucket("trawl-no-such-bucket")).rejects.toThrow(
    /create the bucket trawl-no-such-bucket, or correct --object-store/,
  );
  const withKeys = (environment: Record<string, string>) =>
    startServer({ arguments: s3Arguments(config), environment });
  await expect(withKeys({ AWS_SECRET_ACCESS_KEY: "wrong" })).rejects.toThrow(
    /secret key is wrong.*AWS_SECRET_ACCESS_KEY/,
  );
  await expect(withKeys({ AWS_ACCESS_KEY_ID: "nobody" })).rejects.toThrow(
    /does not know the access key.*AWS_ACCESS_KEY_ID/,
  );
});
