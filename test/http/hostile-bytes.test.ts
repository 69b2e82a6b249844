/** Random damage to whole HTTP requests: every connection gets an answer in the error shape or ends. */

import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { httpFixture } from "../support/servers/http-fixture.ts";

const ROUNDS = 400;
const { server, lines, tick } = httpFixture();
let port = 0;

beforeAll(async () => {
  port = Number(new URL(await server.listen()).port);
});

afterAll(async () => {
  let closed = false;
  const closing = server.close().finally(() => {
    closed = true;
  });
  while (!closed) {
    tick(1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closing;
});

const BASES: readonly Buffer[] = [
  whole("POST /v2/namespaces/a/query", "", Buffer.from('{"top_k":1}')),
  whole("POST /r/v2/namespaces/a", "content-encoding: gzip\r\n", gzipSync('{"deletes":[1]}')),
  whole("GET /v1/namespaces?prefix=a&page_size=3", "accept-encoding: gzip\r\n", Buffer.alloc(0)),
  whole("DELETE /v2/namespaces/a%2Db", "prefer: respond-async\r\n", Buffer.alloc(0)),
  whole("POST /v2/namespaces/a", "expect: 100-continue\r\n", Buffer.from("{}")),
];

function whole(line: string, headers: string, body: Buffer): Buffer {
  const length = `content-length: ${body.length}\r\n`;
  const own = "host: localhost\r\nconnection: close\r\n";
  const head = `${line} HTTP/1.1\r\n${own}${headers}${length}\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** Changes, removes, doubles or inserts a few bytes. */
function damage(bytes: Buffer, random: Random): Buffer {
  let damaged = Buffer.from(bytes);
  for (let i = 0; i <= random.below(4); i++) {
    const at = random.below(damaged.length);
    const end = at + random.below(8);
    const part = damaged.subarray(at, end);
    const middle = [Buffer.from(random.bytes(random.below(4))), Buffer.concat([part, part]), EMPTY];
    damaged = Buffer.concat([
      damaged.subarray(0, at),
      middle[random.below(middle.length)],
      damaged.subarray(end),
    ]);
  }
  return damaged;
}

const EMPTY = Buffer.alloc(0);

function exchange(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    socket.end(bytes);
  });
}

test("damaged requests neither crash the server nor cause a 500", async () => {
  const seed = Number(process.env.SEED ?? 1);
  const random = seededRandom(seed);
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = damage(BASES[random.below(BASES.length)], random);
    const answer = await exchange(bytes);
    const where = `seed ${seed} round ${round}: ${JSON.stringify(bytes.toString("latin1"))}`;
    const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => status);
    expect(
      statuses.filter((status) => status.startsWith("5")),
      where,
    ).toEqual([]);
    // The contract answers bad namespace names in plain text.
    if (statuses.at(-1)?.startsWith("4") && !answer.includes("Invalid URL: ")) {
      expect(answer, where).toContain('{"status":"error","error":"');
    }
  }
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  expect((await server.app.inject({ method: "GET", url: "/healthz" })).statusCode).toBe(200);
  const metrics = await server.app.inject({ method: "GET", url: "/metrics" });
  expect(metrics.body).toContain("trawl_http_body_bytes_in_flight 0\n");
}, 60_000);
