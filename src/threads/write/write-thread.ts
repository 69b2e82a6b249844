/** Entry of the write thread: opens the store and the memory, and connects the message port. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type EmbeddingSettings, embeddingSource } from "../../api/embedding-source.ts";
import { must } from "../../base/assert.ts";
import { BlockPool } from "../../base/block-pool.ts";
import { systemClock } from "../../base/clock.ts";
import { type DatabaseError, sentError } from "../../base/errors.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { systemRandom } from "../../base/random.ts";
import type { FromCache, ToCache } from "../../cache/cache-messages.ts";
import { connectCache } from "../../cache/cache-reader.ts";
import type { CheckpointPeriod } from "../../commit/checkpoints/periodic-checkpoints.ts";
import { Arenas } from "../../kernel/arena.ts";
import { repairCopy } from "../../namespace/recovery/repair-copy.ts";
import { THRESHOLDS } from "../../namespace/thresholds.ts";
import { openStoreAccess, type StoreAccessConfig } from "../../storage/access/open-store-access.ts";
import {
  acquireDirectoryLock,
  type DirectoryLock,
} from "../../storage/directory/directory-lock.ts";
import { isExclusive } from "../../storage/store-config.ts";
import { collectWhenIdle } from "../idle-collection.ts";
import { LargeRequests } from "../large-requests.ts";
import { movableBuffers } from "../movable-buffers.ts";
import { loadedModelMetrics } from "../static-model-metrics.ts";
import { threadHeap } from "../thread-heap.ts";
import type { FromWriteThread, LogMessage } from "../thread-messages.ts";
import { IDLE_SWEEP_MS, METRICS_INTERVAL_MS } from "../thread-messages.ts";
import { LongestTurns } from "./longest-turns.ts";
import { keepCurrent, serveWrites } from "./serve-writes.ts";
import { SliceTurns } from "./slice-turns.ts";
import { writeThreadMetrics } from "./write-thread-metrics.ts";

/** What the main thread tells this thread at its start. */
export interface WriteThreadData {
  readonly access: StoreAccessConfig;
  readonly embedding: EmbeddingSettings;
  /** Bytes of all segments together. */
  readonly segmentBytesMax: number;
  /** Heap that documents of writes may take beyond their JSON, until they are committed. */
  readonly writeBytesMax: number;
  readonly kernelThreads: number;
  readonly checkpoints?: CheckpointPeriod | undefined;
  /** Buffer of `LargeRequests`. */
  readonly largeRequests: SharedArrayBuffer;
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

start().catch((error: unknown) => post({ kind: "failed", error: sentError(error) }));

async function start(): Promise<void> {
  const onDiskFault = (reason: string) => log("warn", "the disk cache rests", { reason });
  const opened = await openStoreAccess(data.access, { clock, random, onDiskFault });
  const { access, keys } = opened;
  const { store } = data.access;
  const lock = store.kind === "directory" ? await lockDirectory(store.root) : undefined;
  await opened.prepare();
  if (lock?.isCopy) {
    await repairCopy({ store: access.storeFor(undefined), log });
    await lock.settle();
  }
  const arenas = new Arenas({ totalBytes: data.segmentBytesMax, threads: data.kernelThreads });
  const blocks = isExclusive(store) ? new BlockPool() : undefined;
  const embedding = embeddingSource(data.embedding, clock);
  const slices = new SliceTurns(nextTurn);
  const catalog = await serveWrites({
    clock,
    random,
    log,
    access,
    keys,
    arenas,
    reads,
    embedding,
    thresholds: THRESHOLDS,
    writeBytesMax: data.writeBytesMax,
    isExclusive: isExclusive(store),
    checkpoints: data.checkpoints,
    blocks,
    yield: (use) => (use === undefined ? nextTurn() : slices.wait(use)),
    post,
    listen: (listener) => void port.on("message", listener),
    onClosed: async () => lock?.release(),
  });
  const turns = new LongestTurns();
  const metrics = () => [
    ...writeThreadMetrics({ access, catalog, arenas, turns }),
    ...loadedModelMetrics(embedding, "write"),
  ];
  clock.every(METRICS_INTERVAL_MS, () => post({ kind: "metrics", metrics: metrics() }));
  keepCurrent(catalog, clock);
  if (blocks !== undefined) clock.every(IDLE_SWEEP_MS, () => blocks.sweep());
  collectWhenIdle(clock, threadHeap(), new LargeRequests(data.largeRequests));
}

function lockDirectory(root: string): Promise<DirectoryLock> {
  const onLost = (reason: DatabaseError) => {
    throw reason; // Ends the thread, and with it the server: another one owns the directory now.
  };
  return acquireDirectoryLock({ root, clock, random, onLost });
}
