/** Entry of the cache thread: wires the store, the cache's memory and the readers' ports. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { EngineMetric } from "../../api/engine.ts";
import { must } from "../../base/assert.ts";
import { systemClock } from "../../base/clock.ts";
import { type SentError, sentError } from "../../base/errors.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { systemRandom } from "../../base/random.ts";
import type { ToCache } from "../../cache/cache-messages.ts";
import { CacheService } from "../../cache/cache-service.ts";
import { Arenas } from "../../kernel/arena.ts";
import { openStoreAccess, type StoreAccessConfig } from "../../storage/access/open-store-access.ts";
import { collectWhenIdle } from "../idle-collection.ts";
import { LargeRequests } from "../large-requests.ts";
import { threadHeap } from "../thread-heap.ts";
import type { LogMessage } from "../thread-messages.ts";
import { METRICS_INTERVAL_MS } from "../thread-messages.ts";
import { cacheThreadMetrics } from "./cache-thread-metrics.ts";

/** What the main thread tells this thread at its start. */
export interface CacheThreadData {
  readonly access: StoreAccessConfig;
  /** Bytes of all cached ranges together. */
  readonly cacheBytesMax: number;
  /** Threads that run kernels over the ranges. */
  readonly kernelThreads: number;
  /** Buffer of `LargeRequests`. */
  readonly largeRequests: SharedArrayBuffer;
  /** One for each thread that reads. */
  readonly readers: readonly MessagePort[];
}

/** Cache thread → main thread. */
export type FromCacheThread =
  | { readonly kind: "failed"; readonly error: SentError }
  | LogMessage
  | { readonly kind: "metrics"; readonly metrics: readonly EngineMetric[] };

const port = must(parentPort, "this module runs as a thread");
const data = workerData as CacheThreadData;
const post = (message: FromCacheThread) => port.postMessage(message);

start().catch((error: unknown) => post({ kind: "failed", error: sentError(error) }));

async function start(): Promise<void> {
  const onDiskFault = (reason: string) =>
    post({ kind: "log", level: "warn", message: "the disk cache rests", facts: { reason } });
  const options = { clock: systemClock, random: systemRandom, onDiskFault };
  const { access } = await openStoreAccess(data.access, options);
  const arenas = new Arenas({ totalBytes: data.cacheBytesMax, threads: data.kernelThreads });
  const store = access.storeFor(undefined);
  const service = new CacheService({ store, arenas, disk: access.disk, nextTurn });
  for (const reader of data.readers) {
    const client = { post: (message: unknown) => reader.postMessage(message) };
    service.connect(client);
    reader.on("message", (message: ToCache) => service.onMessage(client, message));
  }
  systemClock.every(METRICS_INTERVAL_MS, () =>
    post({ kind: "metrics", metrics: cacheThreadMetrics(service, access) }),
  );
  collectWhenIdle(systemClock, threadHeap(), new LargeRequests(data.largeRequests));
}
