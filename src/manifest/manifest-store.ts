import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import { NONCE_BYTES } from "../storage/create-object.ts";
import { NumberedObjects } from "../storage/numbered-objects.ts";
import { manifestKey, manifestPrefix, type NamespaceGeneration } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Manifest } from "./manifest.ts";
import { encodeManifest, manifestFamily, type StoredManifest } from "./manifest-codec.ts";

/** Tries to find the newest manifest while versions are collected under the reader. */
export const MANIFEST_LOAD_ATTEMPTS_MAX = 5;

/** What a `ManifestStore` needs. */
export interface ManifestStoreOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly generation: NamespaceGeneration;
}

/** What became of a save. */
export type SaveOutcome = { readonly kind: "written" } | { readonly kind: "conflict" };

/**
 * Finds and follows the versions of one namespace's root. Version n + 1 is put if absent by whoever
 * knows version n; to lose that race costs work, never correctness. One task at a time may use it.
 */
export class ManifestStore {
  readonly #versions: NumberedObjects<StoredManifest>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #generation: NamespaceGeneration;
  /** The version last loaded or saved, which the next one names as its predecessor. */
  #known = { version: 0, nonce: new Uint8Array(NONCE_BYTES) };

  constructor({ store, clock, random, generation }: ManifestStoreOptions) {
    this.#versions = new NumberedObjects(store, manifestFamily(generation));
    this.#clock = clock;
    this.#random = random;
    this.#generation = generation;
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
    const where = manifestPrefix(this.#generation);
    throw new DatabaseError("unavailable", `cannot find the newest manifest in ${where}: ${what}`);
  }

  /** Reads one version; undefined: it is not there. What is loaded or saved next stays as it is. */
  async read(version: number): Promise<Manifest | undefined> {
    return (await this.#read(version))?.manifest;
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
    const { version, generation: generationNumber } = next;
    assert(generationNumber === this.#generation.generation, "manifest of another generation");
    assert(version === this.#known.version + 1, `version ${version} skips or goes back`);
    const nonce = Uint8Array.from(this.#random.bytes(NONCE_BYTES));
    const previousNonce = this.#known.nonce;
    const object = await encodeManifest({ manifest: next, nonce, previousNonce }, this.#generation);
    const candidate = { number: version, object, nonce };
    const options = { clock: this.#clock, random: this.#random };
    const outcome = await this.#versions.put(candidate, options);
    if (outcome.kind === "collected" && outcome.mayBeOwn) throw this.#unknown(version);
    if (outcome.kind !== "written") return { kind: "conflict" };
    if (!(await this.#isInChain(version, nonce))) return { kind: "conflict" };

    this.#known = { version, nonce };
    return { kind: "written" };
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
    let newest: number | undefined;
    for await (const versions of this.#versions.numbersAfter(version)) {
      newest = versions.at(-1) ?? newest;
    }
    return newest;
  }

  async #read(version: number): Promise<StoredManifest | undefined> {
    return (await this.#versions.read(version))?.value;
  }

  #learn({ manifest, nonce }: StoredManifest): Manifest {
    this.#known = { version: manifest.version, nonce: Uint8Array.from(nonce) };
    return manifest;
  }

  #unknown(version: number): DatabaseError {
    const key = manifestKey(this.#generation, version);
    const what = "later versions were collected before it was known whether they follow from it";
    return new DatabaseError("conflict", `cannot save ${key}: ${what}`);
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
