/** From settings to the disk cache. */

import { MIB } from "../../base/byte-sizes.ts";
import type { DiskCacheConfig } from "../../storage/disk-cache/disk-cache-store.ts";
import type { StoreConfig } from "../../storage/store-config.ts";
import { bytesText, SettingFault } from "./parse-setting.ts";
import type { GivenSettings } from "./read-settings.ts";
import { settingValue } from "./setting-value.ts";

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
  const bytesMax = settingValue(given, "disk-cache-limit");
  if (store.kind === "directory") {
    for (const name of ["disk-cache-dir", "disk-cache-limit"] as const) {
      if (!given.has(name)) continue;
      const fix = "drop it, or say --object-store";
      throw new SettingFault(`--${name} is set, but the data is in a local directory; ${fix}`);
    }
    return undefined;
  }
  if (bytesMax === 0) return undefined;
  if (bytesMax < DISK_CACHE_BYTES_MIN) {
    const rule = `0, for no disk cache, or at least ${bytesText(DISK_CACHE_BYTES_MIN)}`;
    throw new SettingFault(`--disk-cache-limit: ${bytesText(bytesMax)} must be ${rule}`);
  }
  return { directory: settingValue(given, "disk-cache-dir"), bytesMax };
}
