/** From settings to the disk cache, and back to flags for the indexer. */

import { resolve } from "node:path";
import { GIB, MIB } from "../../base/byte-sizes.ts";
import type { DiskCacheConfig } from "../../storage/disk-cache/disk-cache-store.ts";
import type { StoreConfig } from "../../storage/store-config.ts";
import { bytesText, SettingFault } from "./parse-setting.ts";
import type { GivenSettings } from "./read-settings.ts";

/** Bytes of the disk cache's directory, unless a setting says otherwise; our choice. */
const DISK_CACHE_BYTES_DEFAULT = 10 * GIB;
/** Least bytes of a disk cache: with fewer, what one query reads would not stay for the next. */
const DISK_CACHE_BYTES_MIN = 64 * MIB;

/**
 * The disk cache in front of a store; undefined where there is none, as for a local directory,
 * whose copies would be no nearer. Throws `SettingFault` when settings contradict each other.
 */
export function diskCacheConfig(
  given: GivenSettings,
  store: StoreConfig,
): DiskCacheConfig | undefined {
  const directory = given.get("disk-cache-dir");
  const bytesMax = given.get("disk-cache-limit") ?? DISK_CACHE_BYTES_DEFAULT;
  if (store.kind === "directory") {
    for (const name of ["disk-cache-dir", "disk-cache-limit"] as const) {
      if (!given.has(name)) continue;
      const fix = "drop it, or say --object-store";
      throw new SettingFault(`--${name} is set, but the data is in a local directory; ${fix}`);
    }
    return undefined;
  }
  if (typeof bytesMax !== "number" || bytesMax === 0) return undefined;
  if (bytesMax < DISK_CACHE_BYTES_MIN) {
    const rule = `0, for no disk cache, or at least ${bytesText(DISK_CACHE_BYTES_MIN)}`;
    throw new SettingFault(`--disk-cache-limit: ${bytesText(bytesMax)} must be ${rule}`);
  }
  return {
    directory: resolve(typeof directory === "string" ? directory : "trawl-cache"),
    bytesMax,
  };
}

/** Flags that name the same cache, of a store that is no local directory. */
export function diskCacheFlags(config: DiskCacheConfig | undefined): readonly string[] {
  if (config === undefined) return ["--disk-cache-limit", "0"];
  const { directory, bytesMax } = config;
  return ["--disk-cache-dir", directory, "--disk-cache-limit", String(bytesMax)];
}
