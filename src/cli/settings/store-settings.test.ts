import { describe, expect, test } from "vitest";
import type { StoreConfig } from "../../storage/store-config.ts";
import { storeName } from "../../storage/store-config.ts";
import { readSettings } from "./read-settings.ts";
import { storeConfig, storeOfText } from "./store-settings.ts";

const given = (flags: Record<string, string>, environment: Record<string, string> = {}) =>
  readSettings({ flags, environment });

describe("the store that settings name", () => {
  test.each<[Record<string, string>, StoreConfig, string]>([
    [
      { "object-store": "s3://data" },
      { kind: "s3", bucket: "data", prefix: "", pathStyle: false },
      "s3://data",
    ],
    [
      { "object-store": "s3://my.data-1/a/b_c/", "s3-region": "eu-central-1" },
      {
        kind: "s3",
        bucket: "my.data-1",
        prefix: "a/b_c",
        region: "eu-central-1",
        pathStyle: false,
      },
      "s3://my.data-1/a/b_c",
    ],
    [
      { "object-store": "s3://data/x", "s3-endpoint": "http://127.0.0.1:9000/" },
      {
        kind: "s3",
        bucket: "data",
        prefix: "x",
        endpoint: "http://127.0.0.1:9000",
        pathStyle: true,
      },
      "s3://data/x at http://127.0.0.1:9000",
    ],
    [
      {
        "object-store": "s3://data",
        "s3-endpoint": "https://storage.example",
        "s3-path-style": "off",
      },
      {
        kind: "s3",
        bucket: "data",
        prefix: "",
        endpoint: "https://storage.example",
        pathStyle: false,
      },
      "s3://data at https://storage.example",
    ],
    [{ "data-dir": "/var/x" }, { kind: "directory", root: "/var/x" }, "data directory /var/x"],
  ])("%j", (flags, config, name) => {
    expect(storeConfig(given(flags))).toEqual(config);
    expect(storeName(config)).toBe(name);
  });

  test("the environment names it, too", () => {
    const environment = { TRAWL_OBJECT_STORE: "s3://data/p", TRAWL_S3_PATH_STYLE: "on" };
    expect(storeConfig(given({}, environment))).toMatchObject({ prefix: "p", pathStyle: true });
  });

  test("`--store` of certify takes a bucket or a directory", () => {
    const s3 = given({ "s3-region": "r" });
    expect(storeOfText(s3, "s3://data/p")).toMatchObject({ bucket: "data", region: "r" });
    expect(storeOfText(given({}), "/var/x")).toEqual({ kind: "directory", root: "/var/x" });
    const served = given({ "object-store": "s3://other" });
    expect(storeOfText(served, "/var/x")).toEqual({ kind: "directory", root: "/var/x" });
    expect(() => storeOfText(s3, "/var/x")).toThrow("--s3-region is set");
    expect(() => storeOfText(given({}), "gs://data")).toThrow("no URL of the form s3://");
    expect(() => storeOfText(given({}), "s3://Data")).toThrow("--store: s3://Data names");
    expect(() => storeOfText(s3, "/var/x")).toThrow("say --store s3://bucket/prefix");
    expect(() => storeOfText(given({}), "s3:/data")).toThrow("directory is its path alone");
    expect(() => storeOfText(given({}), "")).toThrow("--store is empty");
  });
});

describe("refusals", () => {
  test.each<[Record<string, string>, string]>([
    [{ "object-store": "/var/data" }, "/var/data is no URL of the form s3://bucket/prefix"],
    [{ "object-store": "https://data.s3.amazonaws.com" }, "no URL of the form s3://bucket/prefix"],
    [{ "object-store": "gs://data" }, "a local directory is --data-dir"],
    [{ "object-store": "s3://" }, 'the bucket ""'],
    [{ "object-store": "s3://Data" }, "3 to 63 characters of a-z"],
    [{ "object-store": "s3://data--usw2-az1--x-s3" }, "names a directory bucket, which does not"],
    [{ "object-store": "s3://data/a b" }, 'has the prefix "a b"'],
    [{ "object-store": "s3://data/../b" }, 'has the prefix "../b"'],
    [{ "object-store": `s3://data/${"x".repeat(600)}` }, "600 characters; at most 512 fit"],
    [{ "object-store": "s3://data", "data-dir": "x" }, "--data-dir and --object-store are both"],
    [{ "object-store": "s3://data", "s3-endpoint": "localhost:9000" }, "is no http or https URL"],
    [{ "object-store": "s3://data", "s3-endpoint": "http://a:b@x" }, "must hold no credentials"],
    [{ "object-store": "s3://data", "s3-path-style": "yes" }, "is not one of: auto, on, off"],
    [{ "s3-endpoint": "http://x" }, "--s3-endpoint is set, but the data is in a local directory"],
    [{ "s3-region": "x", "data-dir": "y" }, "say --object-store s3://bucket/prefix"],
    [{ "s3-path-style": "on" }, "--s3-path-style is set"],
  ])("%j", (flags, message) => {
    expect(() => storeConfig(given(flags))).toThrow(message);
  });
});
