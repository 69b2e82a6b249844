import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { checkStore } from "../certify/store-check.ts";
import type { DiskCacheConfig } from "../disk-cache/disk-cache-store.ts";
import type { KeyService } from "../encryption/key-service.ts";
import { LocalKeyService } from "../encryption/local-key-service.ts";
import { type StoreConfig, storeName } from "../store-config.ts";
import { claimFormat } from "../store-format.ts";
import { openObjectStore } from "./open-object-store.ts";
import { StoreAccess } from "./store-access.ts";

/** Where all data is, and how it is reached: plain data, which can be posted to threads. */
export interface StoreAccessConfig {
  /** Holds all state. */
  readonly store: StoreConfig;
  /** Keeps copies of what is read of a remote store; it may be shared with other processes. */
  readonly diskCache?: DiskCacheConfig | undefined;
  /** File or directory of customer-managed keys; without it, no key name is known. */
  readonly encryptionKeysPath?: string | undefined;
}

/** What opening needs of the process. */
export interface OpenStoreAccessOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Hears why the disk cache rests for a while. */
  readonly onDiskFault: (reason: string) => void;
}

/** An access that is ready for use. */
export interface OpenedStoreAccess {
  readonly access: StoreAccess;
  readonly keys: KeyService;
  /**
   * To be called by one thread of each process before anything is served. Looks whether a store
   * that others may use, too, keeps its promises, marks its format, and makes the disk cache and
   * the keys ready. Throws `too_new` or `too_old` for a store of another format, and `invalid`,
   * naming what is wrong, where a setting cannot be used.
   */
  prepare(): Promise<void>;
}

/** Opens what `config` describes; every thread and process opens an access of its own. */
export async function openStoreAccess(
  config: StoreAccessConfig,
  { clock, random, onDiskFault }: OpenStoreAccessOptions,
): Promise<OpenedStoreAccess> {
  const { diskCache, encryptionKeysPath } = config;
  const { store, exclusive } = await openObjectStore(config.store, { clock, random });
  const keys = new LocalKeyService({ path: encryptionKeysPath, random });
  const access = new StoreAccess({ store, clock, random, keys, diskCache, onDiskFault });
  return {
    access,
    keys,
    prepare: async () => {
      if (!exclusive) {
        await checkStore({ store: access.store, name: storeName(config.store), random });
      }
      await claimFormat(access.store, storeName(config.store));
      await access.disk?.prepare();
      void access.disk?.trim();
      await keys.prepare();
    },
  };
}
