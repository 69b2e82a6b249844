import { resolve } from "node:path";
import { expect, test } from "vitest";
import { diskCacheConfig } from "./disk-cache-settings.ts";
import { readSettings } from "./read-settings.ts";
import { storeConfig } from "./store-settings.ts";

const BUCKET = { "object-store": "s3://data" };

function configOf(flags: Record<string, string>) {
  const given = readSettings({ flags, environment: {} });
  return diskCacheConfig(given, storeConfig(given));
}

test("a bucket has a disk cache unless it is turned off", () => {
  const directory = resolve("trawl-cache");
  expect(configOf(BUCKET)).toEqual({ directory, bytesMax: 10 * 2 ** 30 });
  expect(configOf({ ...BUCKET, "disk-cache-limit": "0" })).toBeUndefined();
  const given = { "disk-cache-dir": "/var/c", "disk-cache-limit": "3GiB" };
  expect(configOf({ ...BUCKET, ...given })).toEqual({
    directory: "/var/c",
    bytesMax: 3 * 2 ** 30,
  });
});

test("a cache that is too small to be of use is refused", () => {
  const given = (limit: string) => ({ ...BUCKET, "disk-cache-limit": limit });
  expect(configOf(given("64MiB"))?.bytesMax).toBe(64 * 2 ** 20);
  expect(() => configOf(given("63MiB"))).toThrow(
    "63MiB must be 0, for no disk cache, or at least 64MiB",
  );
});

test("a local directory has none, and to ask for one is refused", () => {
  expect(configOf({})).toBeUndefined();
  for (const name of ["disk-cache-dir", "disk-cache-limit"]) {
    expect(() => configOf({ [name]: "1" })).toThrow(`--${name} is set, but the data is in a local`);
  }
});
