/** Headers and answers over real sockets: compression, keys, request ids, clients that leave. */

import { type AddressInfo, connect, type Socket } from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { jsonAnswer } from "../../test/support/servers/fake-engine.ts";
import { listeningServers, turn } from "../../test/support/servers/listening-servers.ts";
import type { HttpAnswer } from "../api/engine.ts";
import { seededRandom } from "../base/random.ts";
import { ClientLeft } from "./bodies/request-body.ts";

const start = listeningServers();

describe("answers", () => {
  const large = jsonAnswer({ text: "x".repeat(5000) });

  test("are compressed only when asked for and large", async () => {
    const { engine, send } = await start();
    engine.answer = () => large;
    const cases: [string | undefined, boolean][] = [
      [undefined, false],
      ["identity", false],
      ["*", false],
      ["br, deflate", false],
      ["gzip;q=0", false],
      ["gzip;q=0.5, identity", false],
      ["gzip", true],
      ["deflate, GZIP;q=0.8", true],
    ];
    for (const [accept, compressed] of cases) {
      const headers: Record<string, string> =
        accept === undefined ? {} : { "accept-encoding": accept };
      const answer = await send({ headers, body: "{}" });
      expect([accept, answer.headers["content-encoding"]]).toEqual([
        accept,
        compressed ? "gzip" : undefined,
      ]);
      const plain = compressed ? gunzipSync(answer.body) : answer.body;
      expect(plain.equals(Buffer.from(large.body))).toBe(true);
      expect(Number(answer.headers["content-length"])).toBe(answer.body.length);
    }
    engine.answer = () => jsonAnswer({ text: "x".repeat(1000) });
    const small = await send({ headers: { "accept-encoding": "gzip" }, body: "{}" });
    expect(small.headers["content-encoding"]).toBeUndefined();
  });

  test("to HEAD have no body", async () => {
    const { engine, send } = await start();
    engine.answer = () => large;
    const answer = await send({ method: "HEAD", path: "/v1/namespaces/a" });
    expect(answer.status).toBe(200);
    expect(answer.body).toHaveLength(0);
  });

  test("to a body that is left unread keep the connection usable", async () => {
    const { engine, send } = await start();
    engine.ignoresBodies = true;
    engine.answer = () => jsonAnswer({ status: "error", error: "no" }, 404);
    const answer = await send({ body: "x".repeat(5_000_000) });
    expect(answer.status).toBe(404);
  });

  test.each([
    ["1 KB", Buffer.alloc(1_000, "x"), {}],
    ["2 MB", Buffer.alloc(2_000_000, "x"), {}],
    ["2 MB in gzip", gzipSync(seededRandom(7).bytes(2_000_000)), { "content-encoding": "gzip" }],
  ])("to a body of %s that is read in part keep the connection for good", async (_, body, more) => {
    const { engine, raw, wake } = await start();
    engine.chunksMax = 1;
    const headOf = (headers: object) =>
      ["POST /v2/namespaces/a HTTP/1.1", "host: localhost"]
        .concat(Object.entries(headers).map(([name, value]) => `${name}: ${value}`))
        .concat("", "")
        .join("\r\n");
    const { socket, text } = raw(headOf({ "content-length": body.length, ...more }));
    const first = body.length / 10;
    socket.write(body.subarray(0, first));
    await new Promise((resolve) => socket.once("data", resolve));
    engine.chunksMax = Number.POSITIVE_INFINITY;
    const { promise, resolve } = Promise.withResolvers<HttpAnswer>();
    engine.answer = () => promise;
    socket.write(body.subarray(first));
    socket.write(`${headOf({ connection: "close", "content-length": 2 })}{}`);
    while (engine.seen.length < 2) await turn();
    wake();
    for (let i = 0; i < 20; i++) await turn();
    resolve(jsonAnswer({ second: true }));
    expect(await text).toContain('{"second":true}');
  });

  test("to what the engine throws are a 500 that keeps the message inside", async () => {
    const { engine, send, lines } = await start();
    engine.answer = () => Promise.reject(new Error("secret detail"));
    const answer = await send({ body: "{}" });
    expect(answer.status).toBe(500);
    expect(answer.error).toMatch(/^🐡 Unknown error/);
    expect(lines.at(-1)?.level).toBe("error");
    expect(lines.at(-1)?.facts.error).toContain("secret detail");
  });
});

describe("the API key", () => {
  const path = "/v1/namespaces";

  test("is needed for everything but the service's health", async () => {
    const { send } = await start({ apiKey: "tpuf_right" });
    const cases: [Record<string, string>, RegExp][] = [
      [{}, /missing API key/],
      [{ authorization: "Basic abc" }, /malformed `Authorization` header/],
      [{ authorization: "Bearer" }, /malformed/],
      [{ authorization: "Bearer tpuf_wrong" }, /unknown API key/],
      [{ authorization: "Bearer tpuf_righ" }, /unknown API key/],
    ];
    for (const [headers, message] of cases) {
      for (const at of [path, "/metrics", "/nowhere"]) {
        const answer = await send({ method: "GET", path: at, headers });
        expect(answer.status).toBe(401);
        expect(answer.headers["www-authenticate"]).toBe("Bearer");
        expect(answer.error).toMatch(message);
      }
    }
  });

  test("opens the server, in any case of the scheme", async () => {
    const { send } = await start({ apiKey: "tpuf_right" });
    for (const authorization of ["Bearer tpuf_right", "bearer tpuf_right"]) {
      expect((await send({ method: "GET", path, headers: { authorization } })).status).toBe(200);
    }
  });

  test("is not asked for when none is set", async () => {
    const { send } = await start();
    expect((await send({ method: "GET", path, headers: { authorization: "x" } })).status).toBe(200);
  });
});

describe("request ids and clients that leave", () => {
  test("a sane id is echoed and logged, another one replaced", async () => {
    const { send, lines } = await start();
    const answer = await send({ headers: { "x-request-id": "abc-1" }, body: "{}" });
    expect(answer.headers["x-request-id"]).toBe("abc-1");
    expect(lines.at(-1)).toMatchObject({
      level: "info",
      facts: { request: "abc-1", operation: "write", namespace: "a", status: 200, bytesIn: 2 },
    });
    for (const bad of ["a b", "x".repeat(200)]) {
      const { headers } = await send({ headers: { "x-request-id": bad }, body: "{}" });
      expect(headers["x-request-id"]).toMatch(/^[\w-]{16}$/);
    }
  });

  test("what clients report of their requests is counted, and never refused", async () => {
    const { send, server } = await start({ apiKey: "k" });
    const authorization = "Bearer k";
    const route = "POST /v2/namespaces/{ns}/query";
    const report = { version: 1, records: [{ route, status: 503, total_us: 2e6 }], dropped: 4 };
    const ask = async (text: string, headers: object = { authorization }) => {
      const telemetry = { "x-turbopuffer-client-telemetry": text };
      return (await send({ headers: { ...headers, ...telemetry }, body: "{}" })).status;
    };
    expect(await ask(JSON.stringify(report))).toBe(200);
    expect(await ask("{")).toBe(200);
    expect(await ask("x".repeat(13_000))).toBe(200);
    expect(await ask(JSON.stringify(report), {})).toBe(401);
    const probe = { "x-turbopuffer-client-telemetry": "{" };
    await server.app.inject({ method: "GET", url: "/healthz", headers: probe });
    const metrics = await server.app.inject({
      method: "GET",
      url: "/metrics",
      headers: { authorization },
    });
    for (const line of [
      'trawl_client_requests_total{operation="query",status="503"} 1',
      'trawl_client_request_seconds_total{operation="query"} 2',
      "trawl_client_reports_dropped_total 4",
      "trawl_client_reports_malformed_total 2",
    ]) {
      expect(metrics.body).toContain(`${line}\n`);
    }
  });

  test("the engine learns that the client is gone", async () => {
    const { engine, raw } = await start();
    engine.answer = () => new Promise(() => {});
    const { socket } = raw(
      "POST /v2/namespaces/a HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n",
    );
    while (engine.seen.length === 0) await turn();
    expect(engine.signals[0].aborted).toBe(false);
    socket.destroy();
    while (!engine.signals[0].aborted) await turn();
  });

  test("a client that leaves in the middle of a body gives its bytes back", async () => {
    const { engine, raw, server, lines } = await start();
    const head = "POST /v2/namespaces/a HTTP/1.1\r\nhost: localhost\r\n";
    const { socket } = raw(`${head}content-length: 1000\r\n\r\n{`);
    while (engine.signals.length === 0) await turn();
    socket.destroy();
    while (lines.length === 0) await turn();
    expect(lines[0]).toMatchObject({
      level: "info",
      message: "client left before the answer",
      facts: { operation: "write", namespace: "a", status: 499, bytesIn: 1 },
    });
    const metrics = await server.app.inject({ method: "GET", url: "/metrics" });
    expect(metrics.body).toContain("trawl_http_body_bytes_in_flight 0\n");
    expect(engine.notedBytes[0]).toBeGreaterThan(0);
  });

  test("the engine hears of the bytes of a request that has ended", async () => {
    const { engine, send } = await start();
    const { body } = await send({ body: "{}" });
    expect(engine.notedBytes).toEqual([2 + body.length]);
  });

  test("a client that leaves in the middle of a gzip body is no bug either", async () => {
    const { engine, raw, lines } = await start();
    const whole = gzipSync(Buffer.alloc(100_000, "ab"));
    const { socket } = raw(
      "POST /v2/namespaces/a HTTP/1.1\r\nhost: localhost\r\ncontent-encoding: gzip\r\n" +
        `content-length: ${whole.length}\r\n\r\n`,
    );
    socket.write(whole.subarray(0, 30));
    while (engine.signals.length === 0) await turn();
    socket.destroy();
    while (lines.length === 0) await turn();
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["info", "client left before the answer"],
    ]);
    // What is no error of the database, the real engine takes for a bug.
    expect(engine.bodyFaults).toEqual([expect.any(ClientLeft)]);
  });

  test("a client that does not end its connection is cut off", async () => {
    const { server, wake } = await start();
    const { port } = server.app.server.address() as AddressInfo;
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    const ended = new Promise<void>((resolve) => socket.once("end", resolve));
    socket.write("NONSENSE\r\n\r\n");
    await ended;
    expect(text).toContain('{"status":"error",');
    const count = () =>
      new Promise((resolve) => server.app.server.getConnections((_, open) => resolve(open)));
    expect(await count()).toBe(1);
    wake();
    while ((await count()) !== 0) await turn();
    socket.destroy();
  });

  test("a stop waits for the request that has begun, and for no unused connection", async () => {
    const { server, raw } = await start();
    const accepted: Socket[] = [];
    server.app.server.on("connection", (one: Socket) => accepted.push(one));
    const { port } = server.app.server.address() as AddressInfo;
    const unused = connect(port, "127.0.0.1");
    const unusedClosed = new Promise((resolve) => unused.once("close", resolve));
    const { socket, text } = raw("GET /healthz HTTP/1.1\r\n");
    while (accepted.length < 2 || accepted.every((one) => one.bytesRead === 0)) await turn();
    const closed = server.close();
    await unusedClosed;
    expect(accepted.filter((one) => !one.destroyed)).toHaveLength(1);
    socket.write("host: localhost\r\n\r\n");
    expect(await text).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
  });

  test("bytes that are no HTTP get the error shape", async () => {
    const { raw } = await start();
    const { text } = raw("NONSENSE\r\n\r\n");
    expect(await text).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"status":"error",/);
  });
});
