import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";
import { MANIFEST_LOAD_ATTEMPTS_MAX, STORE_ATTEMPTS_MAX } from "../base/limits.ts";
import type { Random } from "../base/random.ts";
import {
  manifestKey,
  manifestPrefix,
  type NamespaceGeneration,
  parseManifestKey,
} from "../storage/object-keys.ts";
import { endOf, IF_ABSENT, type ObjectStore } from "../storage/object-store.ts";
import { isTransient, retryDelayMs } from "../storage/retrying-object-store.ts";
import type { Manifest } from "./manifest.ts";
import { decodeManifest, encodeManifest, MANIFEST_NONCE_BYTES } from "./manifest-codec.ts";

/** What a `ManifestStore` needs. */
export interface ManifestStoreOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly at: NamespaceGeneration;
}

/** What became of a save. */
export type SaveOutcome = { readonly kind: "written" } | { readonly kind: "conflict" };

const LIST_PAGE_KEYS = 1000;

/**
 * Finds and follows the versions of one namespace's root. Version n + 1 is put if absent by whoever
 * knows version n; to lose that race costs work, never correctness.
 */
export class ManifestStore {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #at: NamespaceGeneration;

  constructor({ store, clock, random, at }: ManifestStoreOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#at = at;
  }

  /** Finds the newest version by listing, then probing; undefined if there is none. */
  async load(): Promise<Manifest | undefined> {
    for (let tried = 0; tried < MANIFEST_LOAD_ATTEMPTS_MAX; tried++) {
      const version = await this.#newestListedAfter(0);
      if (version === undefined) return undefined;
      const listed = await this.#read(version);
      if (listed !== undefined) return this.loadNewer(listed);
      // It was collected since the listing, so a newer one exists.
    }
    const what = `versions vanish as fast as they are listed`;
    const where = manifestPrefix(this.#at);
    throw new DatabaseError("unavailable", `cannot find the newest manifest in ${where}: ${what}`);
  }

  /**
   * Probes forward from a version that is known and returns the newest; one request if there is
   * nothing new. After a long sleep use `load`: the next versions may have been collected.
   */
  async loadNewer(known: Manifest): Promise<Manifest> {
    let newest = known;
    for (;;) {
      const next = await this.#read(newest.version + 1);
      if (next === undefined) return newest;
      newest = next;
    }
  }

  /**
   * Makes `next` the newest version, or reports that its number was taken. A throw leaves the outcome
   * unknown; `load` then shows it.
   */
  async save(next: Manifest): Promise<SaveOutcome> {
    assert(next.generation === this.#at.generation, "manifest of another generation");
    const nonce = this.#random.bytes(MANIFEST_NONCE_BYTES);
    const object = await encodeManifest({ manifest: next, nonce });
    if (!(await this.#putOnce(next.version, object, nonce))) return { kind: "conflict" };

    // A collected number is absent, too. A saver that slept may have won one: then newer ones exist.
    const newer = await this.#newestListedAfter(next.version);
    return { kind: newer === undefined ? "written" : "conflict" };
  }

  /** Puts the object until it is known whether it is there; see `WalWriter` for the reasoning. */
  async #putOnce(version: number, object: Uint8Array, nonce: Uint8Array): Promise<boolean> {
    const key = manifestKey(this.#at, version);
    for (let tried = 1; ; tried++) {
      try {
        const outcome = await this.#store.put(key, object, IF_ABSENT);
        if (outcome.kind === "written") return true;

        const there = await this.#store.get(key);
        if (there === undefined) return false; // Written by another, and collected.
        const other = await decodeManifest(there, this.#at, version);
        return Buffer.compare(other.nonce, nonce) === 0;
      } catch (error) {
        if (tried === STORE_ATTEMPTS_MAX || !isTransient(error)) throw error;
      }
      await this.#clock.sleep(retryDelayMs(tried, this.#random));
    }
  }

  async #newestListedAfter(version: number): Promise<number | undefined> {
    const prefix = manifestPrefix(this.#at);
    let newest: number | undefined;
    let startAfter: string = manifestKey(this.#at, version);
    for (;;) {
      const page = await this.#store.list({ prefix, startAfter, limit: LIST_PAGE_KEYS });
      const versions = page.keys.flatMap((key) => parseManifestKey(this.#at, key) ?? []);
      newest = versions.at(-1) ?? newest;
      const end = endOf(page);
      if (!page.truncated || end === undefined) return newest;
      startAfter = end;
    }
  }

  async #read(version: number): Promise<Manifest | undefined> {
    const object = await this.#store.get(manifestKey(this.#at, version));
    if (object === undefined) return undefined;
    return (await decodeManifest(object, this.#at, version)).manifest;
  }
}
