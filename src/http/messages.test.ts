/** Messages as RFC 9112 wants them, over real sockets: targets, hosts, expectations. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpFixture, httpFixture } from "../../test/support/servers/http-fixture.ts";
import { rawConnection } from "../../test/support/servers/raw-connection.ts";

let fixture: HttpFixture;
let url: string;

beforeAll(async () => {
  fixture = httpFixture();
  url = await fixture.server.listen();
});

afterAll(() => fixture.server.close());

/** The first response to some bytes. */
async function answerTo(bytes: string): Promise<string> {
  const { responses, socket } = rawConnection(url, bytes);
  const [answer] = await responses(1);
  socket.destroy();
  return answer;
}

test("a target in absolute form is served, with the host that it names", async () => {
  const target = "http://localhost:8484/v1/namespaces?page_size=1";
  const answer = await answerTo(`GET ${target} HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(fixture.engine.seen.at(-1)).toMatchObject({
    operation: "list_namespaces",
    parameters: { page_size: "1" },
  });
  const evil = "GET http://evil.example/v1/namespaces HTTP/1.1\r\nHost: localhost\r\n\r\n";
  expect(await answerTo(evil)).toMatch(/^HTTP\/1\.1 403 .*'evil\.example'/s);
});

describe("a message is refused with 400 in the API's shape", () => {
  test.each([
    ["without a host", "", "the header `Host` is missing"],
    ["with two hosts", "Host: localhost\r\nHost: other.example\r\n", "was sent 2 times"],
    ["with one host twice", "Host: localhost\r\nhost: localhost\r\n", "was sent 2 times"],
    ["with a bad host", "Host: http://localhost/\r\n", "is invalid"],
  ])("%s", async (_, headers, fault) => {
    const seen = fixture.engine.seen.length;
    for (const path of ["/v1/namespaces", "/healthz", "/nothing"]) {
      const { closed } = rawConnection(url, `GET ${path} HTTP/1.1\r\n${headers}\r\n`);
      const answer = await closed;
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toMatch(/\r\nconnection: close\r\n/i);
      expect(answer).toMatch(/\r\nx-request-id: /i);
      const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
      expect(body).toEqual({ status: "error", error: expect.stringContaining(fault) });
    }
    expect(fixture.engine.seen).toHaveLength(seen);
  });

  test("but HTTP/1.0 needs no host", async () => {
    const { closed } = rawConnection(url, "GET /healthz HTTP/1.0\r\n\r\n");
    expect(await closed).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test("an unknown expectation is refused with 417, and the connection with it", async () => {
  const head = "POST /v2/namespaces/a HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n";
  const { closed } = rawConnection(url, `${head}content-length: 2\r\n\r\n`);
  const answer = await closed;
  expect(answer).toMatch(/^HTTP\/1\.1 417 .*cannot meet the expectation .*tea/s);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
});

test("a tunnel is refused, and not just closed", async () => {
  const { closed } = rawConnection(
    url,
    "CONNECT db.example:1 HTTP/1.1\r\nHost: db.example\r\n\r\n",
  );
  expect(await closed).toMatch(/^HTTP\/1\.1 405 .*\{"status":"error","error":"CONNECT /s);
});

test("HTTP/2 without TLS is refused, and not just closed", async () => {
  const { closed } = rawConnection(url, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  expect(await closed).toMatch(/^HTTP\/1\.1 400 .*\{"status":"error"/s);
});

test("no answer may be read as another type than its content type", async () => {
  const asked = [
    "GET /v1/namespaces HTTP/1.1\r\nHost: localhost",
    "GET / HTTP/1.1\r\nHost: localhost",
    "GET /healthz HTTP/1.1\r\nHost: localhost",
    "GET /metrics HTTP/1.1\r\nHost: localhost",
    "GET /openapi.json HTTP/1.1\r\nHost: localhost",
    "GET /v1/namespaces/a%20b/schema HTTP/1.1\r\nHost: localhost",
    "GET /v1/namespaces/%/schema HTTP/1.1\r\nHost: localhost",
    "GET /nothing HTTP/1.1\r\nHost: localhost",
    "PUT /v1/namespaces HTTP/1.1\r\nHost: localhost",
    "GET /v1/namespaces HTTP/1.1\r\nHost: evil.example",
    "GET /v1/namespaces HTTP/1.1",
    "CONNECT db.example:1 HTTP/1.1\r\nHost: db.example",
    "NONSENSE",
  ];
  for (const head of asked) {
    const answer = await answerTo(`${head}\r\n\r\n`);
    expect([head, answer]).toEqual([
      head,
      expect.stringMatching(/\r\nx-content-type-options: nosniff\r\n/i),
    ]);
  }
});
