/** A thread has a bounded number of connections: requests wait for them, and give them back. */

import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import {
  type Script,
  type ScriptedS3,
  startScriptedS3,
} from "../../../test/support/stores/scripted-s3.ts";
import { OBJECT_BYTES_MAX } from "../../base/byte-sizes.ts";
import { systemClock } from "../../base/clock.ts";
import { ALWAYS, IF_ABSENT, objectKey } from "../object-store.ts";
import type { S3Times } from "./s3-client.ts";
import { S3_SOCKETS_MAX } from "./s3-client.ts";
import { S3ObjectStore } from "./s3-object-store.ts";

const KEY = objectKey("a/key");
const TIMES: S3Times = { connectMs: 1_500, answerMs: 20_000, silenceMs: 60_000 };

let server: ScriptedS3;
let script: Script;
let store: S3ObjectStore;
const saved = { ...process.env };

beforeEach(async () => {
  process.env.AWS_ACCESS_KEY_ID = "key";
  process.env.AWS_SECRET_ACCESS_KEY = "secret";
  server = await startScriptedS3((request, response) => script(request, response));
  const config = { kind: "s3", bucket: "bucket", prefix: "", pathStyle: true } as const;
  store = await S3ObjectStore.open({
    config: { ...config, endpoint: server.url },
    clock: systemClock,
    times: TIMES,
  });
});
afterEach(async () => {
  vi.useRealTimers();
  store.close();
  await server.close();
  process.env = { ...saved };
});

test("a request that waits for a connection has all its time after that", async () => {
  // Those of the SDK, which takes no clock.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const open: ServerResponse[] = [];
  script = (_, response) => void open.push(response.writeHead(200, { "content-length": "1" }));
  const requests = Array.from({ length: S3_SOCKETS_MAX + 3 }, (_, i) =>
    i % 2 === 0 ? store.get(KEY) : store.put(KEY, new Uint8Array(1), ALWAYS),
  );
  const ends = Promise.allSettled(requests);
  // The answers begin, so that none runs out of time, and keep their connections.
  while (open.length < S3_SOCKETS_MAX) await turn();
  for (const response of open) response.flushHeaders();
  await vi.advanceTimersByTimeAsync(TIMES.connectMs + 300);
  expect(open).toHaveLength(S3_SOCKETS_MAX);
  script = (_, response) => void response.end("x");
  for (const response of open) response.end("x");
  const failed = (await ends).filter(({ status }) => status === "rejected");
  expect(failed).toEqual([]);
});

test("bodies that are not read give their connections back", async () => {
  script = (_, response) => {
    const tooLarge = OBJECT_BYTES_MAX + 1;
    response.writeHead(200, { "content-length": String(tooLarge) }).write("its start");
  };
  for (let round = 0; round < S3_SOCKETS_MAX + 1; round++) {
    await expect(store.get(KEY)).rejects.toMatchObject({
      code: "corrupt",
      message: `cannot read ${KEY}: it has 1073741825 bytes, but objects have at most 1073741824`,
    });
  }
  script = (_, response) => void response.end("x");
  expect(await store.get(KEY)).toHaveLength(1);
});

test("a source of credentials that never answers ends in an error", async () => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith("AWS_")) delete process.env[name];
  }
  process.env.HOME = "/nonexistent";
  process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${server.url}/credentials`;
  script = () => undefined;
  const config = { kind: "s3", bucket: "bucket", prefix: "", pathStyle: true } as const;
  const times: S3Times = { connectMs: 100, answerMs: 300, silenceMs: 300 };
  const endpoint = { ...config, endpoint: server.url };
  const clock = new ManualClock();
  const bare = await S3ObjectStore.open({ config: endpoint, clock, times });
  const refused = expect(bare.put(KEY, new Uint8Array(1), IF_ABSENT)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("or the source of credentials, does not answer"),
  });
  while (server.received.length === 0) await turn();
  // All the time that a request of one byte has, its connection and its credentials included.
  await clock.advance(times.answerMs + times.connectMs + times.answerMs + 1);
  await refused;
  expect(server.received.every(({ url }) => url === "/credentials")).toBe(true);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
