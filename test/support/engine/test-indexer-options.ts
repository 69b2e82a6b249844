/** An indexer's parts, on the store and the clock of a server in the same thread. */

import { localCache } from "../../../src/cache/local-cache.ts";
import type { IndexerOptions } from "../../../src/indexer/indexer-options.ts";
import { Arenas } from "../../../src/kernel/arena.ts";
import { ArenaKernels } from "../../../src/kernel/arena-kernels.ts";
import { arenaSegmentMemory } from "../../../src/segment/format/arena-segment-memory.ts";
import type { StoreAccess } from "../../../src/storage/store-access.ts";
import { INDEX_STEP_BYTES_MAX } from "../../../src/threads/open-indexer.ts";
import { CLUSTERED_DOCUMENTS_MIN } from "../../../src/vector/cluster-rows.ts";

const MIB = 1024 * 1024;

/** From how many vectors on stored segments are clustered, and how many a cluster has. */
export interface ClusterSizes {
  readonly rowsMin: number;
  readonly clusterRows: number;
}

/** What may be chosen; without it, as a small server has it. */
export interface IndexerSizes {
  readonly clusters?: ClusterSizes | undefined;
  readonly memoryBytes?: number | undefined;
  readonly cacheBytes?: number;
}

/** Makes parts with memory of their own. */
export function testIndexerOptions(
  parts: Pick<IndexerOptions, "clock" | "random" | "log" | "thresholds" | "yield">,
  { store, storeFor }: StoreAccess,
  sizes: IndexerSizes,
): Omit<IndexerOptions, "garbageGraceMs"> {
  const { clusters, memoryBytes: totalBytes = 64 * MIB, cacheBytes = 16 * MIB } = sizes;
  const arenas = new Arenas({ totalBytes, threads: 1, arenaBytes: MIB });
  const kernels = new ArenaKernels(undefined, 0);
  arenas.onArena((shared, arena) => kernels.attach(arena, shared));
  const memory = arenaSegmentMemory(arenas);
  return {
    ...parts,
    store,
    storeFor,
    reads: localCache(storeFor(undefined), cacheBytes),
    memory,
    clusters: { kernels: { kernels, memory }, rowsMin: CLUSTERED_DOCUMENTS_MIN, ...clusters },
    stepBytesMax: INDEX_STEP_BYTES_MAX,
    segmentBytesMax: MIB,
  };
}
