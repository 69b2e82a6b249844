import { once } from "node:events";
import { get } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { type HttpFixture, httpFixture } from "../../test/support/servers/http-fixture.ts";
import { KIB, MIB } from "../base/byte-sizes.ts";
import type { HttpConfig } from "./http-config.ts";

let fixture: HttpFixture;
let url: string;

async function open(config: Partial<HttpConfig> = {}): Promise<void> {
  fixture = httpFixture(config);
  url = await fixture.server.listen();
  const piece = () => new Uint8Array(256 * KIB).fill(0x61);
  fixture.engine.answer = () => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body: piece(),
    more: Array.from({ length: 31 }, piece),
  });
}
afterEach(() => {
  const closed = fixture.server.close();
  fixture.server.app.server.closeAllConnections();
  return closed;
});

const path = "/v2/namespaces/a/query";
const ask = () => fetch(url + path, { method: "POST", body: "{}" });
const logged = (message: string) => fixture.lines.filter((line) => line.message === message);

test("all pieces arrive, with their length, or compressed", async () => {
  await open();
  const answer = await fetch(url + path, {
    method: "POST",
    body: "{}",
    headers: { "accept-encoding": "identity" },
  });
  expect(answer.headers.get("content-length")).toBe(String(8 * MIB));
  expect((await answer.arrayBuffer()).byteLength).toBe(8 * MIB);
  const zipped = await ask();
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
  expect(zipped.headers.get("content-length")).toBeNull();
  expect(await zipped.text()).toBe("a".repeat(8 * MIB));
  await vi.waitFor(() => expect(logged("request")).toHaveLength(2));
  expect(logged("request")[0].facts).toMatchObject({ status: 200, bytesOut: 8 * MIB });
});

test("a client that reads nothing is cut off, and makes room", async () => {
  await open({ answerBytesMax: 10 * MIB, answerStallMs: 3000 });
  const { port } = new URL(url);
  const deaf = connect(Number(port), "127.0.0.1");
  deaf.on("error", () => {});
  deaf.pause();
  deaf.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`);
  await vi.waitFor(() => expect(fixture.engine.seen).toHaveLength(1));
  await vi.waitFor(async () => {
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("wait for clients that have not read them");
  });
  fixture.tick(10);
  expect(logged("clients were cut off that read nothing of their answers")).toHaveLength(1);
  const served = await ask();
  expect(served.status).toBe(200);
  expect((await served.text()).length).toBe(8 * MIB);
  deaf.destroy();
});

test("a client that leaves in the middle leaves nothing behind", async () => {
  await open({ answerBytesMax: 10 * MIB });
  const request = get(`${url}/v1/namespaces/a/metadata`);
  const [response] = await once(request, "response");
  response.destroy();
  const isServed = async () => {
    const served = await ask();
    expect(served.status).toBe(200);
    await served.arrayBuffer();
  };
  await vi.waitFor(isServed, { timeout: 10_000 });
});
