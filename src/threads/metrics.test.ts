/** What threads and processes count, and which of it `/metrics` shows. */

import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { callJson, startServer } from "../../test/support/servers/server-process.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { temporaryDirectory } from "../../test/support/stores/temporary-directory.ts";
import type { EngineMetric } from "../api/engine.ts";
import { seededRandom } from "../base/random.ts";
import { CountingObjectStore } from "../storage/counting-object-store.ts";
import { FsObjectStore } from "../storage/directory/fs-object-store.ts";
import { claimFormat } from "../storage/store-format.ts";

const ROWS = Array.from({ length: 50 }, (_, id) => ({ id, n: id % 7, text: "walrus" }));
const QUERY = { filters: ["n", "Eq", 3], limit: 50, include_attributes: true };

test("threads and indexers count all that the store is asked", async () => {
  const counting = new CountingObjectStore(new MemoryObjectStore());
  const engine = await EngineFixture.open({ store: counting });
  await engine.write("a", { upsert_rows: ROWS });
  await engine.indexAll();
  expect(requestsOf(engine.metrics(), "cache")).toEqual({});
  const { status, json } = await engine.call("query", "a", QUERY);
  expect(status).toBe(200);
  expect(json.rows.length).toBe(7);
  const metrics = engine.metrics();
  expect(requestsOf(metrics, "cache").getRange).toBeGreaterThan(0);
  const { requests } = engine.accesses.indexer.counts();
  for (const [name, count] of Object.entries(counting.counts().requests)) {
    const counted = ["cache", "write"].map((thread) => requestsOf(metrics, thread)[name] ?? 0);
    const sum = counted[0] + counted[1] + requests[name as keyof typeof requests];
    expect(sum, name).toBe(count);
  }
  await engine.close();
});

// Runs only in heavy runs: it starts a server and waits for two reports of the threads. A server's
// `/metrics` is also tested by test/programs/metrics.test.ts, in `npm run test:programs`.
const isFull = effort({ usual: false, full: true });
test.runIf(isFull)("a server's /metrics has what its threads count", async () => {
  const directory = await temporaryDirectory();
  const store = await FsObjectStore.open({ root: directory.path, random: seededRandom(5) });
  await claimFormat(store, "the store");
  const fixture = await EngineFixture.open({ store });
  await fixture.write("a", { upsert_rows: ROWS });
  await fixture.indexAll();
  await fixture.close();
  const server = await startServer({
    dataDir: directory.path,
    arguments: ["--query-threads", "1"],
  });
  try {
    const { status } = await callJson(server.url, "POST", "/v2/namespaces/a/query", QUERY);
    expect(status).toBe(200);
    const order = { rank_by: ["n", "asc"], limit: 1 };
    await callJson(server.url, "POST", "/v2/namespaces/a/query", order);
    const line = /^trawl_object_store_requests_total\{thread="cache",request="getRange"\} [1-9]/m;
    const skipped = /^trawl_candidates_skipped_total\{thread="0"\} [1-9]/m;
    const ahead = /^trawl_read_ahead_turns_total\{thread="0"\} [1-9]/m;
    // Threads report their stats from time to time.
    const text = async () => (await fetch(`${server.url}/metrics`)).text();
    await expect.poll(text, { timeout: 20_000 }).toMatch(line);
    await expect.poll(text, { timeout: 20_000 }).toMatch(skipped);
    await expect.poll(text, { timeout: 20_000 }).toMatch(ahead);
  } finally {
    await server.stop();
    await directory.remove();
  }
});

/** Requests of one thread by their name, without those that it never made. */
function requestsOf(metrics: readonly EngineMetric[], thread: string): Record<string, number> {
  return Object.fromEntries(
    metrics
      .filter(({ name }) => name === "trawl_object_store_requests_total")
      .filter(({ labels, value }) => labels?.thread === thread && value > 0)
      .map(({ labels, value }) => [labels?.request, value]),
  );
}
