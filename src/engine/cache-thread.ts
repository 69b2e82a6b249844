/** Entry of the cache thread: wires the store, the cache's memory and the readers' ports. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { EngineMetric } from "../api/engine.ts";
import { must } from "../base/assert.ts";
import { systemClock } from "../base/clock.ts";
import { isDatabaseError } from "../base/errors.ts";
import { METRICS_INTERVAL_MS } from "../base/limits.ts";
import { systemRandom } from "../base/random.ts";
import type { ToCache } from "../cache/cache-messages.ts";
import { CacheService } from "../cache/cache-service.ts";
import { Arenas } from "../kernel/arena.ts";
import { type DiskCacheConfig, withDiskCache } from "../storage/disk-cache/disk-cache-store.ts";
import { EncryptingObjectStore } from "../storage/encryption/encrypting-object-store.ts";
import { LocalKeyService } from "../storage/encryption/local-key-service.ts";
import { openObjectStore } from "../storage/open-object-store.ts";
import { RetryingObjectStore } from "../storage/retrying-object-store.ts";
import type { StoreConfig } from "../storage/store-config.ts";
import { diskCacheMetrics } from "../threads/disk-cache-metrics.ts";
import type { LogMessage } from "../threads/thread-messages.ts";

/** What the main thread tells this thread at its start. */
export interface CacheThreadData {
  readonly store: StoreConfig;
  readonly diskCache: DiskCacheConfig | undefined;
  readonly encryptionKeysPath: string | undefined;
  /** Bytes of all cached ranges together. */
  readonly cacheBytesMax: number;
  /** Threads that run kernels over the ranges. */
  readonly kernelThreads: number;
  /** One for each thread that reads. */
  readonly readers: readonly MessagePort[];
}

/** Cache thread → main thread. */
export type FromCacheThread =
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  | LogMessage
  | { readonly kind: "metrics"; readonly metrics: readonly EngineMetric[] };

const port = must(parentPort, "this module runs as a thread");
const data = workerData as CacheThreadData;
const post = (message: FromCacheThread) => port.postMessage(message);

start().catch((error: unknown) => {
  const code = isDatabaseError(error) ? error.code : "internal";
  post({ kind: "failed", code, message: error instanceof Error ? error.message : String(error) });
});

async function start(): Promise<void> {
  const random = systemRandom;
  const clock = systemClock;
  const opened = await openObjectStore(data.store, { clock, random });
  const retrying = new RetryingObjectStore({ store: opened.store, clock, random });
  const onFault = (reason: string) =>
    post({ kind: "log", level: "warn", message: "the disk cache rests", facts: { reason } });
  const near = withDiskCache(retrying, data.diskCache, { clock, onFault });
  const { disk } = near;
  const keys = new LocalKeyService({ path: data.encryptionKeysPath, random });
  const store = new EncryptingObjectStore({ store: near.store, keys, random, keyName: undefined });
  const arenas = new Arenas({ totalBytes: data.cacheBytesMax, threads: data.kernelThreads });
  const service = new CacheService({ store, arenas, disk });
  for (const reader of data.readers) {
    const client = { post: (message: unknown) => reader.postMessage(message) };
    service.connect(client);
    reader.on("message", (message: ToCache) => service.hear(client, message));
  }
  systemClock.every(METRICS_INTERVAL_MS, () =>
    post({ kind: "metrics", metrics: [...metrics(service), ...diskCacheMetrics(disk, "cache")] }),
  );
}

function metrics({ totals, usedBytes }: CacheService): EngineMetric[] {
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
    counter("trawl_cache_loads_total", "times that a thread asked for bytes", totals.loads),
    counter("trawl_cache_reads_total", "reads for the cache", totals.requests),
    counter("trawl_cache_read_bytes_total", "bytes from the store", totals.storeBytes),
    counter("trawl_cache_disk_bytes_total", "bytes from the disk cache", totals.diskBytes),
    counter("trawl_cache_shrinks_total", "times that the cache was full", totals.shrinks),
  ];
}
