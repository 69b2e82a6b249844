/**
 * Forty clients that ask for large answers and read nothing of them: what waits for them is
 * bounded, and is given back when they are cut off.
 */

import { connect, type Socket } from "node:net";
import { beforeAll, expect, test, vi } from "vitest";
import { fileServer } from "../support/servers/file-server.ts";
import {
  peakResidentMib,
  residentMibOutsideArenas,
  restedMib,
} from "../support/servers/resident-memory.ts";

const CLIENTS = 40;
const BATCHES = 60;
const BATCH_DOCUMENTS = 1000;
const TEXT_CHARS = 1000;
const MEMORY_LIMIT_MIB = 1024;
/** How much more than its limit the server may take, and than before when it rests. */
const MEMORY_SLACK = 1.25;

const server = fileServer(() => ({
  arguments: [
    ...["--memory-limit", `${MEMORY_LIMIT_MIB}MiB`, "--query-threads", "2"],
    ...["--indexer", "off"],
  ],
  replaced: { http: { answerStallMs: 10_000 } },
}));

beforeAll(async () => {
  const schema = { text: { type: "string", filterable: false } };
  const text = "x".repeat(TEXT_CHARS);
  for (let batch = 0; batch < BATCHES; batch++) {
    const start = batch * BATCH_DOCUMENTS;
    const documents = Array.from({ length: BATCH_DOCUMENTS }, (_, i) => ({ id: start + i, text }));
    await call("/v2/namespaces/large", { schema, upsert_rows: documents });
  }
  for (let i = 0; i < 50; i++) await call("/v2/namespaces/large/query", { ...ALL, limit: 100 });
}, 120_000);

/** An answer of some 10 MB. */
const ALL = { rank_by: ["id", "asc"], limit: 10_000, include_attributes: true };

async function call(path: string, body: unknown): Promise<void> {
  expect((await server.post(path, body)).status).toBe(200);
}

/** By name, all threads together. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const values = text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"));
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}

function askAndNotRead(): Socket {
  const body = JSON.stringify(ALL);
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  socket.write(
    `POST /v2/namespaces/large/query HTTP/1.1\r\nhost: localhost\r\ncontent-length: ` +
      `${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}

test.runIf(process.platform === "linux")(
  `${CLIENTS} clients that do not read: memory is bounded, and given back`,
  async () => {
    const before = await residentMibOutsideArenas(server);
    const sockets = Array.from({ length: CLIENTS }, askAndNotRead);
    const wait = { timeout: 120_000, interval: 500 };
    await vi.waitFor(
      async () => expect(await metric("trawl_http_answer_bytes_waiting")).toBeGreaterThan(10e6),
      wait,
    );
    // All of them are cut off, or were refused in a few words.
    await vi.waitFor(async () => {
      expect(await metric("trawl_queries_running")).toBe(0);
      expect(await metric("trawl_http_answer_bytes_waiting")).toBeLessThan(1e6);
    }, wait);
    const peak = await peakResidentMib(server);
    const rested = await restedMib(server, before * MEMORY_SLACK);
    for (const socket of sockets) socket.destroy();
    console.log({ before, peak, rested });
    expect(peak).toBeLessThan(MEMORY_LIMIT_MIB * MEMORY_SLACK);
    expect(rested).toBeLessThan(before * MEMORY_SLACK);
    await call("/v2/namespaces/large/query", { ...ALL, limit: 1 });
  },
);
