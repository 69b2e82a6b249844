import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { FsObjectStore } from "../directory/fs-object-store.ts";
import type { ObjectStore } from "../object-store.ts";
import { PrefixedObjectStore } from "../prefixed-object-store.ts";
import { S3ObjectStore } from "../s3/s3-object-store.ts";
import { isExclusive, type StoreConfig } from "../store-config.ts";

/** A store that is ready for use. */
export interface OpenedObjectStore {
  /** Without retries, counts or encryption; wrap it. */
  readonly store: ObjectStore;
  /** What `isExclusive` says of its config. */
  readonly exclusive: boolean;
}

/** What opening needs of the machine. */
export interface OpenObjectStoreOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens the store that `config` describes; every thread and process opens one of its own. */
export async function openObjectStore(
  config: StoreConfig,
  { clock, random }: OpenObjectStoreOptions,
): Promise<OpenedObjectStore> {
  const exclusive = isExclusive(config);
  if (config.kind === "directory") {
    return { store: await FsObjectStore.open({ root: config.root, random }), exclusive };
  }
  const bucket = await S3ObjectStore.open({ config, clock });
  const { prefix } = config;
  const store = prefix === "" ? bucket : new PrefixedObjectStore(bucket, prefix);
  return { store, exclusive };
}
