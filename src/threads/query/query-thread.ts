/** Entry of a query thread: wires the kernels and the message port to the query service. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { EmbeddingConfig, RerankConfig } from "../../api/config.ts";
import { embeddingSource } from "../../api/embedding-source.ts";
import type { EngineMetric } from "../../api/engine.ts";
import { rerankSource } from "../../api/rerank-source.ts";
import { must } from "../../base/assert.ts";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { threadHeap } from "../../base/thread-heap.ts";
import type { FromCache, ToCache } from "../../cache/cache-messages.ts";
import { connectCache } from "../../cache/cache-reader.ts";
import { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { THRESHOLDS } from "../../namespace/thresholds.ts";
import { collectWhenIdle } from "../idle-collection.ts";
import { MessageBatch } from "../message-batch.ts";
import { movableBuffers } from "../movable-buffers.ts";
import type { FromQueryThread } from "../thread-messages.ts";
import { METRICS_INTERVAL_MS } from "../thread-messages.ts";
import {
  type PackedFromQueryThread,
  type PackedToQueryThread,
  packFromQueryThread,
  unpackToQueryThread,
} from "./packed-bodies.ts";
import { QueryService } from "./query-service.ts";
import { ReadAhead } from "./read-ahead.ts";
import { ThreadLoads } from "./thread-loads.ts";

/** What the main thread tells a query thread at its start. */
export interface QueryThreadData {
  /** Its number, from 0. */
  readonly thread: number;
  /** Undefined where kernels run as plain TypeScript. */
  readonly kernel: WebAssembly.Module | undefined;
  readonly embedding: EmbeddingConfig;
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
  /** To the cache thread. */
  readonly cache: MessagePort;
}

const port = must(parentPort, "this module runs as a thread");
const data = workerData as QueryThreadData;
const batch = new MessageBatch<PackedFromQueryThread>(systemClock, (messages, transfer) =>
  port.postMessage(messages, transfer),
);
const post = (message: FromQueryThread) => {
  const packed = packFromQueryThread(message);
  batch.add(packed, packed === message ? movableBuffers(message) : []);
};

const kernels = new ArenaKernels(data.kernel, data.thread);
const cache = {
  post: (message: ToCache) => data.cache.postMessage(message),
  listen: (listener: (message: FromCache) => void) => void data.cache.on("message", listener),
};
const reads = connectCache(cache, (arena, memory) => kernels.attach(arena, memory));
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const readAhead = new ReadAhead({ reads, nextTurn });
const service = new QueryService({
  kernels,
  reads,
  readAhead,
  embedding: embeddingSource(data.embedding, systemClock),
  reranking: rerankSource(data.reranking, systemClock),
  clock: systemClock,
  random: systemRandom,
  scanBytesMax: data.scanBytesMax,
  thresholds: THRESHOLDS,
  timeoutMs: data.queryTimeoutMs,
  queryBytesMax: data.queryBytesMax,
  recallSampleRate: data.recallSampleRate,
  loads: data.loads === undefined ? { idleCount: 0 } : new ThreadLoads(data.loads),
  post,
  postNow: (message, transfer) => batch.addNow(message, transfer),
  nextTurn,
});
port.on("message", (messages: readonly PackedToQueryThread[]) => {
  for (const message of messages) service.onMessage(unpackToQueryThread(message));
});
systemClock.every(METRICS_INTERVAL_MS, () => post({ kind: "metrics", metrics: metrics() }));
collectWhenIdle(systemClock, threadHeap());

function metrics(): EngineMetric[] {
  const { queries, documentsScanned, postingsTouched, vectorsScored, clustersProbed } =
    service.stats;
  const { blocksSkipped, codesScanned, candidatesReranked } = service.stats;
  const { candidatesSkipped, divided, helped, cancelled, timedOut } = service.stats;
  const { workedMs, waitedMs } = service.stats;
  const { slices, longestSliceMs } = service.turnStats;
  const labels = { thread: String(data.thread) };
  const counter = (name: string, help: string, value: number): EngineMetric => {
    return { name, help, kind: "counter", value, labels };
  };
  return [
    counter("trawl_queries_total", "query requests run", queries),
    counter("trawl_documents_scanned_total", "documents looked at", documentsScanned),
    counter("trawl_postings_touched_total", "postings read", postingsTouched),
    counter(
      "trawl_blocks_skipped_total",
      "blocks of postings that rankings passed over",
      blocksSkipped,
    ),
    counter("trawl_vectors_scored_total", "vectors compared", vectorsScored),
    counter("trawl_clusters_probed_total", "clusters that ANN looked into", clustersProbed),
    counter("trawl_codes_scanned_total", "distances that codes estimated or bounded", codesScanned),
    counter(
      "trawl_candidates_reranked_total",
      "vectors that were compared since their bounds allowed it",
      candidatesReranked,
    ),
    counter(
      "trawl_candidates_skipped_total",
      "documents that a ranking refused at once, so many better ones were known",
      candidatesSkipped,
    ),
    counter("trawl_queries_cancelled_total", "queries ended since nobody waited", cancelled),
    counter("trawl_queries_timed_out_total", "queries ended by --query-timeout", timedOut),
    counter("trawl_query_work_seconds_total", "time that queries worked", workedMs / 1000),
    counter(
      "trawl_query_wait_seconds_total",
      "time that queries waited, for slots, turns, bytes or embeddings",
      waitedMs / 1000,
    ),
    counter("trawl_query_slices_total", "slices of work of queries", slices),
    {
      ...counter("trawl_query_longest_slice_seconds", "the longest slice", longestSliceMs / 1000),
      kind: "gauge",
    },
    counter(
      "trawl_read_ahead_turns_total",
      "times that a part of a namespace was read ahead behind cold queries",
      readAhead.stats.turns,
    ),
    counter(
      "trawl_read_ahead_bytes_total",
      "bytes of segments asked for ahead of queries",
      readAhead.stats.bytes,
    ),
    counter("trawl_divided_plans_total", "plans of which idle threads were offered parts", divided),
    counter("trawl_helped_parts_total", "parts run for queries of other threads", helped),
  ];
}
