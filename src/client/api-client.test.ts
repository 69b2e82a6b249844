import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import { TLS_PAIRS } from "../../test/support/servers/tls-pairs.ts";
import { seededRandom } from "../base/random.ts";
import { transportFault } from "./answer-fault.ts";
import { ApiClient, apiPath, type ClientOptions } from "./api-client.ts";
import type { ClientError } from "./client-error.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let handlers: Handler[] = [];
let seen: { readonly line: string; readonly headers: IncomingMessage["headers"] }[] = [];
let url = "";
let clients: ApiClient[] = [];
const server = createServer((request, response) => {
  seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
  const handle = handlers.length > 1 ? handlers.shift() : handlers[0];
  handle?.(request, response);
});

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  handlers = [answering(200, { ok: true })];
  seen = [];
  clients = [];
});

afterEach(async () => {
  for (const client of clients) client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function clientOf(options: Partial<ClientOptions> = {}): ApiClient {
  const clock = new InstantClock();
  const client = new ApiClient({ url, clock, random: seededRandom(1), ...options });
  clients.push(client);
  return client;
}

function answering(status: number, body: unknown, headers = {}): Handler {
  return (request, response) => {
    request.resume();
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

function refusing(status: number, error: string, headers = {}): Handler {
  return answering(status, { status: "error", error }, headers);
}

async function faultOf(work: Promise<unknown>): Promise<ClientError> {
  return work.then(
    () => expect.unreachable(),
    (error: ClientError) => error,
  );
}

async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const GET = { method: "GET", path: "/x" } as const;

test("a request has the key, the parameters that are given, and its JSON", async () => {
  let body = "";
  handlers = [
    async (request, response) => {
      for await (const chunk of request) body += chunk;
      response.end('{"ok":true}');
    },
  ];
  const answer = await clientOf({ apiKey: "secret" }).json({
    method: "POST",
    path: apiPath("v2", "namespaces", "a b/c"),
    parameters: { prefix: "ä", cursor: undefined, page_size: 5 },
    json: { a: [1] },
  });
  expect(answer).toEqual({ ok: true });
  expect(seen[0].line).toBe("POST /v2/namespaces/a%20b%2Fc?prefix=%C3%A4&page_size=5");
  expect(seen[0].headers).toMatchObject({
    authorization: "Bearer secret",
    "content-type": "application/json",
    "content-length": "9",
  });
  expect(body).toBe('{"a":[1]}');
});

test("connections stay open between requests", async () => {
  const ports = new Set<number | undefined>();
  server.once("connection", (socket) => ports.add(socket.remotePort));
  handlers = [
    (request, response) => {
      ports.add(request.socket.remotePort);
      response.end("{}");
    },
  ];
  const client = clientOf();
  for (let i = 0; i < 3; i++) await client.json(GET);
  expect(ports.size).toBe(1);
});

test("bodies are streamed both ways", async () => {
  handlers = [
    (request, response) => {
      request.pipe(response); // The first piece comes back before the last is sent.
    },
  ];
  const { promise: echoed, resolve } = Promise.withResolvers<void>();
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("first,");
    await echoed;
    yield Buffer.from("last");
  }
  const answer = await clientOf().send({ method: "POST", path: "/", body });
  let text = "";
  for await (const chunk of answer.chunks()) {
    text += chunk;
    resolve();
  }
  expect(text).toBe("first,last");
});

test("a refusal for now is sent again after the time that it names, and told", async () => {
  handlers = [
    refusing(429, "busy", { "retry-after-ms": "1500" }),
    refusing(503, "no store", { "retry-after": "2" }),
    refusing(202, "index is being built", { "retry-after-ms": "1000" }),
    answering(200, { ok: true }),
  ];
  const told: [string, number][] = [];
  const clock = new InstantClock();
  const startMs = clock.nowMs();
  const onRetry = (fault: ClientError, waitMs: number) => told.push([fault.message, waitMs]);
  const body = () => chunksOf("a", "b");
  await clientOf({ clock, onRetry }).send({ method: "POST", path: "/x", body });
  expect(seen).toHaveLength(4);
  expect(told.map(([message]) => message)).toEqual([
    "busy; the server says to try again in 1.5 s",
    "no store; the server says to try again in 2.0 s",
    "index is being built; the server says to try again in 1.0 s",
  ]);
  expect(clock.nowMs() - startMs).toBe(told.reduce((sum, [, ms]) => sum + ms, 0));
});

test("a refusal that lasts is thrown in the end", async () => {
  handlers = [refusing(429, "busy", { "retry-after-ms": "700" })];
  const fault = await faultOf(clientOf({ retryWaitMsMax: 2_000 }).send(GET));
  expect([fault.kind, fault.status, fault.retryAfterMs]).toEqual(["refused", 429, 700]);
  expect(seen).toHaveLength(3);
});

test("a request that is sent once is not sent again", async () => {
  handlers = [refusing(429, "busy", { "retry-after-ms": "700" })];
  expect((await faultOf(clientOf().send({ ...GET, once: true }))).status).toBe(429);
  expect(seen).toHaveLength(1);
});

test("other errors are the server's words, and say what to do about a key", async () => {
  handlers = [refusing(404, "no such namespace"), refusing(401, "bad key")];
  const missing = await faultOf(clientOf().send(GET));
  expect([missing.status, missing.message]).toEqual([404, "no such namespace"]);
  expect((await faultOf(clientOf().send(GET))).message).toBe(
    "bad key; give the server's key with --api-key or TURBOPUFFER_API_KEY",
  );
});

test("a 202 that tells where to ask is an answer", async () => {
  handlers = [answering(202, { token: "t" }, { location: "/v1/x" })];
  expect((await clientOf().send(GET)).status).toBe(202);
});

test("what is no Trawl server is said to be none", async () => {
  handlers = [answering(404, "<html>nothing here</html>"), answering(200, "<html>")];
  const fault = await faultOf(clientOf().send(GET));
  expect(fault.kind).toBe("misunderstood");
  expect(fault.message).toContain(`GET ${url}/x answers 404 without the API's words (<html>noth`);
  const other = await faultOf(clientOf().json(GET));
  expect(other.message).toContain("answers no JSON (<html>); is a Trawl server there?");
});

test("what the server says of a URL is said as it is", async () => {
  const said = "Invalid URL: Namespace contains invalid characters, must be [A-Za-z0-9-_.]";
  handlers = [answering(400, said)];
  const fault = await faultOf(clientOf().send(GET));
  expect(fault).toMatchObject({ kind: "refused", status: 400, message: said });
});

test("a refused body is not sent to its end", async () => {
  handlers = [
    (_request, response) => {
      response.writeHead(413);
      response.end('{"error":"too large"}');
    },
  ];
  let isClosed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(65_536);
    } finally {
      isClosed = true;
    }
  }
  const fault = await faultOf(clientOf().send({ method: "POST", path: "/", body: endless }));
  expect(fault.message).toBe("too large");
  await expect.poll(() => isClosed).toBe(true);
});

test("a fault of the body's source is thrown as it is", async () => {
  // biome-ignore lint/correctness/useYield: it fails before there is anything to yield.
  async function* broken(): AsyncGenerator<Uint8Array> {
    throw new Error("cannot read the file");
  }
  const sent = clientOf().send({ method: "POST", path: "/", body: broken, repeatable: true });
  await expect(sent).rejects.toThrow("cannot read the file");
});

test("a server that is not there is named, with what to do", async () => {
  const gone = clientOf({ url: "http://127.0.0.1:1" });
  const fault = await faultOf(gone.send(GET));
  expect(fault.kind).toBe("unreachable");
  expect(fault.message).toBe(
    "cannot reach http://127.0.0.1:1: nothing listens there; start a server with `npm start`, " +
      "or name another one with --url or TURBOPUFFER_BASE_URL",
  );
});

test("a TLS error names the reason and the fix", async () => {
  const [{ cert, key }] = TLS_PAIRS;
  const secure = https.createServer({ cert, key }, (_, response) => response.end("{}"));
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  const securePort = (secure.address() as AddressInfo).port;
  const faultAt = async (at: string) => {
    const { kind, message } = await faultOf(clientOf({ url: at }).send({ ...GET, once: true }));
    expect([kind, message.includes("\n")]).toEqual(["unreachable", false]);
    return message.replace(/127\.0\.0\.1:\d+/g, "HOST");
  };
  expect(await faultAt(`https://127.0.0.1:${securePort}`)).toBe(
    "cannot reach https://HOST: this machine does not trust its certificate; set " +
      "NODE_EXTRA_CA_CERTS to a file with that certificate or its issuer's",
  );
  expect(await faultAt(url.replace("http:", "https:"))).toBe(
    "cannot reach https://HOST: what listens there does not speak TLS, or another version of " +
      "it; use a URL that begins with http:// if it speaks HTTP",
  );
  expect(await faultAt(`http://127.0.0.1:${securePort}`)).toBe(
    "cannot reach http://HOST: the connection was closed; look into the log of the server, or " +
      "use https:// if it speaks TLS",
  );
  secure.closeAllConnections();
  secure.close();
});

test.each([
  ["CERT_HAS_EXPIRED", {}, "its certificate has expired; renew it on the server"],
  ["CERT_NOT_YET_VALID", {}, "its certificate is not valid yet; set the clock of this machine"],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    { cert: { subjectaltname: "DNS:db.example" } },
    "its certificate is for other names (DNS:db.example); use a URL with one of these",
  ],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", {}, "this machine does not trust its certificate; set N"],
])("the TLS error %s names the fix", (code, more, said) => {
  const error = Object.assign(new Error("of a library"), { code, ...more });
  expect(transportFault(error, "https://a", undefined).message).toContain(`https://a: ${said}`);
});

test("a broken connection is tried again where that changes nothing", async () => {
  const cut: Handler = (request) => request.socket.destroy();
  const client = clientOf();
  await client.json(GET);
  handlers = [cut, answering(200, {})];
  await client.json(GET);
  handlers = [cut];
  const fault = await faultOf(client.send({ ...GET, method: "POST" }));
  expect(fault.message).toContain("the connection was closed");
  expect(seen.filter(({ line }) => line.startsWith("POST"))).toHaveLength(1);
});

test("an answer that is cut off is an error", async () => {
  handlers = [
    (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{", () => response.destroy());
    },
  ];
  const fault = await faultOf(clientOf().json(GET));
  expect(fault.message).toContain("was cut off");
});

test("a server that sends nothing is given up, before its answer and within", async () => {
  const impatient = clientOf({ silenceMsMax: 30 });
  handlers = [() => {}];
  const fault = await faultOf(impatient.send(GET));
  expect([fault.kind, fault.message]).toEqual([
    "timed_out",
    `${url}/x sent nothing for 0.03 s; try a longer --timeout`,
  ]);
  handlers = [(_request, response) => void response.write("{")];
  expect((await faultOf(impatient.json(GET))).kind).toBe("timed_out");
});

test("an aborted request ends with the signal's reason", async () => {
  const interruption = new AbortController();
  handlers = [() => interruption.abort(new Error("interrupted"))];
  const sent = clientOf().send({ ...GET, signal: interruption.signal });
  await expect(sent).rejects.toThrow("interrupted");
  await expect(clientOf().send({ ...GET, signal: interruption.signal })).rejects.toThrow(
    "interrupted",
  );
});

test("a request that is not to be sent again fails while it waits for its next try", async () => {
  handlers = [refusing(429, "busy", { "retry-after-ms": "700" })];
  const last = new AbortController();
  const waits: number[] = [];
  const client = clientOf({
    clock: new ManualClock(),
    onRetry: (_fault, waitMs) => waits.push(waitMs),
  });
  const sent = faultOf(client.send({ ...GET, lastTry: last.signal }));
  await expect.poll(() => waits.length).toBe(1);
  last.abort(new Error("stopped"));
  expect((await sent).message).toContain("busy");
  expect((await faultOf(client.send({ ...GET, lastTry: last.signal }))).message).toContain("busy");
  expect([waits.length, seen.length]).toEqual([1, 2]);
});
