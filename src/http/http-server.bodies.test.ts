/** Bodies of requests over real sockets: compression, limits, and the budget of all. */

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { listeningServers, turn } from "../../test/support/servers/listening-servers.ts";
import { WRITE_BODY_BYTES_MAX } from "../model/contract-limits.ts";
import { BODY_SWEEP_MS } from "./api-handler.ts";
import { BODY_STALL_MS_MAX } from "./bodies/request-body.ts";

const start = listeningServers();

describe("request bodies", () => {
  test("arrive whole, whatever the content type says", async () => {
    const { engine, send } = await start();
    for (const type of ["application/json", "application/x-www-form-urlencoded", "text/plain"]) {
      await send({ headers: { "content-type": type }, body: "[1]" });
    }
    await send({ body: "[1]" });
    expect(engine.seen.map(({ body }) => body)).toEqual(["[1]", "[1]", "[1]", "[1]"]);
  });

  test("and content types of no valid form say nothing to who has no key", async () => {
    const { engine, send, lines } = await start({ apiKey: "root" });
    for (const type of [";", "json", "text/", "a/b/c", ""]) {
      for (const path of ["/v2/namespaces/a", "/no/such/route", "/mcp", "/trawl/keys"]) {
        const stranger = await send({ path, headers: { "content-type": type }, body: "[1]" });
        expect([type, path, stranger.status]).toEqual([type, path, 401]);
      }
      const headers = { "content-type": type, authorization: "Bearer root" };
      expect((await send({ headers, body: "[1]" })).status).toBe(200);
      expect((await send({ path: "/no/such/route", headers, body: "[1]" })).status).toBe(404);
      expect((await send({ path: "/mcp", headers, body: "{}" })).status).toBe(415);
    }
    expect(engine.seen.map(({ body }) => body)).toEqual(Array(5).fill("[1]"));
    expect(lines.filter(({ facts }) => facts.status === 401)).not.toEqual([]);
  });

  test("an absent body is an empty one", async () => {
    const { engine, send } = await start();
    expect((await send({})).status).toBe(200);
    expect(engine.seen[0].body).toBe("");
  });

  test("gzip bodies are decompressed, in several members too", async () => {
    const { engine, send } = await start();
    const body = Buffer.concat([gzipSync("x".repeat(3_000_000)), gzipSync("y")]);
    await send({ headers: { "content-encoding": "gzip" }, body });
    expect(engine.seen[0].bodyBytes).toBe(3_000_001);
  });

  test("broken and truncated gzip is a 400", async () => {
    const { send } = await start();
    const whole = gzipSync("x".repeat(10_000));
    for (const body of ["no gzip", whole.subarray(0, 30)]) {
      const answer = await send({ headers: { "content-encoding": "gzip" }, body });
      expect(answer.status).toBe(400);
      expect(answer.error).toMatch(/^Failed to decompress the gzip request body: /);
    }
  });

  test("other encodings are a 415 that says what is read", async () => {
    const { send } = await start();
    for (const encoding of ["br", "zstd", "gzip, gzip"]) {
      const answer = await send({ headers: { "content-encoding": encoding }, body: "x" });
      expect(answer.status).toBe(415);
      expect(answer.error).toContain("send gzip");
    }
  });

  test("a declared length above the limit is refused before the body is sent", async () => {
    const { engine, raw } = await start();
    const { socket, text } = raw(
      "POST /v2/namespaces/a HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n" +
        `content-length: ${WRITE_BODY_BYTES_MAX + 1}\r\n\r\n{`,
    );
    expect(await text).toMatch(/^HTTP\/1\.1 413 [\s\S]*"status":"error"[\s\S]*larger than/);
    expect(engine.signals).toHaveLength(0);
    socket.destroy();
  });

  test("a query's limit is lower than a write's", async () => {
    const { raw } = await start();
    const { socket, text } = raw(
      "POST /v2/namespaces/a/query HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n" +
        "content-length: 100000000\r\n\r\n",
    );
    expect(await text).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test("a gzip bomb ends at the decompressed limit with a 413", async () => {
    const { engine, send, server } = await start();
    const body = gzipSync(Buffer.alloc(70 * 2 ** 20), { level: 1 });
    const answer = await send({
      path: "/v2/namespaces/a/query",
      headers: { "content-encoding": "gzip" },
      body,
    });
    expect(answer.status).toBe(413);
    expect(engine.seen).toHaveLength(0);
    const metrics = await server.app.inject({ method: "GET", url: "/metrics" });
    expect(metrics.body).toContain("trawl_http_body_bytes_in_flight 0\n");
  });

  test("Expect: 100-continue is answered only when the body is wanted", async () => {
    const { raw } = await start();
    const head = "HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nexpect: 100-continue\r\n";
    const refused = raw(`POST /v2/namespaces/a ${head}content-length: 999999999\r\n\r\n`);
    expect(await refused.text).toMatch(/^HTTP\/1\.1 413 /);
    const wanted = raw(`POST /v2/namespaces/a ${head}content-length: 2\r\n\r\n`);
    wanted.socket.once("data", () => wanted.socket.write("{}"));
    expect(await wanted.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  test("a body that stalls is a 408, one that goes on is not", async () => {
    const { engine, raw, tick } = await start();
    const arrived = async (bytes: number) => {
      while (engine.bytesReceived < bytes) await turn();
    };
    const head = "POST /v2/namespaces/a HTTP/1.1\r\nhost: localhost\r\n";
    const { text, socket } = raw(`${head}content-length: 90000\r\n\r\n{`);
    const sweeps = BODY_STALL_MS_MAX / BODY_SWEEP_MS;
    await arrived(1);
    tick(sweeps - 2);
    socket.write("x".repeat(40_000));
    await arrived(40_001);
    tick(sweeps - 1);
    socket.write("x");
    await arrived(40_002);
    tick(3);
    expect(await text).toMatch(
      /^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*made no progress for 30 s: 1 bytes came/,
    );
  });
});

describe("the budget of bodies in flight", () => {
  test("refuses with 429 and advice what does not fit now, and admits it later", async () => {
    const { engine, send, raw } = await start({ bodyBytesInFlightMax: 1000 });
    const head = "POST /v2/namespaces/a HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
    const first = raw(`${head}content-length: 500\r\n\r\n${"x".repeat(400)}`);
    while (engine.bytesReceived < 400) await turn();
    const refused = await send({ body: "x".repeat(200) });
    expect(refused.status).toBe(429);
    expect(refused.headers["retry-after-ms"]).toBe("1000");
    expect(refused.error).toContain("400 of 1000 bytes");
    first.socket.write("x".repeat(100));
    expect(await first.text).toMatch(/^HTTP\/1\.1 200 /);
    expect((await send({ body: "x".repeat(200) })).status).toBe(200);
  });

  test("what is declared and does not come takes nothing of it", async () => {
    const { engine, send, raw } = await start({ bodyBytesInFlightMax: 1000 });
    const head = "POST /v2/namespaces/a HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
    const slow = Array.from({ length: 5 }, () => raw(`${head}content-length: 450\r\n\r\n{`));
    while (engine.signals.length < 5) await turn();
    expect((await send({ body: "x".repeat(400) })).status).toBe(200);
    for (const { socket } of slow) socket.destroy();
  });

  test("a body that could never fit is a 413, also when its length is not declared", async () => {
    const { send } = await start({ bodyBytesInFlightMax: 1000 });
    const chunked = { "transfer-encoding": "chunked" };
    for (const headers of [{}, chunked]) {
      const answer = await send({ headers, body: "x".repeat(2000) });
      expect(answer.status).toBe(413);
      expect(answer.error).toContain("--body-memory");
    }
  });
});
