import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { EncryptionRequest } from "../../model/write-request.ts";
import { CountingObjectStore, type StoreCounts } from "../counting-object-store.ts";
import { DiskCache } from "../disk-cache/disk-cache.ts";
import { type DiskCacheConfig, DiskCacheStore } from "../disk-cache/disk-cache-store.ts";
import { EncryptingObjectStore } from "../encryption/encrypting-object-store.ts";
import type { KeyService } from "../encryption/key-service.ts";
import { SegmentHeads } from "../encryption/segment-heads.ts";
import type { ObjectKey, ObjectStore } from "../object-store.ts";
import { PrivateFailuresStore } from "../private-failures-store.ts";
import { RetryingObjectStore } from "../retrying-object-store.ts";
import { SelectedObjectStore } from "../selected-object-store.ts";

/** What a `StoreAccess` needs. */
export interface StoreAccessOptions {
  /** The store itself, or the part of it that is used, as it was opened. */
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: KeyService;
  /** Without it, nothing is kept on the local disk. */
  readonly diskCache?: DiskCacheConfig | undefined;
  /** Hears why the disk cache rests for a while. */
  readonly onDiskFault?: (reason: string) => void;
}

/**
 * One thread's way to the object store, the same for each thread of each process: what it asks is
 * counted, kept from clients where it fails, tried again, read from the local disk where it can be,
 * and encrypted, from the store upwards in this order. So a try that failed is counted, and what
 * the disk cache answers is not.
 */
export class StoreAccess {
  /** Decrypts nothing: for listings, and for what holds no users' data. */
  readonly store: ObjectStore;
  /** The disk cache, if there is one. */
  readonly disk: DiskCache | undefined;
  readonly #counting: CountingObjectStore;
  readonly #keys: KeyService;
  readonly #random: Random;
  readonly #heads = new SegmentHeads();

  constructor(options: StoreAccessOptions) {
    const { clock, random, keys, diskCache, onDiskFault } = options;
    this.#keys = keys;
    this.#random = random;
    this.#counting = new CountingObjectStore(options.store);
    const failing = new PrivateFailuresStore(this.#counting);
    const retrying = new RetryingObjectStore({ store: failing, clock, random });
    const onFault = onDiskFault && { onFault: onDiskFault };
    this.disk = diskCache && new DiskCache({ ...diskCache, clock, ...onFault });
    this.store = this.disk === undefined ? retrying : new DiskCacheStore(retrying, this.disk);
  }

  /** What was asked of the store so far. */
  counts(): StoreCounts {
    return this.#counting.counts();
  }

  /**
   * The store through which a namespace with these settings writes; undefined: one without a key.
   * It reads any namespace.
   */
  readonly storeFor = (
    settings: { readonly encryption: EncryptionRequest } | undefined,
  ): ObjectStore => this.#encrypting(this.store, this.#heads, settings);

  /**
   * Reads some objects of the store, encrypted ones like others, under keys of their own: `places`
   * has for each of them where it lies.
   */
  readonly select = (places: ReadonlyMap<ObjectKey, ObjectKey>): ObjectStore =>
    this.#encrypting(new SelectedObjectStore(this.store, places), new SegmentHeads(), undefined);

  #encrypting(
    store: ObjectStore,
    heads: SegmentHeads,
    settings: { readonly encryption: EncryptionRequest } | undefined,
  ): ObjectStore {
    const encryption = settings?.encryption;
    const key = encryption?.kind === "customer_managed" ? encryption : undefined;
    return new EncryptingObjectStore({
      store,
      keys: this.#keys,
      random: this.#random,
      heads,
      keyName: key?.keyName,
      keyContext: key?.context,
    });
  }
}
