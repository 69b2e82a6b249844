import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { jsonAnswer } from "../../../test/support/servers/fake-engine.ts";
import { compressAnswer } from "./compress-answer.ts";

const LARGE = jsonAnswer({ text: "x".repeat(5000) });

test.each([
  "gzip",
  "GZIP",
  "x-gzip",
  "deflate, gzip;q=0.8",
  "gzip;q=0.5, identity;q=0.5",
  "br;q=1, gzip;q=0.001",
  " gzip ; q=1 , identity ;q=0",
  "gzip;q=0.2, identity;q=0.1",
  "*;q=1, gzip;q=0.5",
  "identity;q=0.3, x-gzip;q=0.4, gzip;q=0.1",
])("%j is answered with gzip, and caches are told", async (accepted) => {
  const answer = await compressAnswer(LARGE, accepted);
  expect(answer.headers).toEqual({
    ...LARGE.headers,
    "content-encoding": "gzip",
    vary: "accept-encoding",
  });
  expect(answer.status).toBe(LARGE.status);
  expect(answer.body.byteLength).toBeLessThan(LARGE.body.byteLength);
  expect(gunzipSync(answer.body).equals(LARGE.body)).toBe(true);
});

test.each([
  undefined,
  "",
  "identity",
  "*",
  "br, deflate",
  "gzip;q=0",
  "gzip;q=0.000",
  "gzip;q=0.5, identity",
  "identity;q=0.5, x-gzip;q=0.4, *;q=1",
  "gzipped",
])("%j is answered as it is", async (accepted) => {
  expect(await compressAnswer(LARGE, accepted)).toBe(LARGE);
});

test("answers below 1 KiB are not worth it", async () => {
  const bodyOf = (bytes: number) => ({ ...LARGE, body: new Uint8Array(bytes) });
  expect((await compressAnswer(bodyOf(1023), "gzip")).headers).not.toHaveProperty("vary");
  expect((await compressAnswer(bodyOf(1024), "gzip")).headers).toHaveProperty("vary");
});
