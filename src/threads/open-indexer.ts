/** Wires an indexer to the object store, in a process of its own. */

import type { IndexerConfig } from "../api/config.ts";
import { systemClock } from "../base/clock.ts";
import { CLUSTERED_ROWS_MIN } from "../base/cluster-limits.ts";
import {
  GARBAGE_GRACE_MS,
  INDEX_STEP_BYTES_MAX,
  INDEXER_BYTES_MAX,
  INDEXER_CACHE_BYTES,
  INDEXER_MEMORY_SHARE,
  STORED_SEGMENT_BYTES_MAX,
} from "../base/limits.ts";
import { systemRandom } from "../base/random.ts";
import { localCache } from "../cache/local-cache.ts";
import { Indexer } from "../indexer/indexer.ts";
import { Arenas } from "../kernel/arena.ts";
import { ArenaKernels } from "../kernel/arena-kernels.ts";
import { compileKernel } from "../kernel/load-kernel.ts";
import { THRESHOLDS } from "../namespace/thresholds.ts";
import { arenaSegmentMemory } from "../segment/format/arena-segment-memory.ts";
import { probeStore } from "../storage/certify/store-check.ts";
import { withDiskCache } from "../storage/disk-cache/disk-cache-store.ts";
import { EncryptingObjectStore } from "../storage/encryption/encrypting-object-store.ts";
import { LocalKeyService } from "../storage/encryption/local-key-service.ts";
import { openObjectStore } from "../storage/open-object-store.ts";
import { RetryingObjectStore } from "../storage/retrying-object-store.ts";
import { storeName } from "../storage/store-config.ts";
import type { NamespaceSettings } from "../write/schema/namespace-settings.ts";

/** A merge holds its inputs, its output, and the output's stored form: some five times a segment. */
const SEGMENTS_HELD = 5;

/** Opens the store; the indexer works once `run` is called. */
export async function openIndexer(config: IndexerConfig): Promise<Indexer> {
  const { encryptionKeysPath, memoryBytesMax, log } = config;
  const clock = systemClock;
  const random = systemRandom;
  const opened = await openObjectStore(config.store, { clock, random });
  const retrying = new RetryingObjectStore({ store: opened.store, clock, random });
  if (!opened.exclusive) {
    await probeStore({ store: retrying, name: storeName(config.store), random });
  }
  const onFault = (reason: string) => log("warn", "the disk cache rests", { reason });
  const { store, disk } = withDiskCache(retrying, config.diskCache, { clock, onFault });
  await disk?.prepare();
  const keys = new LocalKeyService({ path: encryptionKeysPath, random });
  await keys.prepare();
  const storeFor = (settings: NamespaceSettings | undefined) => {
    const encryption = settings?.encryption;
    const keyName = encryption?.kind === "customer_managed" ? encryption.keyName : undefined;
    return new EncryptingObjectStore({ store, keys, random, keyName });
  };
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
    clusters: { kernels: { kernels, memory }, rowsMin: CLUSTERED_ROWS_MIN },
    garbageGraceMs: GARBAGE_GRACE_MS,
    stepBytesMax: Math.min(INDEX_STEP_BYTES_MAX, segmentBytesMax),
    segmentBytesMax: Math.min(STORED_SEGMENT_BYTES_MAX, segmentBytesMax),
    yield: () => new Promise((resolve) => setImmediate(resolve)),
  });
}
