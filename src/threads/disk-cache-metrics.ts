/** A thread's use of the disk cache, for `/metrics`. */

import type { EngineMetric } from "../api/engine.ts";
import type { DiskCache } from "../storage/disk-cache/disk-cache.ts";

/** Collects the stats; none without a disk cache. */
export function diskCacheMetrics(
  disk: Pick<DiskCache, "stats"> | undefined,
  thread: "cache" | "write",
): EngineMetric[] {
  if (disk === undefined) return [];
  const { hits, misses, readBytes, writtenBytes, evictions, faults } = disk.stats;
  const counter = (name: string, help: string, value: number): EngineMetric => {
    return { name: `trawl_disk_cache_${name}_total`, help, kind: "counter", value, labels };
  };
  const labels = { thread };
  return [
    counter("hits", "reads that the disk cache answered alone", hits),
    counter("misses", "reads for which the store was asked", misses),
    counter("read_bytes", "bytes read from the disk cache", readBytes),
    counter("written_bytes", "bytes written to the disk cache", writtenBytes),
    counter("evictions", "regions of objects that others took the place of", evictions),
    counter("faults", "times that the disk failed", faults),
  ];
}
