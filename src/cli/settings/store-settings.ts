/** From settings to the store that holds the data. */

import { resolve } from "node:path";
import { isObjectKey } from "../../storage/object-store.ts";
import type { S3StoreConfig, StoreConfig } from "../../storage/store-config.ts";
import { SettingFault } from "./parse-setting.ts";
import type { GivenSettings } from "./read-settings.ts";
import { settingValue } from "./setting-value.ts";
import { shownUrl } from "./shown-url.ts";

/** Prefix of all keys in a bucket: S3 allows keys of 1,024 bytes, and ours take up to 350. */
const STORE_PREFIX_CHARS_MAX = 512;

/**
 * The store that the settings name; throws `SettingFault` when they contradict each other. `flag`
 * is how messages call the setting that has the bucket.
 */
export function storeConfig(given: GivenSettings, flag = "--object-store"): StoreConfig {
  const url = settingValue(given, "object-store");
  if (url !== undefined) return s3Config(given, url, flag);
  for (const name of ["s3-endpoint", "s3-region", "s3-path-style"] as const) {
    if (!given.has(name)) continue;
    const fix = `say ${flag} s3://bucket/prefix`;
    throw new SettingFault(`--${name} is set, but the data is in a local directory; ${fix}`);
  }
  return { kind: "directory", root: resolve(settingValue(given, "data-dir")) };
}

/**
 * A store as `trawl certify --store` names it, or another `flag`: a bucket's URL, or else a
 * directory. What looks like
 * a misspelt URL is none: it is refused rather than made a directory (`C:` is a drive).
 */
export function storeOfText(given: GivenSettings, text: string, flag = "--store"): StoreConfig {
  if (text === "")
    throw new SettingFault(`${flag} is empty; say s3://bucket/prefix or a directory`);
  const isUrl = /^[A-Za-z][A-Za-z0-9+.-]+:/.test(text);
  const others = [...given].filter(([name]) => name !== "object-store" && name !== "data-dir");
  return storeConfig(new Map([...others, [isUrl ? "object-store" : "data-dir", text]]), flag);
}

function s3Config(given: GivenSettings, url: string, flag: string): S3StoreConfig {
  if (given.has("data-dir")) {
    throw new SettingFault(
      `--data-dir and --object-store are both set, but the data is in one place; drop --data-dir ` +
        `for ${shownUrl(url)}, or --object-store for the local directory`,
    );
  }
  const { bucket, prefix } = parseUrl(url, flag);
  const endpoint = settingValue(given, "s3-endpoint");
  const region = settingValue(given, "s3-region");
  const style = settingValue(given, "s3-path-style");
  return {
    kind: "s3",
    bucket,
    prefix,
    ...(endpoint !== undefined && { endpoint: checkEndpoint(endpoint) }),
    ...(region !== undefined && { region }),
    pathStyle: style === "auto" ? endpoint !== undefined : style === "on",
  };
}

/** Amazon's rules; other services have the same or laxer ones. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

function parseUrl(url: string, flag: string): { readonly bucket: string; readonly prefix: string } {
  const fault = (rule: string) => new SettingFault(`${flag}: ${shownUrl(url)} ${rule}`);
  const parts = /^s3:\/\/([^/]*)\/?(.*)$/.exec(url);
  if (parts === null) {
    const local = flag === "--object-store" ? "--data-dir" : "its path alone";
    throw fault(`is no URL of the form s3://bucket/prefix; a local directory is ${local}`);
  }
  const bucket = parts[1];
  const prefix = parts[2].replace(/\/+$/, "");
  if (!BUCKET.test(bucket)) {
    throw fault(
      `names the bucket "${bucket}", but buckets have 3 to 63 characters of a-z, 0-9, . and -`,
    );
  }
  if (bucket.endsWith("--x-s3")) {
    throw fault(
      "names a directory bucket, which does not list in order; use a general purpose one",
    );
  }
  if (prefix !== "" && !isObjectKey(prefix)) {
    throw fault(`has the prefix "${prefix}", but prefixes are made of A-Z, a-z, 0-9, _ . - and /`);
  }
  if (prefix.length > STORE_PREFIX_CHARS_MAX) {
    throw fault(
      `has a prefix of ${prefix.length} characters; at most ${STORE_PREFIX_CHARS_MAX} fit`,
    );
  }
  return { bucket, prefix };
}

function checkEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const example = "such as http://127.0.0.1:9000";
    throw new SettingFault(
      `--s3-endpoint: ${shownUrl(endpoint)} is no http or https URL, ${example}`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    const fix = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
    throw new SettingFault(`--s3-endpoint must hold no credentials; ${fix}`);
  }
  return endpoint.replace(/\/+$/, "");
}
