/** Wires an indexer to the object store, in a process of its own. */

import type { IndexerConfig, TracingConfig } from "../api/config.ts";
import { GIB, MIB } from "../base/byte-sizes.ts";
import { systemClock } from "../base/clock.ts";
import { nextTurn } from "../base/next-turn.ts";
import { systemRandom } from "../base/random.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import { localCache } from "../cache/local-cache.ts";
import { Indexer } from "../indexer/indexer.ts";
import type { IndexerOptions } from "../indexer/indexer-options.ts";
import { Arenas } from "../kernel/arena.ts";
import { ArenaKernels } from "../kernel/arena-kernels.ts";
import { compileKernel } from "../kernel/load-kernel.ts";
import { STORED_SEGMENT_BYTES_MAX } from "../namespace/segments/store-segments.ts";
import { THRESHOLDS } from "../namespace/thresholds.ts";
import { arenaSegmentMemory } from "../segment/format/arena-segment-memory.ts";
import { openStoreAccess } from "../storage/open-store-access.ts";
import type { StoreAccess } from "../storage/store-access.ts";
import { postSpans, SpanExporter } from "../trace/span-exporter.ts";
import { CLUSTERED_DOCUMENTS_MIN } from "../vector/cluster-rows.ts";
import { traceSteps } from "./indexer-tracing.ts";
import { reportRequests } from "./object-store-metrics.ts";

/** WAL bytes that one step of an indexer takes at most; bounds its memory. */
export const INDEX_STEP_BYTES_MAX = 128 * MIB;
/** Memory of an indexer: two inputs of the largest merge, its output, and that in another order. */
const INDEXER_BYTES_MAX = 3 * GIB;
/** Share of the memory limit that an indexer's merges may take, in a process of their own. */
const INDEXER_MEMORY_SHARE = 0.25;
/** Memory that an indexer caches ranges of stored segments in. */
const INDEXER_CACHE_BYTES = 256 * MIB;
/**
 * How long an object stays after it was first seen that no manifest reaches it: for readers of an
 * older manifest, and for writers that have not looked at the log for a while.
 */
export const GARBAGE_GRACE_MS = 300_000;

/** A merge holds its inputs, its output, and the output's stored form: some five times a segment. */
const SEGMENTS_HELD = 5;

/** Opens the store; the indexer works once `run` is called. */
export async function openIndexer(config: IndexerConfig): Promise<Indexer> {
  const { memoryBytesMax, log, onManifest, tracing } = config;
  const clock = systemClock;
  const random = systemRandom;
  const onDiskFault = (reason: string) => log("warn", "the disk cache rests", { reason });
  const opened = await openStoreAccess(config, { clock, random, onDiskFault });
  await opened.prepare();
  const { access } = opened;
  reportRequests(() => access.counts(), { clock, log });
  const bytesMax = Math.min(INDEXER_BYTES_MAX, Math.floor(memoryBytesMax * INDEXER_MEMORY_SHARE));
  const segmentBytesMax = Math.floor(bytesMax / SEGMENTS_HELD);
  return new Indexer({
    clock,
    random,
    log,
    onManifest: ({ name }) => onManifest?.(name),
    onStep: tracing && traceSteps({ ...tracing, random, exporter: exporterOf(tracing, log) }),
    thresholds: THRESHOLDS,
    garbageGraceMs: GARBAGE_GRACE_MS,
    yield: nextTurn,
    ...indexerResources(access, {
      arenas: new Arenas({ totalBytes: bytesMax, threads: 1 }),
      cacheBytes: Math.min(INDEXER_CACHE_BYTES, bytesMax),
      kernel: await compileKernel(config.kernel),
      segmentBytesMax,
    }),
  });
}

function exporterOf({ url }: TracingConfig, log: StructuredLog): SpanExporter {
  const resource = { serviceName: "trawl-indexer" };
  return new SpanExporter({ send: postSpans(url), clock: systemClock, log, resource });
}

/** What an indexer has of its own. */
export type IndexerResources = Pick<
  IndexerOptions,
  "store" | "storeFor" | "reads" | "memory" | "clusters" | "stepBytesMax" | "segmentBytesMax"
>;

/** How much an indexer may take, and how it computes. */
export interface IndexerSizes {
  /** Memory for merges, of this indexer alone. */
  readonly arenas: Arenas;
  readonly cacheBytes: number;
  /** Undefined: the scalar twins. */
  readonly kernel: WebAssembly.Module | undefined;
  /** Greatest size of a segment, as far as memory goes; a step of the log takes no more, either. */
  readonly segmentBytesMax: number;
}

/** What an indexer reads, merges and computes with. */
export function indexerResources(
  { store, storeFor }: StoreAccess,
  { arenas, cacheBytes, kernel, segmentBytesMax }: IndexerSizes,
): IndexerResources {
  const kernels = new ArenaKernels(kernel, 0);
  arenas.onArena((shared, arena) => kernels.attach(arena, shared));
  const memory = arenaSegmentMemory(arenas);
  return {
    store,
    storeFor,
    reads: localCache(storeFor(undefined), cacheBytes),
    memory,
    clusters: { kernels: { kernels, memory }, rowsMin: CLUSTERED_DOCUMENTS_MIN },
    stepBytesMax: Math.min(INDEX_STEP_BYTES_MAX, segmentBytesMax),
    segmentBytesMax: Math.min(STORED_SEGMENT_BYTES_MAX, segmentBytesMax),
  };
}
