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
import { STORED_SEGMENT_WEIGHT_MAX } from "../namespace/segments/store-segments.ts";
import { THRESHOLDS } from "../namespace/thresholds.ts";
import { arenaSegmentMemory } from "../segment/format/arena-segment-memory.ts";
import { openStoreAccess } from "../storage/access/open-store-access.ts";
import type { StoreAccess } from "../storage/access/store-access.ts";
import { postSpans, SpanExporter } from "../trace/span-exporter.ts";
import { CLUSTERED_DOCUMENTS_MIN } from "../vector/cluster-rows.ts";
import { traceSteps } from "./indexer-tracing.ts";
import { reportRequests } from "./object-store-metrics.ts";

/** Memory of an indexer for documents: what the largest merge takes, and some more. */
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

/**
 * A merge of vectors holds twice as many bytes as they weigh (`mergeWeight`) two times: inputs and
 * output, output and the same in another order, that and its stored form (ADR 51). What is left is
 * for centroids, and for what fits no gap. Where less is vectors, as much is taken elsewhere.
 */
const WEIGHTS_HELD = 5;
/**
 * Share of a segment that one step of the log may weigh: codes make vectors of f32 larger by a
 * third, and those of f16 by more than half.
 */
const STEP_SHARE = 5 / 8;

/** Opens the store; the indexer works once `run` is called. */
export async function openIndexer(config: IndexerConfig): Promise<Indexer> {
  const { memoryBytesMax, log, onManifest, tracing, isWoken } = config;
  const clock = systemClock;
  const random = systemRandom;
  const onDiskFault = (reason: string) => log("warn", "the disk cache rests", { reason });
  const opened = await openStoreAccess(config, { clock, random, onDiskFault });
  await opened.prepare();
  const { access } = opened;
  reportRequests(() => access.counts(), { clock, log });
  const bytesMax = Math.min(INDEXER_BYTES_MAX, Math.floor(memoryBytesMax * INDEXER_MEMORY_SHARE));
  const segmentWeightMax = Math.floor(bytesMax / WEIGHTS_HELD);
  return new Indexer({
    clock,
    random,
    log,
    onManifest: ({ name }) => onManifest?.(name),
    onStep: tracing && traceSteps({ ...tracing, random, exporter: exporterOf(tracing, log) }),
    thresholds: THRESHOLDS,
    isWoken,
    garbageGraceMs: GARBAGE_GRACE_MS,
    yield: nextTurn,
    ...indexerResources(access, {
      arenas: new Arenas({ totalBytes: bytesMax, threads: 1 }),
      cacheBytes: Math.min(INDEXER_CACHE_BYTES, bytesMax),
      kernel: await compileKernel("auto"),
      segmentWeightMax,
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
  "store" | "storeFor" | "reads" | "memory" | "clusters" | "stepWeightMax" | "segmentWeightMax"
>;

/** How much an indexer may take, and how it computes. */
export interface IndexerSizes {
  /** Memory for merges, of this indexer alone. */
  readonly arenas: Arenas;
  readonly cacheBytes: number;
  /** Undefined: the scalar twins. */
  readonly kernel: WebAssembly.Module | undefined;
  /** Greatest weight of a segment, as far as memory goes. */
  readonly segmentWeightMax: number;
}

/** What an indexer reads, merges and computes with. */
export function indexerResources(
  { store, storeFor }: StoreAccess,
  { arenas, cacheBytes, kernel, segmentWeightMax: weightMax }: IndexerSizes,
): IndexerResources {
  const segmentWeightMax = Math.min(STORED_SEGMENT_WEIGHT_MAX, weightMax);
  const kernels = new ArenaKernels(kernel, 0);
  arenas.onArena((shared, arena) => kernels.attach(arena, shared));
  const memory = arenaSegmentMemory(arenas);
  return {
    store,
    storeFor,
    reads: localCache(storeFor(undefined), cacheBytes),
    memory,
    clusters: { kernels: { kernels, memory }, rowsMin: CLUSTERED_DOCUMENTS_MIN },
    stepWeightMax: Math.floor(STEP_SHARE * segmentWeightMax),
    segmentWeightMax,
  };
}
