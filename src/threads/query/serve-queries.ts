/** What a thread does that answers queries: the query threads, and the main thread for short ones. */

import type { MessagePort, Transferable } from "node:worker_threads";
import type { RerankConfig } from "../../api/config.ts";
import { type EmbeddingSettings, embeddingSource } from "../../api/embedding-source.ts";
import { rerankSource } from "../../api/rerank-source.ts";
import type { Clock } from "../../base/clock.ts";
import { nextTurn } from "../../base/next-turn.ts";
import { systemRandom } from "../../base/random.ts";
import { type CachePort, connectCache } from "../../cache/cache-reader.ts";
import { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { THRESHOLDS } from "../../namespace/thresholds.ts";
import { loadedModelMetrics } from "../static-model-metrics.ts";
import { type FromQueryThread, METRICS_INTERVAL_MS } from "../thread-messages.ts";
import { QueryService } from "./query-service.ts";
import { queryThreadMetrics } from "./query-thread-metrics.ts";
import { ReadAhead } from "./read-ahead.ts";
import { ThreadLoads } from "./thread-loads.ts";

/** What a thread that answers queries is told at its start. */
export interface QuerySettings {
  /** Its number, from 0. */
  readonly thread: number;
  /** Undefined where kernels run as plain TypeScript. */
  readonly kernel: WebAssembly.Module | undefined;
  readonly embedding: EmbeddingSettings;
  readonly reranking: RerankConfig;
  /** Bytes of vectors that an exact scan may ask for at a time. */
  readonly scanBytesMax: number;
  /** Heap that its queries may take for what they find. */
  readonly queryBytesMax: number;
  /** After so many milliseconds a query is ended. */
  readonly queryTimeoutMs: number;
  /** Share of ANN rankings that are drawn, to measure their recall. */
  readonly recallSampleRate: number;
  /** Of a `ThreadLoads`; undefined: no query is divided. */
  readonly loads: SharedArrayBuffer | undefined;
}

/** What the thread talks to. */
export interface QueryChannel {
  readonly clock: Clock;
  readonly cache: CachePort;
  /** Queries that are not done after their first slice are given back. */
  readonly handsOver?: boolean;
  /** The label of its metrics. */
  readonly name: string;
  post(message: FromQueryThread): void;
  /** Sends at once, in the middle of a query; `transfer` moves. */
  postNow(message: FromQueryThread, transfer: readonly Transferable[]): void;
}

/** The thread's end of its talk with the cache thread. */
export function cachePort(port: MessagePort): CachePort {
  return {
    post: (message) => port.postMessage(message),
    listen: (listener) => void port.on("message", listener),
  };
}

/** Connects kernels, cache and clock to a service, which the caller hands its messages. */
export function serveQueries(settings: QuerySettings, channel: QueryChannel): QueryService {
  const { clock, cache, name, handsOver, post, postNow } = channel;
  const kernels = new ArenaKernels(settings.kernel, settings.thread);
  const reads = connectCache(cache, (arena, memory) => kernels.attach(arena, memory));
  // Where queries are handed over there is no time to look at whole namespaces.
  const readAhead = handsOver === true ? undefined : new ReadAhead({ reads, nextTurn });
  const embedding = embeddingSource(settings.embedding, clock);
  const service = new QueryService({
    kernels,
    reads,
    readAhead,
    embedding,
    reranking: rerankSource(settings.reranking, clock),
    clock,
    random: systemRandom,
    scanBytesMax: settings.scanBytesMax,
    thresholds: THRESHOLDS,
    timeoutMs: settings.queryTimeoutMs,
    queryBytesMax: settings.queryBytesMax,
    recallSampleRate: settings.recallSampleRate,
    loads: settings.loads === undefined ? { idleCount: 0 } : new ThreadLoads(settings.loads),
    post,
    postNow,
    nextTurn,
    handsOver,
  });
  clock.every(METRICS_INTERVAL_MS, () => {
    const metrics = queryThreadMetrics(service, { readAhead, reads }, name);
    post({ kind: "metrics", metrics: [...metrics, ...loadedModelMetrics(embedding, name)] });
  });
  return service;
}
