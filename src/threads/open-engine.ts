/** Starts the threads and connects them. */

import { MessageChannel } from "node:worker_threads";
import type { EngineConfig } from "../api/config.ts";
import type { Engine } from "../api/engine.ts";
import { systemClock } from "../base/clock.ts";
import { CACHE_MEMORY_SHARE, SEGMENT_MEMORY_SHARE } from "../base/limits.ts";
import { systemRandom } from "../base/random.ts";
import type { CacheThreadData, FromCacheThread } from "../engine/cache-thread.ts";
import type { WriteThreadData } from "../engine/write-thread.ts";
import { compileKernel } from "../kernel/load-kernel.ts";
import { isExclusive } from "../storage/store-config.ts";
import { batchingPort } from "./message-batch.ts";
import type { QueryThreadData } from "./query/query-thread.ts";
import type {
  FromQueryThread,
  FromWriteThread,
  ToQueryThread,
  ToWriteThread,
} from "./thread-messages.ts";
import { startThread } from "./thread-port.ts";
import { ThreadedEngine } from "./threaded-engine.ts";

/**
 * Opens the database in `config.store`. Throws `conflict` if another server owns the directory.
 * A thread that crashes ends the process: what was acknowledged is durable, and a restart is clean.
 */
export async function openEngine(config: EngineConfig): Promise<Engine> {
  const { store, diskCache, queryThreads, embedding, log } = config;
  const onCrash = (error: Error) => {
    log("error", "a thread has crashed; the server ends", { stack: error.stack });
    throw error;
  };
  const kernel = await compileKernel(config.kernel);
  const cacheBytesMax = Math.floor(config.memoryBytesMax * CACHE_MEMORY_SHARE);
  const writeCache = new MessageChannel();
  const queryCaches = Array.from({ length: queryThreads }, () => new MessageChannel());
  const writeData: WriteThreadData = {
    store,
    diskCache,
    encryptionKeysPath: config.encryptionKeysPath,
    embedding,
    segmentBytesMax: Math.floor(config.memoryBytesMax * SEGMENT_MEMORY_SHARE),
    queryThreads,
    cache: writeCache.port1,
  };
  // Each thread may hold that much at a time, and as much again of other things.
  const scanBytesMax = Math.floor(cacheBytesMax / (2 * (queryThreads + 1)));
  const readers = [writeCache, ...queryCaches].map(({ port2 }) => port2);
  const cacheData: CacheThreadData = {
    store,
    diskCache,
    encryptionKeysPath: config.encryptionKeysPath,
    cacheBytesMax,
    kernelThreads: queryThreads,
    readers,
  };
  const engine = new ThreadedEngine({
    clock: systemClock,
    random: systemRandom,
    log,
    isShared: !isExclusive(store),
    writeThread: startThread<ToWriteThread, FromWriteThread>(
      "write-thread",
      { data: writeData, ports: [writeCache.port1] },
      onCrash,
    ),
    queryThreads: queryCaches.map(({ port1 }, thread) => {
      const data: QueryThreadData = { thread, kernel, embedding, scanBytesMax, cache: port1 };
      const port = startThread<readonly ToQueryThread[], readonly FromQueryThread[]>(
        "query-thread",
        { data, ports: [port1] },
        onCrash,
      );
      return batchingPort(port, systemClock);
    }),
    cacheThread: startThread<never, FromCacheThread>(
      "cache-thread",
      { data: cacheData, ports: readers },
      onCrash,
    ),
  });
  try {
    await engine.ready();
  } catch (error) {
    await engine.abandon();
    throw error;
  }
  return engine;
}
