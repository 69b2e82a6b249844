/** The cache thread's stats for `/metrics`. */

import type { EngineMetric } from "../../api/engine.ts";
import type { CacheService } from "../../cache/cache-service.ts";
import type { StoreAccess } from "../../storage/access/store-access.ts";
import { diskCacheMetrics } from "../disk-cache-metrics.ts";
import { objectStoreMetrics } from "../object-store-metrics.ts";

/** Collects the stats. */
export function cacheThreadMetrics(
  { stats, usedBytes }: CacheService,
  access: StoreAccess,
): EngineMetric[] {
  const counter = (name: string, help: string, value: number): EngineMetric => {
    return { name, help, kind: "counter", value };
  };
  return [
    {
      name: "trawl_cache_bytes",
      help: "stored segments in memory",
      kind: "gauge",
      value: usedBytes,
    },
    counter("trawl_cache_loads_total", "times that a thread asked for bytes", stats.loads),
    counter("trawl_cache_reads_total", "reads for the cache", stats.requests),
    counter("trawl_cache_read_bytes_total", "bytes from the store", stats.storeBytes),
    counter("trawl_cache_disk_bytes_total", "bytes from the disk cache", stats.diskBytes),
    counter("trawl_cache_shrinks_total", "times that the cache was full", stats.shrinks),
    ...objectStoreMetrics(access.counts(), "cache"),
    ...diskCacheMetrics(access.disk, "cache"),
  ];
}
