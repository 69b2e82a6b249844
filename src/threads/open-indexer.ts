/** Wires an indexer to the object store, in a process of its own. */

import type { IndexerConfig } from "../api/config.ts";
import { GIB, MIB } from "../base/byte-sizes.ts";
import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/random.ts";
import { localCache } from "../cache/local-cache.ts";
import { Indexer } from "../indexer/indexer.ts";
import { Arenas } from "../kernel/arena.ts";
import { ArenaKernels } from "../kernel/arena-kernels.ts";
import { compileKernel } from "../kernel/load-kernel.ts";
import { STORED_SEGMENT_BYTES_MAX } from "../namespace/segments/store-segments.ts";
import { THRESHOLDS } from "../namespace/thresholds.ts";
import { arenaSegmentMemory } from "../segment/format/arena-segment-memory.ts";
import { openStoreAccess } from "../storage/open-store-access.ts";
import { CLUSTERED_DOCUMENTS_MIN } from "../vector/cluster-rows.ts";
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
  const { memoryBytesMax, log } = config;
  const clock = systemClock;
  const random = systemRandom;
  const onDiskFault = (reason: string) => log("warn", "the disk cache rests", { reason });
  const opened = await openStoreAccess(config, { clock, random, onDiskFault });
  await opened.prepare();
  const { access } = opened;
  const { store, storeFor } = access;
  reportRequests(() => access.counts(), { clock, log });
  const bytesMax = Math.min(INDEXER_BYTES_MAX, Math.floor(memoryBytesMax * INDEXER_MEMORY_SHARE));
  const segmentBytesMax = Math.floor(bytesMax / SEGMENTS_HELD);
  const arenas = new Arenas({ totalBytes: bytesMax, threads: 1 });
  const kernels = new ArenaKernels(await compileKernel(config.kernel), 0);
  arenas.onArena((shared, arena) => kernels.attach(arena, shared));
  const memory = arenaSegmentMemory(arenas);
  return new Indexer({
    clock,
    random,
    log,
    store,
    storeFor,
    thresholds: THRESHOLDS,
    reads: localCache(storeFor(undefined), Math.min(INDEXER_CACHE_BYTES, bytesMax)),
    memory,
    clusters: { kernels: { kernels, memory }, rowsMin: CLUSTERED_DOCUMENTS_MIN },
    garbageGraceMs: GARBAGE_GRACE_MS,
    stepBytesMax: Math.min(INDEX_STEP_BYTES_MAX, segmentBytesMax),
    segmentBytesMax: Math.min(STORED_SEGMENT_BYTES_MAX, segmentBytesMax),
    yield: () => new Promise((resolve) => setImmediate(resolve)),
  });
}
