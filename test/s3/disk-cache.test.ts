/** The real server over a bucket with its disk cache: restarts, warming, purging, a lost directory. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { callJson, type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { freshS3Config, openS3, s3Arguments } from "../support/stores/s3-bucket.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const config = freshS3Config();
const PATH = "/v2/namespaces/cached";
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: ServerProcess;

beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(async () => {
  await server.kill();
  await directory.remove();
});

async function restart(): Promise<void> {
  await server?.stop();
  const cache = ["--disk-cache-dir", join(directory.path, "cache"), "--disk-cache-limit", "1GiB"];
  server = await startServer({
    arguments: [...s3Arguments(config), "--query-threads", "1", "--log-level", "warn", ...cache],
  });
}

async function ask(): Promise<{ rows: unknown; temperature: string }> {
  const query = { rank_by: ["text", "BM25", "walrus fox"], top_k: 20, include_attributes: ["n"] };
  const { status, body } = await callJson(server.url, "POST", `${PATH}/query`, query);
  expect(status, JSON.stringify(body)).toBe(200);
  const answer = body as { rows: unknown; performance: { cache_temperature: string } };
  return { rows: answer.rows, temperature: answer.performance.cache_temperature };
}

/** A figure of `/metrics`, all threads together. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

test("what was read of a bucket is read from the local disk after a restart", async () => {
  await restart();
  const random = seededRandom(6);
  const words = ["fox", "whale", "walrus", "sea", "quick"];
  for (let batch = 0; batch < 8; batch++) {
    const rows = Array.from({ length: 400 }, (_, at) => {
      const id = batch * 400 + at;
      const vector = Array.from({ length: 1536 }, () => random.next() - 0.5);
      return { id, vector, text: `${words[id % 5]} ${words[id % 3]}`, n: id % 97 };
    });
    const schema = { text: { type: "string", full_text_search: true } };
    const written = await callJson(server.url, "POST", PATH, {
      upsert_rows: rows,
      distance_metric: "euclidean_squared",
      schema,
    });
    expect(written.status, JSON.stringify(written.body)).toBe(200);
  }
  const { rows: expected } = await ask();
  const store = await openS3(config);
  const hasManifest = async () => {
    const { keys } = await store.list({ prefix: "namespaces/", limit: 10_000 });
    return keys.some((key) => key.includes("/manifest/"));
  };
  await expect.poll(hasManifest, { timeout: 60_000, interval: 300 }).toBe(true);

  await restart();
  expect(await ask()).toEqual({ rows: expected, temperature: "cold" });
  expect(await ask()).toEqual({ rows: expected, temperature: "hot" });
  await restart();
  expect(await ask()).toEqual({ rows: expected, temperature: "warm" });
  const hits = () => metric("trawl_disk_cache_hits_total");
  await expect.poll(hits, { timeout: 10_000, interval: 300 }).toBeGreaterThan(0);
  expect(await metric("trawl_cache_read_bytes_total")).toBe(0);
  expect(await metric("trawl_cache_disk_bytes_total")).toBeGreaterThan(0);
  expect(await metric("trawl_disk_cache_faults_total")).toBe(0);

  const debug = "/v1/namespaces/cached/_debug";
  expect((await callJson(server.url, "GET", `${debug}/purge_cache`)).status).toBe(200);
  expect(await ask()).toEqual({ rows: expected, temperature: "cold" });
  await rm(join(directory.path, "cache"), { recursive: true });
  await restart();
  expect(await ask()).toEqual({ rows: expected, temperature: "cold" });
  expect(server.output()).not.toContain("disk cache rests");
});
