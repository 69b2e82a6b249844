/** How the threads of an engine fixture open the store. */

import type { Clock } from "../../src/base/clock.ts";
import type { Random } from "../../src/base/random.ts";
import { CacheService } from "../../src/cache/cache-service.ts";
import type { Arenas } from "../../src/kernel/arena.ts";
import type { DiskCache } from "../../src/storage/disk-cache/disk-cache.ts";
import {
  type DiskCacheConfig,
  withDiskCache,
} from "../../src/storage/disk-cache/disk-cache-store.ts";
import { EncryptingObjectStore } from "../../src/storage/encryption/encrypting-object-store.ts";
import type { KeyService } from "../../src/storage/encryption/key-service.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { RetryingObjectStore } from "../../src/storage/retrying-object-store.ts";

interface StoreChoice {
  readonly store: ObjectStore;
  readonly diskCache?: DiskCacheConfig;
}

/** Opens the store as a thread does; its disk cache, if it has one, is added to `disks`. */
export function openFixtureStore(
  { store, diskCache }: StoreChoice,
  { clock, random, disks }: { clock: Clock; random: Random; disks: DiskCache[] },
): ReturnType<typeof withDiskCache> {
  const retrying = new RetryingObjectStore({ store, clock, random });
  const opened = withDiskCache(retrying, diskCache, { clock });
  if (opened.disk !== undefined) disks.push(opened.disk);
  return opened;
}

/** What the cache thread does. */
export function startFixtureCache(
  choice: StoreChoice,
  of: { clock: Clock; random: Random; disks: DiskCache[]; arenas: Arenas; keys: KeyService },
): CacheService {
  const { random, arenas, keys } = of;
  const { store: near, disk } = openFixtureStore(choice, of);
  const store = new EncryptingObjectStore({ store: near, keys, random, keyName: undefined });
  return new CacheService({ store, arenas, disk });
}
