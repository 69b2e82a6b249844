/** Bodies and headers over real sockets: compression both ways, limits, keys, request ids. */

import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { jsonAnswer } from "../../test/support/servers/fake-engine.ts";
import {
  type HttpChoices,
  type HttpFixture,
  httpFixture,
} from "../../test/support/servers/http-fixture.ts";
import type { HttpAnswer } from "../api/engine.ts";
import { seededRandom } from "../base/random.ts";
import { WRITE_BODY_BYTES_MAX } from "../model/contract-limits.ts";
import { BODY_SWEEP_MS } from "./api-handler.ts";
import { BODY_STALL_MS_MAX, ClientLeft } from "./bodies/request-body.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly error: string;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | number>;
  readonly body?: Uint8Array | string;
}

const open: HttpFixture[] = [];

afterEach(async () => {
  const fixtures = open.splice(0);
  let closed = false;
  const closing = Promise.all(fixtures.map(({ server }) => server.close()));
  void closing.finally(() => {
    closed = true;
  });
  while (!closed) {
    await turn();
    for (const { tick } of fixtures) tick(1);
  }
  await closing;
});

async function start(config: HttpChoices = {}) {
  const fixture = httpFixture(config);
  open.push(fixture);
  const url = new URL(await fixture.server.listen());
  const send = (sent: Sent): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { method = "POST", path = "/v2/namespaces/a", headers = {}, body } = sent;
      const call = httpRequest(
        { host: url.hostname, port: url.port, method, path, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => {
            const bytes = Buffer.concat(chunks);
            const isJson = response.headers["content-type"]?.includes("json") === true;
            const plain = response.headers["content-encoding"] === "gzip" ? "" : String(bytes);
            const error = isJson && plain !== "" ? (JSON.parse(plain).error ?? "") : "";
            const { statusCode: status = 0, headers } = response;
            resolve({ status, headers, body: bytes, error });
          });
          response.on("error", reject);
        },
      );
      call.on("error", reject);
      call.end(body);
    });
  const raw = (bytes: string): { socket: ReturnType<typeof connect>; text: Promise<string> } => {
    const socket = connect(Number(url.port), url.hostname);
    const text = new Promise<string>((resolve, reject) => {
      let received = "";
      socket.on("data", (chunk) => {
        received += String(chunk);
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(received));
    });
    socket.write(bytes);
    return { socket, text };
  };
  return { ...fixture, send, raw };
}

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

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

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
