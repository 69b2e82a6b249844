/** An indexer's parts, on the store and the clock of a server in the same thread. */

import { CLUSTERED_ROWS_MIN } from "../../src/base/cluster-limits.ts";
import { INDEX_STEP_BYTES_MAX } from "../../src/base/limits.ts";
import { localCache } from "../../src/cache/local-cache.ts";
import type { SharedParts } from "../../src/engine/namespace-parts.ts";
import type { IndexerParts } from "../../src/indexer/indexer-options.ts";
import { Arenas } from "../../src/kernel/arena.ts";
import { ArenaKernels } from "../../src/kernel/arena-kernels.ts";
import { arenaSegmentMemory } from "../../src/segment/format/arena-segment-memory.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";

const MIB = 1024 * 1024;

/** From how many vectors on stored segments are clustered, and how many a cluster has. */
export interface ClusterSizes {
  readonly rowsMin: number;
  readonly clusterRows: number;
}

/** Makes parts with memory of their own; without sizes, those of a server. */
export function partsOfIndexer(
  parts: SharedParts & { readonly store: ObjectStore },
  clusters: ClusterSizes | undefined,
  memoryBytes = 64 * MIB,
): Omit<IndexerParts, "garbageGraceMs"> {
  const { clock, random, log, store, storeFor, thresholds } = parts;
  const arenas = new Arenas({ totalBytes: memoryBytes, threads: 1, arenaBytes: MIB });
  const kernels = new ArenaKernels(undefined, 0);
  arenas.onArena((shared, arena) => kernels.attach(arena, shared));
  const memory = arenaSegmentMemory(arenas);
  return {
    clock,
    random,
    log,
    store,
    storeFor,
    thresholds,
    reads: localCache(storeFor(undefined), 16 * MIB),
    memory,
    clusters: { kernels: { kernels, memory }, rowsMin: CLUSTERED_ROWS_MIN, ...clusters },
    stepBytesMax: INDEX_STEP_BYTES_MAX,
    segmentBytesMax: MIB,
    yield: parts.yield,
  };
}
