/**
 * Entry of the write thread: wires the store, the memory and the namespaces to the message port.
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { EmbeddingConfig } from "../api/config.ts";
import { embeddingSource } from "../api/embedding-source.ts";
import { type OperationContext, runOperation } from "../api/write-operations.ts";
import { must } from "../base/assert.ts";
import { systemClock } from "../base/clock.ts";
import { type DatabaseError, isDatabaseError } from "../base/errors.ts";
import { IDLE_SWEEP_MS, MANIFEST_POLL_MS, METRICS_INTERVAL_MS } from "../base/limits.ts";
import { systemRandom } from "../base/random.ts";
import type { FromCache, ToCache } from "../cache/cache-messages.ts";
import { connectCache } from "../cache/cache-reader.ts";
import { CacheWarmer } from "../commit/background/cache-warmer.ts";
import { NamespaceCatalog } from "../commit/namespace-catalog.ts";
import { Arenas } from "../kernel/arena.ts";
import { THRESHOLDS } from "../namespace/thresholds.ts";
import { arenaSegmentMemory } from "../segment/format/arena-segment-memory.ts";
import { probeStore } from "../storage/certify/store-check.ts";
import { CountingObjectStore } from "../storage/counting-object-store.ts";
import { acquireDirectoryLock, type DirectoryLock } from "../storage/directory/directory-lock.ts";
import { type DiskCacheConfig, withDiskCache } from "../storage/disk-cache/disk-cache-store.ts";
import { EncryptingObjectStore } from "../storage/encryption/encrypting-object-store.ts";
import { DATA_KEY_BYTES } from "../storage/encryption/key-service.ts";
import { LocalKeyService } from "../storage/encryption/local-key-service.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { openObjectStore } from "../storage/open-object-store.ts";
import { RetryingObjectStore } from "../storage/retrying-object-store.ts";
import { isExclusive, type StoreConfig, storeName } from "../storage/store-config.ts";
import { diskCacheMetrics } from "../threads/disk-cache-metrics.ts";
import { movableBuffers } from "../threads/movable-buffers.ts";
import type { FromWriteThread, LogMessage, ToWriteThread } from "../threads/thread-messages.ts";
import { WriteService } from "../threads/write/write-service.ts";
import type { SharedParts } from "./namespace-parts.ts";
import { writeThreadMetrics } from "./write-thread-metrics.ts";

/** What the main thread tells this thread at its start. */
export interface WriteThreadData {
  readonly store: StoreConfig;
  readonly diskCache: DiskCacheConfig | undefined;
  readonly encryptionKeysPath: string | undefined;
  readonly embedding: EmbeddingConfig;
  /** Bytes of all segments together. */
  readonly segmentBytesMax: number;
  readonly queryThreads: number;
  /** To the cache thread. */
  readonly cache: MessagePort;
}

const port = must(parentPort, "this module runs as a thread");
const data = workerData as WriteThreadData;
const clock = systemClock;
const random = systemRandom;
const reads = connectCache({
  post: (message: ToCache) => data.cache.postMessage(message),
  listen: (listener: (message: FromCache) => void) => void data.cache.on("message", listener),
});
const post = (message: FromWriteThread) => port.postMessage(message, movableBuffers(message));
const log = (level: LogMessage["level"], message: string, facts: LogMessage["facts"] = {}) =>
  post({ kind: "log", level, message, facts });

start().catch((error: unknown) => {
  const code = isDatabaseError(error) ? error.code : "internal";
  post({ kind: "failed", code, message: error instanceof Error ? error.message : String(error) });
});

async function start(): Promise<void> {
  const opened = await openObjectStore(data.store, { clock, random });
  const lock = data.store.kind === "directory" ? await lockDirectory(data.store.root) : undefined;
  const counting = new CountingObjectStore(opened.store);
  const retrying = new RetryingObjectStore({ store: counting, clock, random });
  if (!opened.exclusive) {
    await probeStore({ store: retrying, name: storeName(data.store), random });
  }
  const onFault = (reason: string) => log("warn", "the disk cache rests", { reason });
  const { store, disk } = withDiskCache(retrying, data.diskCache, { clock, onFault });
  await disk?.prepare();
  const keys = new LocalKeyService({ path: data.encryptionKeysPath, random });
  await keys.prepare();
  const arenas = new Arenas({ totalBytes: data.segmentBytesMax, threads: data.queryThreads });
  arenas.onArena((memory, index) => post({ kind: "arena", index, memory }));
  const parts = namespaceParts(store, keys, arenas);
  const catalog = new NamespaceCatalog(parts, store);
  const context: OperationContext = {
    parts,
    catalog,
    warmer: new CacheWarmer(parts),
    embedding: embeddingSource(data.embedding, clock),
    checkKey: async (keyName) => {
      await keys.wrap(keyName, random.bytes(DATA_KEY_BYTES));
    },
  };
  const service = new WriteService(post, (call, body, reporter) =>
    runOperation(call, body, reporter, context),
  );
  await catalog.recover();
  const metrics = () => [
    ...writeThreadMetrics({ counts: counting.counts(), catalog, arenas }),
    ...diskCacheMetrics(disk, "write"),
  ];
  clock.every(METRICS_INTERVAL_MS, () => post({ kind: "metrics", metrics: metrics() }));
  clock.every(MANIFEST_POLL_MS, () => void catalog.follow(clock.monotonicMs()));
  clock.every(IDLE_SWEEP_MS, () => catalog.closeIdle());
  port.on("message", (message: ToWriteThread) => {
    switch (message.kind) {
      case "release":
        return catalog.release(message.instance, message.version);
      case "used":
        return catalog.use(message.namespaces);
      case "close":
        return void close();
      default:
        return service.hear(message);
    }
  });
  post({ kind: "ready" });

  async function close(): Promise<void> {
    await service.whenIdle();
    await catalog.settle();
    await lock?.release();
    post({ kind: "closed" });
  }
}

function lockDirectory(root: string): Promise<DirectoryLock> {
  const onLost = (reason: DatabaseError) => {
    throw reason; // Ends the thread, and with it the server: another one owns the directory now.
  };
  return acquireDirectoryLock({ root, clock, random, onLost });
}

function namespaceParts(store: ObjectStore, keys: LocalKeyService, arenas: Arenas): SharedParts {
  return {
    clock,
    random,
    log,
    reads,
    memory: arenaSegmentMemory(arenas),
    thresholds: THRESHOLDS,
    isExclusive: isExclusive(data.store),
    storeFor: (settings) => {
      const encryption = settings?.encryption;
      const keyName = encryption?.kind === "customer_managed" ? encryption.keyName : undefined;
      return new EncryptingObjectStore({ store, keys, random, keyName });
    },
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    publish: (namespace, deltas, state) => post({ kind: "publish", namespace, deltas, state }),
  };
}
