/** The real server over a bucket with its disk cache: restarts, warming, purging, a lost directory. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { callJson, type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { freshS3Config, s3Arguments } from "../support/stores/s3-bucket.ts";
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

async function restart(flags: readonly string[]): Promise<void> {
  await server?.stop();
  const usual = ["--query-threads", "1", "--log-level", "warn"];
  server = await startServer({ arguments: [...s3Arguments(config), ...usual, ...flags] });
}

/** What an indexer makes is in no cache, so that there is none beside a cache. */
function restartCached(): Promise<void> {
  const path = join(directory.path, "cache");
  const cache = ["--disk-cache-dir", path, "--disk-cache-limit", "1GiB"];
  return restart([...cache, "--indexer", "off"]);
}

async function ask(): Promise<{ rows: unknown; temperature: string }> {
  const query = { rank_by: ["text", "BM25", "walrus fox"], top_k: 20, include_attributes: true };
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

/** Resolves once so many cold queries were read ahead for, and the disk has what was read. */
async function hasReadAhead(turns: number): Promise<void> {
  const isDone = async () => {
    if ((await metric("trawl_read_ahead_turns_total")) < turns) return false;
    const written = await metric('trawl_disk_cache_written_bytes_total{thread="cache"}');
    return written >= (await metric('trawl_object_store_read_bytes_total{thread="cache"}'));
  };
  await expect.poll(isDone, { timeout: 30_000, interval: 300 }).toBe(true);
}

test("what was read of a bucket is read from the local disk after a restart", async () => {
  await restart(["--disk-cache-limit", "0"]);
  const random = seededRandom(6);
  const words = ["fox", "whale", "walrus", "sea", "quick"];
  for (let batch = 0; batch < 8; batch++) {
    const rows = Array.from({ length: 400 }, (_, at) => {
      const id = batch * 400 + at;
      const vector = Array.from({ length: 1536 }, () => random.next() - 0.5);
      // Long documents, so that not all of them lie where an opening reads.
      const body = Buffer.from(random.bytes(512)).toString("hex");
      return { id, vector, text: `${words[id % 5]} ${words[id % 3]}`, body };
    });
    const body = { type: "string", filterable: false };
    const schema = { text: { type: "string", full_text_search: true }, body };
    const written = await callJson(server.url, "POST", PATH, {
      upsert_rows: rows,
      distance_metric: "euclidean_squared",
      schema,
    });
    expect(written.status, JSON.stringify(written.body)).toBe(200);
  }
  const { rows: expected } = await ask();
  const unindexed = async () => {
    const { body } = await callJson(server.url, "GET", "/v1/namespaces/cached/metadata");
    return (body as { index: { unindexed_rows: number } }).index.unindexed_rows;
  };
  await expect.poll(unindexed, { timeout: 60_000, interval: 300 }).toBe(0);

  await restartCached();
  expect(await ask()).toEqual({ rows: expected, temperature: "cold" });
  expect(await ask()).toEqual({ rows: expected, temperature: "hot" });
  await hasReadAhead(1);
  await restartCached();
  expect(await ask()).toEqual({ rows: expected, temperature: "warm" });
  await hasReadAhead(1);
  expect(await metric("trawl_disk_cache_hits_total")).toBeGreaterThan(0);
  expect(await metric("trawl_cache_read_bytes_total")).toBe(0);
  expect(await metric("trawl_cache_disk_bytes_total")).toBeGreaterThan(0);
  expect(await metric("trawl_disk_cache_faults_total")).toBe(0);

  const debug = "/v1/namespaces/cached/_debug";
  expect((await callJson(server.url, "GET", `${debug}/purge_cache`)).status).toBe(200);
  expect(await ask()).toEqual({ rows: expected, temperature: "cold" });
  await hasReadAhead(2);
  await rm(join(directory.path, "cache"), { recursive: true });
  await restartCached();
  expect(await ask()).toEqual({ rows: expected, temperature: "cold" });
  expect(server.output()).not.toContain("disk cache rests");
});
