import { expect, test } from "vitest";
import { banner } from "./banner.ts";
import type { ServerConfig } from "./settings/server-config.ts";

type Store = ServerConfig["engine"]["store"];

function shown(store: Store, address: string, apiKey?: string): string {
  const started = {
    version: "1.2.3",
    address,
    isLocked: apiKey !== undefined,
    pages: ["/console"],
  };
  return banner({ apiKey, engine: { store } } as ServerConfig, started);
}

const DIRECTORY: Store = { kind: "directory", root: "/data" };

test("the last lines can be copied into a shell", () => {
  const text = shown(DIRECTORY, "http://127.0.0.1:8080");
  expect(text).toMatch(/^Trawl 1\.2\.3\n {2}address {9}http:\/\/127\.0\.0\.1:8080\n/);
  expect(text).toContain("  console         http://127.0.0.1:8080/console/\n");
  expect(text).toContain("data directory  /data\n");
  expect(text).toContain("authentication  off");
  expect(text).toContain("export TURBOPUFFER_BASE_URL=http://127.0.0.1:8080\n");
  expect(text).toContain("export TURBOPUFFER_API_KEY=unused\n");
});

test("the key is not shown", () => {
  const text = shown(DIRECTORY, "http://127.0.0.1:8080", "tpuf_secret");
  expect(text).not.toContain("tpuf_secret");
  expect(text).toContain("authentication  on");
  expect(text).toContain("export TURBOPUFFER_API_KEY=<the API key>\n");
});

test.each([
  ["http://0.0.0.0:80", "http://127.0.0.1:80"],
  ["http://[::]:80", "http://[::1]:80"],
  ["http://10.0.0.1:80", "http://10.0.0.1:80"],
])("%s is reached by %s", (address, url) => {
  const text = shown(DIRECTORY, address);
  expect(text).toContain(`address         ${address}\n`);
  expect(text).toContain(`TURBOPUFFER_BASE_URL=${url}\n`);
});

test("a bucket is named, and says when writes are safe", () => {
  const store: Store = { kind: "s3", bucket: "my-bucket", prefix: "p", pathStyle: false };
  const text = shown(store, "http://127.0.0.1:8080");
  expect(text).toMatch(/storage .*my-bucket/);
  expect(text).toContain("in the bucket before it is acknowledged");
  expect(text).not.toContain("data directory");
});
