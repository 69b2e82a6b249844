/**
 * A stopping server: it first reports that at `/readyz`, then refuses connections, and answers
 * requests in progress.
 */

import { Agent, request } from "node:https";
import { afterEach, expect, test } from "vitest";
import {
  type HttpChoices,
  type HttpFixture,
  httpFixture,
} from "../../test/support/servers/http-fixture.ts";
import { rawConnection } from "../../test/support/servers/raw-connection.ts";
import { TLS_PAIRS } from "../../test/support/servers/tls-pairs.ts";
import type { HttpAnswer } from "../api/engine.ts";
import { MIB } from "../base/byte-sizes.ts";
import { nextTurn } from "../base/next-turn.ts";

const QUERY =
  "POST /v2/namespaces/a/query HTTP/1.1\r\nHost: localhost\r\ncontent-length: 2\r\n\r\n{}";
const READY = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";

const open: HttpFixture[] = [];

async function start(choices: HttpChoices = {}) {
  const fixture = httpFixture(choices);
  open.push(fixture);
  return { ...fixture, url: await fixture.server.listen() };
}

afterEach(async () => {
  for (const fixture of open.splice(0)) await ended(fixture, fixture.server.close());
});

/** Lets the server do what it does periodically until it has ended. */
async function ended({ tick }: Pick<HttpFixture, "tick">, closing: Promise<void>): Promise<void> {
  let isOver = false;
  void closing.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await nextTurn();
    tick(1);
  }
  await closing;
}

test("for the drain delay a server is not ready, serves all, and announces its end", async () => {
  const fixture = await start({ drainDelayMs: 5000 });
  const { server, url, wake, engine } = fixture;
  const idle = rawConnection(url, READY);
  expect((await idle.responses(1))[0]).toMatch(
    /^HTTP\/1\.1 200 .*\r\nkeep-alive: timeout=75\r\n/is,
  );
  const closing = server.close();
  // The server has no more to do before its clock advances.
  await nextTurn();
  for (const sent of [READY, QUERY]) {
    const connection = rawConnection(url, sent);
    const answer = await connection.closed;
    expect(answer).toMatch(sent === READY ? /^HTTP\/1\.1 503 / : /^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  }
  expect(engine.queriesStopped).toBe(false);
  expect(idle.socket.closed).toBe(false);
  wake();
  await idle.closed;
  await ended(fixture, closing);
  const late = rawConnection(url, READY);
  expect(await late.closed).toBe("");
});

test("a connection that was open before is served during the delay, and ends with it", async () => {
  const fixture = await start({ drainDelayMs: 5000 });
  const { server, url, wake } = fixture;
  const connection = rawConnection(url, QUERY);
  await connection.responses(1);
  const closing = server.close();
  connection.socket.write(QUERY);
  const [, second] = await connection.responses(2);
  expect(second).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
  await connection.closed;
  wake();
  await ended(fixture, closing);
});

test("an answer that its client takes slowly is not cut off by a stop", async () => {
  const fixture = await start({ answerStallMs: Number.POSITIVE_INFINITY });
  const { server, url, engine } = fixture;
  const body = new Uint8Array(64 * MIB).fill(0x20);
  engine.answer = (): HttpAnswer => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body,
  });
  const { socket, received, closed } = rawConnection(url);
  socket.pause();
  socket.write(QUERY);
  while (engine.seen.length === 0) await nextTurn();
  // The answer is written, and what the system does not take of it waits.
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  const closing = server.close();
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn();
    fixture.tick(1);
  }
  socket.resume();
  await ended(fixture, closing);
  await closed;
  expect(received().length).toBeGreaterThan(body.length);
});

test("idle connections of a server that speaks TLS end with a stop, too", async () => {
  const [pair] = TLS_PAIRS;
  const tls = { pair, look: async () => ({ kind: "same" }) };
  const { server, url } = await start({ tls: tls as never });
  const agent = new Agent({ keepAlive: true, ca: pair.cert });
  const closed = new Promise((resolve) => {
    const asked = request(`${url}/healthz`, { agent }, (answer) => answer.resume());
    asked.once("socket", (socket) => socket.once("close", resolve));
    asked.once("close", () => void server.close());
    asked.end();
  });
  await closed;
  await server.close();
});

test("requests in flight are answered, and announce the end", async () => {
  const fixture = await start();
  const { server, url, engine } = fixture;
  const { promise, resolve } = Promise.withResolvers<HttpAnswer>();
  engine.answer = () => promise;
  const { closed } = rawConnection(url, QUERY);
  while (engine.seen.length === 0) await nextTurn();
  const closing = server.close();
  await nextTurn();
  resolve({
    status: 200,
    headers: { "content-type": "application/json" },
    body: Buffer.from("{}"),
  });
  expect(await closed).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*\{\}$/is);
  await ended(fixture, closing);
});
