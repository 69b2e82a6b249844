/** Starts the threads and connects them. */

import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { EngineConfig } from "../../api/config.ts";
import type { EmbeddingSettings } from "../../api/embedding-source.ts";
import type { Engine } from "../../api/engine.ts";
import { GIB } from "../../base/byte-sizes.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { compileKernel } from "../../kernel/load-kernel.ts";
import { isExclusive } from "../../storage/store-config.ts";
import type { CacheThreadData, FromCacheThread } from "../cache/cache-thread.ts";
import { collectWhenIdle } from "../idle-collection.ts";
import { LargeRequests } from "../large-requests.ts";
import { batchingPort } from "../message-batch.ts";
import { type OnnxModels, openOnnxModels } from "../onnx/open-onnx-models.ts";
import { ownPort } from "../query/own-port.ts";
import { OwnQueries } from "../query/own-queries.ts";
import {
  type PackedFromQueryThread,
  type PackedToQueryThread,
  packingPort,
} from "../query/packed-bodies.ts";
import type { QueryThreadData } from "../query/query-thread.ts";
import { cachePort, type QuerySettings, serveQueries } from "../query/serve-queries.ts";
import { ThreadLoads } from "../query/thread-loads.ts";
import { staticModelMetrics } from "../static-model-metrics.ts";
import { readStaticModels, type StaticModels } from "../static-models.ts";
import { exposeCollection, threadHeap } from "../thread-heap.ts";
import type {
  FromQueryThread,
  FromWriteThread,
  ToQueryThread,
  ToWriteThread,
} from "../thread-messages.ts";
import { startThread, type ThreadPort } from "../thread-port.ts";
import type { WriteThreadData } from "../write/write-thread.ts";
import { EndingClock } from "./ending-clock.ts";
import { ThreadedEngine } from "./threaded-engine.ts";

/**
 * Share of the memory limit that documents may take which no stored segment has yet. With the
 * cache's share 0.6; the rest is for bodies and heaps.
 */
const SEGMENT_MEMORY_SHARE = 0.35;
/** Share of the memory limit that cached ranges of stored segments may take. */
const CACHE_MEMORY_SHARE = 0.25;

/** Share of the memory limit that documents of writes may take beyond their JSON. */
const WRITE_MEMORY_SHARE = 0.2;
/** Half of the heap that V8 gives a thread where it is not told otherwise. */
const WRITE_MEMORY_BYTES_MAX = 2 * GIB;

/** Share of the memory limit of which large bodies of queries are; they take seven times as much. */
const QUERY_BODY_SHARE = 0.06;
/** Share of the memory limit that queries may take for what they find, all threads together. */
const QUERY_MEMORY_SHARE = 0.15;

/**
 * Opens the database in `config.store`. Throws `conflict` if another server owns the directory.
 * A thread that crashes ends the process, unless `config.onCrash` says otherwise: what was
 * acknowledged is durable, and a restart is clean.
 */
export async function openEngine(config: EngineConfig): Promise<Engine> {
  const clock = new EndingClock(systemClock);
  const models = await readStaticModels(config);
  exposeCollection();
  const largeRequests = new LargeRequests();
  const kernel = await compileKernel("auto");
  const onnx = await openOnnxModels(config, (error) => onCrash(error));
  // What the models take is out of everything else's reach.
  const memoryBytesMax = config.memoryBytesMax - models.plannedBytes - (onnx?.plannedBytes ?? 0);
  const engine = startEngine(
    { ...config, memoryBytesMax },
    { clock, models, onnx, kernel, largeRequests },
  );
  const onCrash = crashListener(config, (error) => engine.lose("other", error));
  try {
    await engine.ready();
  } catch (error) {
    await engine.abandon();
    throw error;
  }
  if (config.onCrash === undefined) collectWhenIdle(clock, threadHeap(), largeRequests);
  return engine;
}

/** What threads are started with beside the settings. */
interface EngineParts {
  readonly clock: EndingClock;
  readonly models: StaticModels;
  readonly onnx: OnnxModels | undefined;
  readonly kernel: WebAssembly.Module | undefined;
  readonly largeRequests: LargeRequests;
}

/** Starts the threads and connects them; `config.memoryBytesMax` is what models leave. */
function startEngine(config: EngineConfig, parts: EngineParts): ThreadedEngine {
  const { clock, models, onnx, kernel } = parts;
  const { store, diskCache, encryptionKeysPath, queryThreads, reranking } = config;
  const { log, onHint } = config;
  const largeRequests = parts.largeRequests.buffer;
  const shared = { access: { store, diskCache, encryptionKeysPath }, largeRequests };
  const onCrash = crashListener(config, (error) => engine.lose("other", error));
  const cacheBytesMax = Math.floor(config.memoryBytesMax * CACHE_MEMORY_SHARE);
  const writeCache = new MessageChannel();
  const queryCaches = Array.from({ length: queryThreads }, () => new MessageChannel());
  const ownCache = new MessageChannel();
  // The main thread reads the arenas, too.
  const kernelThreads = queryThreads + 1;
  const writeEmbedding = embeddingSettings(config, parts);
  const writeData: WriteThreadData = {
    ...shared,
    embedding: writeEmbedding.settings,
    ...writeLimits(config),
    kernelThreads,
    checkpoints: config.checkpoints,
    cache: writeCache.port1,
  };
  const readers = [writeCache, ...queryCaches, ownCache].map(({ port2 }) => port2);
  const cacheData: CacheThreadData = { ...shared, cacheBytesMax, kernelThreads, readers };
  const queryLoads = ThreadLoads.of(queryThreads);
  const staticMetrics = staticModelMetrics(models);
  const settings = { kernel, reranking, ...queryLimits(config, cacheBytesMax) };
  const { settings: ownEmbedding } = embeddingSettings(config, parts);
  const own = { thread: queryThreads, ...settings, embedding: ownEmbedding };
  const engine: ThreadedEngine = new ThreadedEngine({
    clock,
    random: systemRandom,
    log,
    isShared: !isExclusive(store),
    samplesRecall: config.recallSampleRate > 0,
    modelMetrics: () => [...staticMetrics, ...(onnx?.metrics() ?? [])],
    onHint,
    writeThread: startThread<ToWriteThread, FromWriteThread>(
      "threads/write/write-thread",
      { data: writeData, ports: [writeCache.port1, ...writeEmbedding.ports] },
      (error) => {
        engine.lose("write", error);
        onCrash(error);
      },
    ),
    queryThreads: queryCaches.map(({ port1 }, thread) => {
      const loads = config.dividesQueries ? queryLoads.buffer : undefined;
      const { settings: embedding, ports } = embeddingSettings(config, parts);
      const data = { thread, ...settings, embedding, loads, largeRequests, cache: port1 };
      return startQueryThread(data, ports, onCrash);
    }),
    queryTimeoutMs: config.queryTimeoutMs,
    queryBodyBytesMax: Math.floor(config.memoryBytesMax * QUERY_BODY_SHARE),
    queryLoads,
    largeRequests: parts.largeRequests,
    ownQueries: ownQueries(own, ownCache.port1, { clock, onCrash }),
    onCrash,
    onEnd: async () => {
      clock.end();
      await onnx?.close();
    },
    cacheThread: startThread<never, FromCacheThread>(
      "threads/cache/cache-thread",
      { data: cacheData, ports: readers },
      onCrash,
    ),
  });
  return engine;
}

/** What one thread that embeds is told, with its own port to ONNX models, if there are some. */
function embeddingSettings(
  { embedding: config }: EngineConfig,
  { models, onnx }: Pick<EngineParts, "models" | "onnx">,
): { readonly settings: EmbeddingSettings; readonly ports: readonly MessagePort[] } {
  const { folders, ownRefusal } = models;
  const settings = { config, folders, ...(ownRefusal !== undefined && { ownRefusal }) };
  if (onnx === undefined) return { settings, ports: [] };
  const port = onnx.connect();
  return { settings: { ...settings, onnx: { models: onnx.models, port } }, ports: [port] };
}

/** What to do about a thread that crashes: `lose` tells the engine, where the process goes on. */
function crashListener(
  { log, onCrash }: EngineConfig,
  lose: (error: Error) => void,
): (error: Error) => void {
  return (error) => {
    const ending = onCrash === undefined ? "the server ends" : "nothing is answered any more";
    log("error", `a thread has crashed; ${ending}`, { stack: error.stack });
    if (onCrash === undefined) throw error;
    lose(error);
    onCrash(error);
  };
}

/** What documents of writes may take. */
function writeLimits({ memoryBytesMax }: EngineConfig) {
  return {
    segmentBytesMax: Math.floor(memoryBytesMax * SEGMENT_MEMORY_SHARE),
    writeBytesMax: Math.floor(
      Math.min(memoryBytesMax * WRITE_MEMORY_SHARE, WRITE_MEMORY_BYTES_MAX),
    ),
  };
}

/** What queries of one thread may take. The main thread's own, which are short, come on top. */
function queryLimits(
  { memoryBytesMax, queryThreads, queryTimeoutMs, recallSampleRate }: EngineConfig,
  cacheBytesMax: number,
) {
  return {
    // Each thread may hold that much at a time, and as much again of other things.
    scanBytesMax: Math.floor(cacheBytesMax / (2 * (queryThreads + 1))),
    queryBytesMax: Math.floor((memoryBytesMax * QUERY_MEMORY_SHARE) / queryThreads),
    queryTimeoutMs,
    recallSampleRate,
  };
}

function startQueryThread(
  data: QueryThreadData,
  ports: readonly MessagePort[],
  onCrash: (error: Error) => void,
): ThreadPort<ToQueryThread, FromQueryThread> {
  const port = startThread<readonly PackedToQueryThread[], readonly PackedFromQueryThread[]>(
    "threads/query/query-thread",
    { data, ports: [data.cache, ...ports] },
    onCrash,
  );
  return packingPort(batchingPort(port, systemClock));
}

/** Short queries, which a service on this thread answers. */
function ownQueries(
  settings: Omit<QuerySettings, "loads">,
  cache: MessagePort,
  { clock, onCrash }: { readonly clock: Clock; readonly onCrash: (error: Error) => void },
): OwnQueries {
  const start = (post: (message: FromQueryThread) => void) =>
    serveQueries(
      { ...settings, loads: undefined },
      {
        clock,
        cache: cachePort(cache),
        name: "main",
        handsOver: true,
        post,
        postNow: post,
      },
    );
  const port = ownPort({
    start,
    // In a turn of its own, as of a thread: whoever posts would take it for the query's.
    onCrash: (error) => {
      setImmediate(() => onCrash(error instanceof Error ? error : new Error(String(error))));
    },
    close: () => cache.close(),
  });
  return new OwnQueries({ port, afterTurn: (callback) => setImmediate(callback) });
}
