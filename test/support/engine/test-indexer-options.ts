/** An indexer's options, on the store and the clock of a server in the same thread. */

import { MIB } from "../../../src/base/byte-sizes.ts";
import type { IndexerOptions } from "../../../src/indexer/indexer-options.ts";
import { Arenas } from "../../../src/kernel/arena.ts";
import type { StoreAccess } from "../../../src/storage/access/store-access.ts";
import { indexerResources } from "../../../src/threads/open-indexer.ts";

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
  /** Without it, the scalar kernel. */
  readonly kernel?: WebAssembly.Module | undefined;
}

/** Wires an indexer as `openIndexer` does, with small memory of its own. */
export function testIndexerOptions(
  options: Pick<IndexerOptions, "clock" | "random" | "log" | "thresholds" | "yield">,
  access: StoreAccess,
  sizes: IndexerSizes,
): Omit<IndexerOptions, "garbageGraceMs"> {
  const { clusters, memoryBytes: totalBytes = 64 * MIB, cacheBytes = 16 * MIB, kernel } = sizes;
  const resources = indexerResources(access, {
    arenas: new Arenas({ totalBytes, threads: 1, arenaBytes: MIB }),
    cacheBytes,
    kernel,
    segmentWeightMax: MIB,
  });
  return {
    ...options,
    ...resources,
    clusters: { ...resources.clusters, ...clusters },
    // A log of any test is one step, until memory runs out.
    stepWeightMax: 128 * MIB,
  };
}
