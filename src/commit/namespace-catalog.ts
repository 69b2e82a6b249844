/**
 * The namespaces of the write thread: opens them when they are first needed, one opening at a time
 * for each name, and finishes deletions.
 */

import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import type { NamespaceName } from "../base/ids.ts";
import { fitsPatterns, type NamespacePatterns } from "../model/namespace-pattern.ts";
import { readClocks } from "../namespace/clock-reading.ts";
import type { ListingRequest } from "../namespace/generations/list-namespaces.ts";
import { listVisible } from "../namespace/generations/list-visible.ts";
import {
  announceDeletion,
  announcedDeletions,
  findGenerations,
  isAnnounced,
  isDeleted,
  markDeleted,
  withdrawDeletion,
} from "../namespace/generations/namespace-generations.ts";
import { namespaceNotFound } from "../namespace/namespace-faults.ts";
import type { NamespaceInstance, VerifiedState } from "../namespace/published-state.ts";
import { listNamespaceObjects } from "../namespace/recovery/namespace-listing.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { CommitJob } from "./commit-job.ts";
import { DeletionIntents } from "./generations/deletion-intents.ts";
import { GenerationRemovals } from "./generations/generation-removals.ts";
import { Namespace } from "./namespace.ts";
import { type Opening, openNamespace } from "./open-namespace.ts";
import { asOpenOutcome } from "./opened/namespace-log.ts";
import {
  type NamespaceOptions,
  NamespaceRetired,
  type NamespaceStats,
  newNamespaceStats,
  type SharedOptions,
} from "./opened/namespace-options.ts";
import { endUnlessExistsJob } from "./write-jobs.ts";

/** Interval between checks of open namespaces in use about which no hint has come. */
export const NAMESPACE_POLL_MS = 30_000;
/**
 * Time after the last use of a namespace for which the catalog reads manifests that indexers were
 * asked for. A later manifest is taken over at the next use of the namespace.
 */
const MANIFEST_AWAIT_MS = 60_000;
/** Names that an unknown name is compared with. */
const COMPARED_NAMES_MAX = 100;
/** Longest interval between reads of an expected manifest. */
const MANIFEST_EXPECTED_POLL_MS_MAX = 5_000;
/** A manifest that has been expected for a time is read again after this fraction of that time. */
const MANIFEST_EXPECTED_SHARE = 8;
/** Namespaces that are kept open while they are idle; each takes some 50 KiB in all threads. */
const NAMESPACES_OPEN_MAX = 1_000;
/** How long an idle namespace is kept open. */
const NAMESPACE_IDLE_MS = 600_000;
/** Codes of errors after which the log entry of a deletion is certainly not there. */
const REFUSED = ["not_found", "invalid", "overloaded", "out_of_memory"] as const;

/** Namespaces whose manifests are read at the same time. */
const FOLLOWED_AT_ONCE = 16;

/** All open namespaces. */
export class NamespaceCatalog {
  readonly #options: NamespaceOptions;
  readonly #store: ObjectStore;
  readonly #opening = new Map<NamespaceName, Promise<Namespace>>();
  /** Current instances by name. */
  readonly #open = new Map<NamespaceName, Namespace>();
  /** All instances whose memory is not given back yet. */
  readonly #instances = new Map<NamespaceInstance, Namespace>();
  /** Calls of `with` by name; while there are any, an instance without a namespace is kept. */
  readonly #users = new Map<NamespaceName, number>();
  /** What must be over before a name is opened again: the end of its last instance. */
  readonly #endings = new Map<NamespaceName, Promise<void>>();
  readonly #removals: GenerationRemovals;
  readonly stats: NamespaceStats = newNamespaceStats();
  /** For copies, which fill generations. */
  readonly deletionIntents: DeletionIntents;
  /** When newer manifests were last read, by the monotonic clock. */
  readonly #followedAtMs = new WeakMap<Namespace, number>();
  /** When each name was used last, the longest ago first. */
  readonly #usedAtMs = new Map<NamespaceName, number>();
  #isFollowing = false;
  /** Names that jobs were committed to since `takeWritten`; undefined: nobody asks. */
  #written: Set<NamespaceName> | undefined;
  #openings = 0;

  private constructor(options: SharedOptions, store: ObjectStore) {
    this.#options = {
      ...options,
      stats: this.stats,
      onRetired: (instance) => this.#forget(instance),
    };
    this.#store = store;
    this.deletionIntents = new DeletionIntents(store);
    const keepLogs = !options.isExclusive;
    this.#removals = new GenerationRemovals({ store, keepLogs, log: options.log });
  }

  /** Opens a catalog: finishes or withdraws deletions and copies that a stop interrupted. */
  static async open(options: SharedOptions, store: ObjectStore): Promise<NamespaceCatalog> {
    const catalog = new NamespaceCatalog(options, store);
    await catalog.#recover();
    return catalog;
  }

  /** Number of open namespaces. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Number of instances that hold memory, also those that are no longer open. */
  get instanceCount(): number {
    return this.#instances.size;
  }

  async #recover(): Promise<void> {
    for (const generation of await announcedDeletions(this.#store)) {
      try {
        await this.#settleOpen(generation);
      } catch (error) {
        // A damaged namespace must not keep the others from being served.
        if (!isDatabaseError(error)) throw error;
        const facts = { namespace: generation.name, reason: error.message };
        this.#options.log("error", "cannot finish an interrupted deletion", facts);
      }
    }
  }

  /** The current instance; one whose namespace does not exist yet, if nobody has written to it. */
  async get(name: NamespaceName): Promise<Namespace> {
    this.use([name]);
    const open = this.#open.get(name);
    if (open !== undefined) return open;
    let opening = this.#opening.get(name);
    if (opening === undefined) {
      opening = this.#openInstance(name).finally(() => this.#opening.delete(name));
      this.#opening.set(name, opening);
    }
    return opening;
  }

  /** Works with the current instance; forgets it afterwards if its namespace does not exist. */
  async with<T>(name: NamespaceName, work: (namespace: Namespace) => Promise<T>): Promise<T> {
    this.#users.set(name, (this.#users.get(name) ?? 0) + 1);
    try {
      return await work(await this.get(name));
    } finally {
      const left = (this.#users.get(name) ?? 1) - 1;
      if (left > 0) this.#users.set(name, left);
      else this.#users.delete(name);
      this.#forgetIfAbsent(name);
    }
  }

  /**
   * Commits a job in the namespace's current instance. Where an instance is retired before the
   * job's turn, the next one takes it.
   */
  async submit<T>(name: NamespaceName, job: CommitJob<T>): Promise<T> {
    for (;;) {
      try {
        const result = await this.with(name, (namespace) => namespace.submit(job));
        this.#written?.add(name);
        return result;
      } catch (error) {
        if (!(error instanceof NamespaceRetired)) throw error;
      }
    }
  }

  /** From now on `takeWritten` tells what was written to. */
  noteWrites(): void {
    this.#written ??= new Set();
  }

  /** Names that were written to here since the last call. */
  takeWritten(): ReadonlySet<NamespaceName> {
    const written = this.#written ?? new Set();
    if (this.#written !== undefined) this.#written = new Set();
    return written;
  }

  /** The namespace if it exists, with all that was committed to it before the call. */
  async findNewest(name: NamespaceName): Promise<Namespace | undefined> {
    // An opening under way may have read the log before the call.
    const isKnown = this.#open.has(name) || this.#opening.has(name);
    if (isKnown && !this.#options.isExclusive) await (await this.get(name)).verify();
    return this.find(name);
  }

  /**
   * Brings an instance up to all that was committed `stalenessMsMax` before the call; undefined
   * where it is closed.
   */
  async verify(
    name: NamespaceName,
    instance: string,
    stalenessMsMax: number,
  ): Promise<VerifiedState | undefined> {
    const open = this.#open.get(name);
    if (open?.instance !== instance) return undefined;
    const sequence = await open.verify(stalenessMsMax);
    return sequence === undefined ? undefined : { sequence, knownMs: open.endKnownMs };
  }

  /** The namespace if it exists. */
  find(name: NamespaceName): Promise<Namespace | undefined> {
    return this.with(name, async (namespace) => (namespace.exists ? namespace : undefined));
  }

  /**
   * Deletes a namespace; throws what `job` refuses with if there is none. Answers when the deletion
   * is durable; objects go later. A namespace that cannot be opened is deleted by its deletion mark
   * alone, or nobody could ever get rid of it.
   */
  async delete(name: NamespaceName, job: CommitJob<void>): Promise<void> {
    for (;;) {
      let namespace: Namespace;
      try {
        namespace = await this.get(name);
      } catch (error) {
        if (!isDatabaseError(error)) throw error;
        if (await this.#deleteUnopened(name, error)) return;
        continue;
      }
      if (await this.#deleteOpened(namespace, job)) return;
    }
  }

  /**
   * Ends a generation that neither exists nor is deleted, so that objects which others share can be
   * put under its prefix. Throws `unavailable` where it is being filled or deleted.
   */
  async reserve(generation: NamespaceGeneration): Promise<void> {
    const { name } = generation;
    if (await isAnnounced(this.#store, generation)) {
      throw new DatabaseError(
        "unavailable",
        `💔 generation ${generation.generation} of namespace '${name}' is being filled or ` +
          "deleted; retry",
      );
    }
    const { live, next } = await findGenerations(this.#store, name);
    if (live?.generation === generation.generation) return;
    if (await isDeleted(this.#store, generation)) return;
    if (next.generation === generation.generation) {
      await this.submit(name, endUnlessExistsJob(generation));
      await this.#endings.get(name);
    } else await this.#settleOpen(generation);
    await this.#removals.settle(); // What is put from now on must not be taken for its objects.
  }

  /** A page of names. */
  list(request: ListingRequest, visible: NamespacePatterns): Promise<NamespaceName[]> {
    return listVisible(this.#store, request, visible);
  }

  /** Readers of an instance have let go of what it dropped up to `version`. */
  release(instance: NamespaceInstance, version: number): void {
    const namespace = this.#instances.get(instance);
    namespace?.release(version);
    if (namespace?.life === "gone") this.#instances.delete(instance);
  }

  /** These names are in use: by queries of which this thread hears nothing else, too. */
  use(names: readonly NamespaceName[]): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const name of names) {
      // The map stays in the order of use.
      this.#usedAtMs.delete(name);
      this.#usedAtMs.set(name, nowMs);
    }
  }

  /**
   * The error for a namespace that does not exist. It names the most alike of those that are open
   * and were used last and that the client may see, which costs no look at the store.
   */
  notFound(name: NamespaceName, visible: NamespacePatterns): DatabaseError {
    const open = [...this.#usedAtMs.keys()].filter((known) => this.#open.get(known)?.exists);
    const known = open.slice(-COMPARED_NAMES_MAX).reverse();
    return namespaceNotFound(
      name,
      known.filter((other) => fitsPatterns(visible, other)),
    );
  }

  /**
   * Closes namespaces that nobody has used for a while, and the least recently used ones above
   * `NAMESPACES_OPEN_MAX`. The next request opens them again.
   */
  closeIdle(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [name, usedAtMs] of [...this.#usedAtMs]) {
      const isOld = nowMs - usedAtMs >= NAMESPACE_IDLE_MS;
      if (!isOld && this.#open.size <= NAMESPACES_OPEN_MAX) return;
      const namespace = this.#open.get(name);
      if (namespace === undefined) {
        if (isOld) this.#usedAtMs.delete(name);
        continue;
      }
      if (!namespace.isIdle || this.#users.has(name)) continue;
      this.#usedAtMs.delete(name);
      namespace.retire("idle");
    }
  }

  /**
   * Puts hints for logs whose writers have paused. Reads newer manifests and other servers' entries
   * of the open namespaces that are due, some at a time. If no other server writes to the store,
   * namespaces without a manifest and with a short log cost no request. Unused namespaces cost none
   * either: their next use reads what has changed.
   */
  async follow(nowMs: number): Promise<void> {
    for (const namespace of this.#open.values()) namespace.hintFold();
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const due = [...this.#open.values()].filter((namespace) => {
      if (this.#options.isExclusive && !namespace.mayHaveManifest) return false;
      const { waitingMs } = namespace;
      const followedAtMs = this.#followedAtMs.get(namespace) ?? Number.NEGATIVE_INFINITY;
      const usedAtMs = this.#usedAtMs.get(namespace.name) ?? Number.NEGATIVE_INFINITY;
      const isDue = isFollowingDue({ nowMs, followedAtMs, usedAtMs, waitingMs });
      if (isDue) this.#followedAtMs.set(namespace, nowMs);
      return isDue;
    });
    try {
      await this.#followSome(due, (namespace) => {
        return namespace.mayHaveManifest ? namespace.follow() : namespace.followLog();
      });
    } finally {
      this.#isFollowing = false;
    }
  }

  /** Takes over a newer manifest of a namespace at once, if it is open. */
  followManifest(name: NamespaceName): void {
    void this.#open.get(name)?.refresh(false);
  }

  /** Looks for newer manifests of all open namespaces. */
  followAll(): Promise<void> {
    return this.#followSome([...this.#open.values()], (namespace) => namespace.follow());
  }

  async #followSome(
    namespaces: readonly Namespace[],
    follow: (namespace: Namespace) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < namespaces.length; start += FOLLOWED_AT_ONCE) {
      await Promise.all(namespaces.slice(start, start + FOLLOWED_AT_ONCE).map(follow));
    }
  }

  /** Waits until nothing runs. */
  async settle(): Promise<void> {
    for (const namespace of this.#open.values()) {
      await namespace.settle();
      await namespace.leaveRaces();
    }
    await Promise.allSettled(this.#endings.values());
    await this.#removals.settle();
  }

  /** Forgets a name that nobody has written to, so that asking for it costs nothing. */
  #forgetIfAbsent(name: NamespaceName): void {
    const namespace = this.#open.get(name);
    if (namespace === undefined || namespace.exists || this.#users.has(name)) return;
    this.#open.delete(name);
    this.#instances.delete(namespace.instance);
    namespace.discard(); // A catch-up under way finds it retired, and changes nothing.
  }

  async #openInstance(name: NamespaceName): Promise<Namespace> {
    // The last instance may still be appending an entry, or putting its deletion mark.
    await this.#endings.get(name)?.catch(() => {});
    const begunAt = readClocks(this.#options.clock);
    const { live, next, listing } = await listNamespaceObjects(this.#store, name);
    const opening = this.#openGeneration(live ?? next, { begunAt, listing });
    const namespace = await opening.catch(async (error) => {
      if (live === undefined || !(await isDeleted(this.#store, live))) throw error;
    });
    if (namespace === undefined) return this.#openInstance(name); // It was deleted meanwhile.
    if (namespace.facts.deleted) {
      // The stop came between the commit of the deletion and the deletion mark.
      await markDeleted(this.#store, namespace.generation);
      this.#removals.begin(namespace.generation);
      return this.#openInstance(name);
    }
    if (live !== undefined && !namespace.exists && (await isDeleted(this.#store, live))) {
      namespace.discard(); // It was deleted while it was opened.
      return this.#openInstance(name);
    }
    if (namespace.exists) await this.deletionIntents.settle(namespace.generation);
    else if (this.deletionIntents.isOpen(namespace.generation)) {
      namespace.discard();
      await this.#settleOpen(namespace.generation);
      return this.#openInstance(name);
    }
    this.#open.set(name, namespace);
    this.#instances.set(namespace.instance, namespace);
    this.#followedAtMs.set(namespace, this.#usedAtMs.get(name) ?? begunAt.monotonic);
    namespace.serve();
    return namespace;
  }

  async #openGeneration(
    generation: NamespaceGeneration,
    of: Omit<Opening, "generation" | "instance"> = { begunAt: readClocks(this.#options.clock) },
  ): Promise<Namespace> {
    const instance =
      `${generation.name}/${generation.generation}/${++this.#openings}` as NamespaceInstance;
    const options = { ...this.#options, flow: generation.name };
    return new Namespace(options, await openNamespace(options, { generation, instance, ...of }));
  }

  /** Finishes or withdraws what was announced for a generation, whatever the store says of it. */
  async #settleOpen(generation: NamespaceGeneration): Promise<void> {
    if (!(await isDeleted(this.#store, generation)) && !(await this.#abandon(generation))) {
      await withdrawDeletion(this.#store, generation);
    } else {
      await markDeleted(this.#store, generation);
      await this.#removals.run(generation);
    }
    this.deletionIntents.forget(generation);
  }

  /**
   * Ends a generation that does not exist, so that no process which is about to fill it can commit.
   * False if it exists.
   */
  async #abandon(generation: NamespaceGeneration): Promise<boolean> {
    for (;;) {
      const namespace = await this.#openGeneration(generation);
      const { exists, facts } = namespace;
      if (exists || facts.deleted) {
        namespace.discard();
        return !exists;
      }
      try {
        return await namespace.submit(endUnlessExistsJob(generation));
      } catch (error) {
        if (!(error instanceof NamespaceRetired)) throw error; // Or somebody was faster.
      } finally {
        namespace.discard();
      }
    }
  }

  /** Tells whether it is done; if not, the namespace has another instance by now. */
  async #deleteOpened(namespace: Namespace, job: CommitJob<void>): Promise<boolean> {
    const { generation, exists } = namespace;
    try {
      if (exists) await announceDeletion(this.#store, generation);
      await namespace.submit(job);
    } catch (error) {
      if (error instanceof NamespaceRetired) return false;
      // The outcome may be unknown: then the announcement must stay for the next opening to decide.
      if (exists && isDatabaseError(error, ...REFUSED)) {
        await withdrawDeletion(this.#store, generation);
      } else if (exists) this.deletionIntents.leaveOpen(generation);
      throw error;
    } finally {
      this.#forgetIfAbsent(generation.name);
    }
    await this.#endings.get(generation.name)?.catch((error: unknown) => {
      throw asOpenOutcome(error); // Its entry is durable, whatever became of its deletion mark.
    });
    return true;
  }

  /**
   * Deletes a namespace whose opening failed with `reason`; false if another caller has opened it
   * meanwhile.
   */
  async #deleteUnopened(name: NamespaceName, reason: DatabaseError): Promise<boolean> {
    if (this.#open.has(name) || this.#opening.has(name) || this.#endings.has(name)) return false;
    const deletion = this.#markUnopened(name, reason);
    this.#end(name, deletion);
    await deletion;
    return true;
  }

  async #markUnopened(name: NamespaceName, reason: DatabaseError): Promise<void> {
    const { live } = await findGenerations(this.#store, name);
    if (live === undefined) throw reason;
    await announceDeletion(this.#store, live);
    await markDeleted(this.#store, live);
    this.#removals.begin(live);
    const facts = { namespace: name, reason: reason.message };
    this.#options.log("warn", "deleted a namespace that could not be opened", facts);
  }

  #forget(instance: NamespaceInstance): void {
    const namespace = this.#instances.get(instance);
    if (namespace === undefined) return;
    const { name } = namespace;
    if (this.#open.get(name) === namespace) {
      this.#open.delete(name);
      this.#end(name, this.#finish(namespace));
    }
    if (namespace.life === "gone") this.#instances.delete(instance);
  }

  /** Waits for what an instance that was retired still does, and finishes its deletion. */
  async #finish(namespace: Namespace): Promise<void> {
    await namespace.settle();
    if (!namespace.facts.deleted) return;
    await markDeleted(this.#store, namespace.generation);
    this.deletionIntents.forget(namespace.generation);
    this.#removals.begin(namespace.generation);
  }

  /** Keeps a name closed until `ending` is over; its caller receives failures. */
  #end(name: NamespaceName, ending: Promise<void>): void {
    const over = () => {
      if (this.#endings.get(name) === ending) this.#endings.delete(name);
    };
    this.#endings.set(name, ending);
    ending.then(over, over);
  }
}

/**
 * Returns true if the manifests and the log of a namespace are to be read. `waitingMs` is the time
 * for which a manifest has been expected. Pure.
 */
function isFollowingDue(times: {
  readonly nowMs: number;
  readonly followedAtMs: number;
  readonly usedAtMs: number;
  readonly waitingMs: number | undefined;
}): boolean {
  const { nowMs, followedAtMs, usedAtMs, waitingMs } = times;
  const sinceMs = nowMs - followedAtMs;
  if (waitingMs !== undefined && nowMs - usedAtMs < MANIFEST_AWAIT_MS)
    return sinceMs >= Math.min(waitingMs / MANIFEST_EXPECTED_SHARE, MANIFEST_EXPECTED_POLL_MS_MAX);
  return usedAtMs >= followedAtMs && sinceMs >= NAMESPACE_POLL_MS;
}
