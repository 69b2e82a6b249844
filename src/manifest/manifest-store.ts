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
import {
  decodeManifest,
  encodeManifest,
  MANIFEST_NONCE_BYTES,
  type StoredManifest,
} from "./manifest-codec.ts";

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
 * knows version n; to lose that race costs work, never correctness. One task at a time may use it.
 */
export class ManifestStore {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #at: NamespaceGeneration;
  /** The version last loaded or saved, which the next one names as its predecessor. */
  #known = { version: 0, nonce: new Uint8Array(MANIFEST_NONCE_BYTES) };

  constructor({ store, clock, random, at }: ManifestStoreOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#at = at;
  }

  /** Takes over which version another one knows, to save the next through another store. */
  followFrom(other: ManifestStore): void {
    this.#known = other.#known;
  }

  /** Finds the newest version by listing, then probing; undefined if there is none. */
  async load(): Promise<Manifest | undefined> {
    for (let tried = 0; tried < MANIFEST_LOAD_ATTEMPTS_MAX; tried++) {
      const version = await this.#newestListedAfter(0);
      if (version === undefined) return undefined;
      // Nearly always there is no next one: then two requests take no longer than one.
      const [listed, next] = await Promise.all([this.#read(version), this.#read(version + 1)]);
      if (next !== undefined) return this.loadNewer(this.#learn(next));
      // An absent one was collected since the listing, so a newer one exists.
      if (listed !== undefined) return this.#learn(listed);
    }
    const what = "versions vanish as fast as they are listed";
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
      newest = this.#learn(next);
    }
  }

  /**
   * Makes `next` a version of the manifest, or reports that another one has its number; then load
   * again. `next` follows the version last loaded or saved here. A throw leaves the outcome
   * unknown: keep the objects that `next` names until a `load` shows which versions won.
   */
  async save(next: Manifest): Promise<SaveOutcome> {
    const { version, generation } = next;
    assert(generation === this.#at.generation, "manifest of another generation");
    assert(version === this.#known.version + 1, `version ${version} skips or goes back`);
    const nonce = Uint8Array.from(this.#random.bytes(MANIFEST_NONCE_BYTES));
    const previousNonce = this.#known.nonce;
    const object = await encodeManifest({ manifest: next, nonce, previousNonce }, this.#at);
    if (!(await this.#put(version, object, nonce))) return { kind: "conflict" };
    if (!(await this.#isInChain(version, nonce))) return { kind: "conflict" };

    this.#known = { version, nonce };
    return { kind: "written" };
  }

  /** Puts the object until it is known whether it is there; see `WalWriter` for the reasoning. */
  async #put(version: number, object: Uint8Array, nonce: Uint8Array): Promise<boolean> {
    const key = manifestKey(this.#at, version);
    for (let tried = 1; ; tried++) {
      try {
        const outcome = await this.#store.put(key, object, IF_ABSENT);
        if (outcome.kind === "written") return true;

        const there = await this.#read(version);
        if (there !== undefined) return sameBytes(there.nonce, nonce);
        if (tried === 1) return false; // Another one's, collected since.
        throw this.#unknown(version);
      } catch (error) {
        if (tried === STORE_ATTEMPTS_MAX || !isTransient(error)) throw error;
      }
      await this.#clock.sleep(retryDelayMs(tried, this.#random));
    }
  }

  /**
   * Tells whether a version that was put counts. A collected number is absent, too, so a saver that
   * slept may have won an old one: then newer ones exist that do not come from it. Collectors keep
   * versions for a grace period, so the successor is there to be asked, or nobody can tell any
   * more.
   */
  async #isInChain(version: number, nonce: Uint8Array): Promise<boolean> {
    if ((await this.#newestListedAfter(version)) === undefined) return true;
    const successor = await this.#read(version + 1);
    if (successor === undefined) throw this.#unknown(version);
    return sameBytes(successor.previousNonce, nonce);
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

  async #read(version: number): Promise<StoredManifest | undefined> {
    const object = await this.#store.get(manifestKey(this.#at, version));
    return object === undefined ? undefined : decodeManifest(object, this.#at, version);
  }

  #learn({ manifest, nonce }: StoredManifest): Manifest {
    this.#known = { version: manifest.version, nonce: Uint8Array.from(nonce) };
    return manifest;
  }

  #unknown(version: number): DatabaseError {
    const key = manifestKey(this.#at, version);
    const what = "later versions were collected before it was known whether they follow from it";
    return new DatabaseError("conflict", `cannot save ${key}: ${what}`);
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
