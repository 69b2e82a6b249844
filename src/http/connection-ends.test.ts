/** The server ends connections only if no request on them can be lost. */

import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { testSeed } from "../../test/support/random/seed.ts";
import {
  type HttpChoices,
  type HttpFixture,
  httpFixture,
} from "../../test/support/servers/http-fixture.ts";
import { type RawConnection, rawConnection } from "../../test/support/servers/raw-connection.ts";
import { MIB } from "../base/byte-sizes.ts";
import { nextTurn } from "../base/next-turn.ts";
import { seededRandom } from "../base/random.ts";
import { IDLE_CONNECTION_MS_MAX } from "./connections/server-transport.ts";

const GET = "GET /v1/namespaces HTTP/1.1\r\nHost: localhost\r\n\r\n";
const CLOSE = /\r\nconnection: close\r\n/i;

const open: HttpFixture[] = [];

async function start(choices: HttpChoices = {}) {
  const fixture = httpFixture(choices);
  open.push(fixture);
  return { ...fixture, url: await fixture.server.listen() };
}

afterEach(async () => {
  for (const { server, tick } of open.splice(0)) {
    let isOver = false;
    const closing = server.close().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await nextTurn();
      tick(1);
    }
    await closing;
  }
});

describe("idle connections", () => {
  test("are kept longer than any client of the official SDKs keeps them", async () => {
    const { url } = await start();
    const { responses, socket } = rawConnection(url, GET);
    const [answer] = await responses(1);
    const told = 1000 * Number(/\r\nkeep-alive: timeout=(\d+)/i.exec(answer)?.[1]);
    // OkHttp, of the Java SDK, ignores the hint.
    const longestPoolMs = 300_000;
    expect(told).toBeLessThan(longestPoolMs);
    expect(IDLE_CONNECTION_MS_MAX).toBeGreaterThanOrEqual(longestPoolMs + 60_000);
    socket.destroy();
  });

  test("by thousands lose no request around their limit", async () => {
    let nowMs = 0;
    const { url, tick } = await start({ monotonicMs: () => nowMs });
    const random = seededRandom(testSeed());
    const count = effort({ usual: 300, full: 3000 });
    const connections = Array.from({ length: count }, () => rawConnection(url));
    const sent = new Map<RawConnection, number>(connections.map((one) => [one, 0]));
    let endedCount = 0;
    for (let round = 0; round < 6; round++) {
      for (const [connection, before] of sent) {
        if (connection.socket.closed) sent.delete(connection);
        else if (random.below(2) === 0) sent.set(connection, before + 1);
        else continue;
        if (!connection.socket.closed) connection.socket.write(GET);
        // The server checks for idle connections while requests are in transit.
        if (random.below(50) === 0) tick(1);
      }
      const expected = [...sent].map(([connection, requests]) => connection.responses(requests));
      for (const responses of await Promise.all(expected)) {
        expect(responses.filter((text) => !text.startsWith("HTTP/1.1 200 "))).toEqual([]);
      }
      nowMs += (IDLE_CONNECTION_MS_MAX / 4) * (1 + random.below(3));
      if (random.below(2) === 0) tick(1);
      for (let turn = 0; turn < 10; turn++) await nextTurn();
      endedCount += [...sent.keys()].filter(({ socket }) => socket.closed).length;
    }
    expect(endedCount).toBeGreaterThan(0);
    for (const { socket } of connections) socket.destroy();
  });
});

describe("a request that is answered before its body has come", () => {
  const head = (rest: string) =>
    `POST /v2/namespaces/a/nothing HTTP/1.1\r\nHost: localhost\r\n${rest}\r\n\r\n`;

  test("keeps its connection if the rest is short, however late it comes", async () => {
    const { url, wake } = await start();
    const { socket, responses, closed } = rawConnection(url, head(`content-length: ${MIB}`));
    const [first] = await responses(1);
    expect(first).toMatch(/^HTTP\/1\.1 404 /);
    expect(first).not.toMatch(CLOSE);
    wake();
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    socket.write("x".repeat(MIB) + GET);
    const [, second] = await responses(2);
    expect(second).toMatch(/^HTTP\/1\.1 200 /);
    socket.end();
    await closed;
  });

  // The connection was cut off 10 s later, with all requests on it by then.
  test.each([
    ["nothing", 0, 1 * MIB],
    ["nothing of a small body", 0, 100],
    ["a part", 1, 1 * MIB],
    ["a part of a small body", 1, 100],
  ])("keeps its connection if %s is read", async (_, chunksMax, length) => {
    const { server, url, wake, engine, tick } = await start();
    engine.ignoresBodies = chunksMax === 0;
    engine.chunksMax = chunksMax;
    const { socket, responses, closed } = rawConnection(url);
    socket.write(`POST /v2/namespaces/a HTTP/1.1\r\nHost: localhost\r\n`);
    socket.write(`content-length: ${length}\r\n\r\n${"x".repeat(50)}`);
    await responses(1);
    socket.write("x".repeat(length - 50));
    for (const requests of [2, 3]) {
      socket.write(GET);
      const answers = await responses(requests);
      expect(answers.at(-1)).toMatch(/^HTTP\/1\.1 200 /);
      expect(answers.at(-1)).not.toMatch(CLOSE);
      wake();
      for (let turn = 0; turn < 20; turn++) await nextTurn();
    }
    const closing = server.close();
    await closed;
    tick(1);
    await closing;
  });

  test.each([
    ["is long", `content-length: ${100 * MIB}`],
    ["has no known length", "transfer-encoding: chunked"],
    ["may not come", "content-length: 10\r\nexpect: 100-continue"],
  ])("announces the end of its connection if the rest %s", async (_, headers) => {
    const { url } = await start();
    const { responses, closed } = rawConnection(url, head(headers));
    const [answer] = await responses(1);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toMatch(CLOSE);
    expect(await closed).toBe(answer);
  });

  test("is answered also if its client sends all of a long body first", async () => {
    const { url } = await start({ apiKey: "secret" });
    const body = Buffer.alloc(40 * MIB, "x");
    for (const [headers, bytes] of [
      [`content-length: ${body.length}`, body],
      [
        "content-encoding: gzip\r\ntransfer-encoding: chunked",
        chunked(gzipSync(body, { level: 0 })),
      ],
    ] as const) {
      const { socket, closed } = rawConnection(url);
      socket.allowHalfOpen = true;
      socket.write(head(headers));
      await new Promise((resolve) => socket.write(bytes, resolve));
      socket.end();
      const answer = await closed;
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer).toMatch(CLOSE);
    }
  });

  test("is cut off if its client continues for too long", async () => {
    const { url, wake } = await start();
    const { socket, responses, closed } = rawConnection(url);
    socket.allowHalfOpen = true;
    socket.write(head("transfer-encoding: chunked"));
    await responses(1);
    const goOn = async () => {
      socket.write("1\r\nx\r\n");
      await nextTurn();
    };
    for (let turn = 0; turn < 50; turn++) await goOn();
    expect(socket.closed).toBe(false);
    wake();
    while (!socket.closed) await goOn();
    await closed;
  });
});

function chunked(bytes: Buffer): Buffer {
  const size = Buffer.from(`${bytes.length.toString(16)}\r\n`);
  return Buffer.concat([size, bytes, Buffer.from("\r\n0\r\n\r\n")]);
}
