/**
 * One namespace in the write thread. Jobs wait in a queue and are committed in groups
 * (`group-commit.ts`), one WAL entry after the other.
 *
 * Entries of other servers are applied as they are found: by a query or request that must see them,
 * by a commit that lost the race for a number, or by a check at intervals. If the log cannot be
 * followed, the instance is retired, and the next use of the namespace opens it from the store.
 */

import { assert } from "../base/assert.ts";
import { isDatabaseError } from "../base/errors.ts";
import type { NamespaceName, SequenceNumber } from "../base/ids.ts";
import { type SliceOptions, Slices } from "../base/slices.ts";
import { TurnQueue } from "../base/turn-queue.ts";
import { asDamage } from "../cache/resident-ranges.ts";
import type { ReadWalEntry } from "../log/wal-reader.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import { activeSchema } from "../namespace/active-text-options.ts";
import { backlogSize, indexStatus, isFoldDue } from "../namespace/index-status.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
} from "../namespace/published-state.ts";
import { decodeLogEntry } from "../namespace/recovery/replay-entry.ts";
import type { StaleIndex } from "../namespace/segments/stale-indexes.ts";
import type { StoredSegment } from "../segment/memtable/stored-segments.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import { BackgroundWork } from "./background/background-work.ts";
import { IndexBuilder } from "./background/index-builder.ts";
import type { CommitJob } from "./commit-job.ts";
import { EntryApplier, type ReadyEntry } from "./following/entry-applier.ts";
import { LogFollower } from "./following/log-follower.ts";
import { ManifestFollower } from "./following/manifest-follower.ts";
import { GroupCommit } from "./group-commit.ts";
import { indexedState } from "./indexed-state.ts";
import { JobQueue } from "./job-queue.ts";
import { NamespaceLog } from "./opened/namespace-log.ts";
import {
  type NamespaceOptions,
  NamespaceRetired,
  type OpenedNamespace,
  RETIREMENT_MESSAGE,
  type Retirement,
  type RetireReason,
} from "./opened/namespace-options.ts";
import { LogRaces } from "./races/log-races.ts";
import { type RetainedDocuments, retainDocuments } from "./retained-documents.ts";

/**
 * Minimum interval between checks for new entries of an open namespace, on servers that share their
 * store; well under `LOG_END_KNOWN_MS_MAX`.
 */
export const LOG_POLL_MS = 15_000;

/** The life of an opening, which goes through these states in this order and may omit some. */
export type NamespaceLife =
  /** Its catalog alone knows of it: nothing is published. */
  | "opening"
  /** Jobs are committed, and what exists is published. */
  | "serving"
  /** It takes no jobs; its memory stays until its last reader has released it. */
  | "retired"
  /** Its memory is released. */
  | "gone";

/** One opening of one namespace. */
export class Namespace {
  readonly generation: NamespaceGeneration;
  readonly instance: NamespaceInstance;
  readonly #options: NamespaceOptions;
  readonly #opened: OpenedNamespace;
  /** Of work on documents, whose memory may be another's once the instance is retired. */
  readonly #slicing: SliceOptions;
  readonly #log: NamespaceLog;
  readonly #logFollower: LogFollower;
  readonly #follower: ManifestFollower;
  readonly #indexes: IndexBuilder;
  readonly #background: BackgroundWork;
  /** One at a time changes documents and facts. */
  readonly #turns = new TurnQueue(1);
  readonly #applier: EntryApplier;
  /** The last entry that queries see. */
  #publishedUpTo: SequenceNumber;
  readonly #races: LogRaces;
  readonly #queue = new JobQueue();
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  /** Callers that wait until no index is being built. */
  #indexed: (() => void)[] = [];
  #life: Exclude<NamespaceLife, "gone"> = "opening";
  /** Other threads know of it. */
  #isPublished = false;
  readonly #commits: GroupCommit;

  constructor(options: NamespaceOptions, opened: OpenedNamespace) {
    this.#options = options;
    this.#opened = opened;
    this.generation = opened.generation;
    this.instance = opened.instance;
    const check = () => {
      if (this.isRetired) throw new NamespaceRetired();
    };
    this.#slicing = { ...options, check };
    this.#publishedUpTo = opened.facts.sequence;
    this.#log = new NamespaceLog(options, opened);
    this.#logFollower = new LogFollower(this.#log, (read) =>
      this.#turns.run(() => this.#applyOthers(read)),
    );
    this.#races = new LogRaces({
      ...options,
      generation: opened.generation,
      writer: this.#log.writer,
      stats: options.stats.races,
      follow: async () => (await this.verify()) !== undefined,
    });
    this.#follower = new ManifestFollower(options, opened, {
      log: this.#log,
      retain: () => this.#retain(),
    });
    const hint = () => this.#log.hint();
    this.#indexes = new IndexBuilder(options, opened, { slicing: this.#slicing, hint });
    this.#applier = new EntryApplier(options, opened, this.#indexes);
    this.#background = new BackgroundWork(options, opened, {
      indexes: this.#indexes,
      log: this.#log,
    });
    this.#commits = new GroupCommit(options, opened, {
      queue: this.#queue,
      log: this.#log,
      follower: this.#logFollower,
      manifests: this.#follower,
      races: this.#races,
      applier: this.#applier,
      indexes: this.#indexes,
      slicing: this.#slicing,
      namespace: {
        isRetired: () => this.isRetired,
        apply: (ready) => this.#apply(ready),
        applyOthers: (read) => this.#applyOthers(read),
        retire: (reason) => this.retire(reason),
        verify: () => this.verify(),
        findManifest: () => this.follow(true),
      },
    });
  }

  get name(): NamespaceName {
    return this.generation.name;
  }

  /** Whether the namespace was ever written to. */
  get exists(): boolean {
    return this.facts.settings !== undefined && !this.facts.deleted;
  }

  get facts(): NamespaceFacts {
    return this.#applier.facts;
  }

  /** See `NamespaceLife`. */
  get life(): NamespaceLife {
    const isGone = this.#life === "retired" && this.#opened.documents.isEmpty;
    return isGone ? "gone" : this.#life;
  }

  /** No more jobs are taken. */
  get isRetired(): boolean {
    return this.#life === "retired";
  }

  /** The schema that indexes have. */
  get #activeSchema(): Schema {
    return activeSchema(this.facts);
  }

  /** The type that a body's parser may expect for an attribute. */
  typeOf(attribute: string): AttributeType | undefined {
    return this.facts.schema.attributes.get(attribute)?.type;
  }

  /** What queries and metadata need to know. */
  state(): NamespaceState {
    const { documents, tail } = this.#opened;
    const { facts } = this;
    const builds = this.#indexes.builds(this.#activeSchema);
    const indexed = indexedState(this.#opened, { facts, builds });
    return {
      instance: this.instance,
      retired: this.isRetired,
      sequence: facts.sequence,
      schema: this.#activeSchema,
      documentCount: documents.documentCount,
      index: indexStatus(indexed, this.#options.thresholds),
      unindexedBytes: tail.bytes,
      logicalBytes: documents.logicalBytes,
      lastWriteAtMs: facts.settings?.lastWriteAtMs,
      builds,
      buildsSinceMs: this.#indexes.sinceMs,
    };
  }

  /** Commits a job in its turn. Throws what the job refuses with, or `NamespaceRetired`. */
  submit<T>(job: CommitJob<T>): Promise<T> {
    const result = this.#queue.add(job, this.#options.clock.monotonicMs());
    if (!this.isRetired) this.#running ??= this.#run();
    return result;
  }

  /** Resolves when no index is being built, or the instance is retired. */
  async whenIndexed(): Promise<void> {
    if (this.isRetired || this.state().builds.length === 0) return;
    await new Promise<void>((resolve) => void this.#indexed.push(resolve));
  }

  /**
   * Takes over a newer manifest, if there is one. With `isSure` it lists the manifests, and finds
   * the newest one also after those that were collected.
   */
  follow(isSure = false): Promise<void> {
    this.#following ??= this.#follow(isSure)
      .catch((error: unknown) => this.#follower.warn(error))
      .finally(() => {
        this.#following = undefined;
      });
    return this.#following;
  }

  /**
   * Brings the instance up to all that was committed `ageMsMax` before the call, asking the store
   * if it has not known the end of the log since then. Gives the sequence number from which on a
   * published state holds all of it. Undefined: the instance is retired, and an opening that begins
   * now reads all of it.
   */
  async verify(ageMsMax = 0): Promise<SequenceNumber | undefined> {
    if (this.isRetired) return undefined;
    if (this.endKnownMs < ageMsMax) return this.#log.known.sequence;
    const caughtUp = await this.#logFollower.catchUp();
    if (caughtUp.kind === "lost") {
      this.retire(caughtUp.reason);
      return undefined;
    }
    // A commit of this instance is published at the end of its turn.
    if (this.#publishedUpTo < caughtUp.sequence) await this.#turns.run(async () => {});
    if (this.isRetired) return undefined;
    const { sequence } = caughtUp;
    assert(this.#publishedUpTo >= sequence, `${this.instance} has not published ${sequence}`);
    return sequence;
  }

  /** How long ago all that was committed was seen by queries, at most. */
  get endKnownMs(): number {
    return this.#log.endKnownMs;
  }

  /** Some of the documents are in stored segments. */
  get #hasStored(): boolean {
    return this.#follower.version > 0 || this.stored.length > 0;
  }

  /** There is a manifest, or one is to be expected. */
  get mayHaveManifest(): boolean {
    return this.#hasStored || this.waitingMs !== undefined;
  }

  /** How long a newer manifest has been expected; undefined: none is. */
  get waitingMs(): number | undefined {
    return this.#log.waitingMs;
  }

  /** Puts a hint for indexers if the log has entries to fold and the writers have paused. */
  hintFold(): void {
    if (this.isRetired || !this.exists || this.waitingMs !== undefined) return;
    const state = indexedState(this.#opened, { facts: this.facts, builds: [] });
    const size = backlogSize(state, this.#options.thresholds);
    if (isFoldDue(size, this.#log.since)) this.#log.hint();
  }

  /** Publishes the namespace, if it exists, and from now on what is committed to it. */
  serve(): void {
    assert(this.#life === "opening", `${this.instance} is ${this.#life}`);
    this.#life = "serving";
    if (this.exists) this.#publish([this.#opened.documents.full()]);
  }

  /** Releases the memory of segments that were dropped up to `version`: no reader needs them. */
  release(version: number): void {
    this.#opened.documents.release(version);
  }

  /** Nothing runs or waits, so that it may be closed. */
  get isIdle(): boolean {
    const isFollowing = this.#following !== undefined || this.#logFollower.isRunning;
    return (
      !isFollowing &&
      this.#running === undefined &&
      this.#queue.isEmpty &&
      !this.#opened.documents.isRetained
    );
  }

  /** The stored segments as of now. */
  get stored(): readonly StoredSegment[] {
    return this.#opened.documents.stored;
  }

  /** Keeps the present documents readable until `release`, while commits go on. It must exist. */
  retain(): RetainedDocuments {
    assert(!this.isRetired, `nothing to retain in ${this.instance}`);
    const { version: manifestVersion } = this.#follower;
    return retainDocuments(this.#opened, {
      facts: this.facts,
      manifestVersion,
      release: this.#retain(),
    });
  }

  /**
   * Takes over a manifest that was saved before the call, or with `isSure` the newest one. A look
   * under way may have been too early.
   */
  async refresh(isSure = true): Promise<void> {
    await this.#following;
    await this.follow(isSure);
    if (!this.isRetired) await this.#follower.whenAdopted();
  }

  /** Waits for what runs. */
  async settle(): Promise<void> {
    await this.#following;
    while (this.#running !== undefined) await this.#running;
    await this.#turns.run(async () => {}); // An entry of another server may be halfway.
  }

  /** Removes this server's wait mark, so that other servers do not wait for it. */
  leaveRaces(): Promise<void> {
    return this.#races.leave();
  }

  /** Takes the instance out of service; what waits is submitted again by its owners. */
  retire(reason: RetireReason): void {
    if (this.isRetired) return;
    this.#options.stats.retired[reason]++;
    if (reason !== "idle") {
      const { name: namespace, generation: generationNumber } = this.generation;
      const { sequence } = this.facts;
      const retirement: Retirement = { namespace, generation: generationNumber, sequence, reason };
      this.#options.log("info", RETIREMENT_MESSAGE, { ...retirement });
    }
    this.#end();
    this.#options.onRetired(this.instance);
  }

  /** Ends an instance that was never published, and releases its memory. */
  discard(): void {
    assert(!this.#isPublished, `${this.instance} has readers`);
    if (!this.isRetired) this.#end();
  }

  #end(): void {
    const { documents } = this.#opened;
    this.#life = "retired";
    this.#queue.close();
    this.#races.close();
    for (const { object } of documents.stored) this.#options.reads.forget(object);
    this.#follower.close();
    const cleared = documents.clear();
    if (this.#isPublished) this.#publish([cleared]);
    else documents.releaseAll();
    for (const resolve of this.#indexed.splice(0)) resolve();
  }

  /**
   * Commits while jobs wait, then does background work. Background work that must not fall behind
   * goes between the commits. The loop ends and clears `#running` in one turn of the event loop, so
   * that a job which is submitted later starts it again.
   */
  async #run(): Promise<void> {
    let owes = false;
    while (!this.isRetired) {
      if (this.#follower.isReady) await this.#turns.run(() => this.#adopt());
      if (!this.#queue.isEmpty && !owes) {
        if (!this.#options.isExclusive) await this.#awaitTurn();
        const rest = await this.#turns.run(() => this.#commits.run());
        await rest?.();
        owes = this.#background.isUrgent;
        continue;
      }
      if (this.#queue.isEmpty) this.#races.rest();
      await this.#options.yield();
      if (this.isRetired || (!this.#queue.isEmpty && !owes)) continue;
      const mayHaveMore = await this.#turns.run(() => this.#maintain());
      owes = mayHaveMore && this.#background.isBehind;
      if (!mayHaveMore && this.#queue.isEmpty && !this.#follower.isReady) break;
    }
    this.#running = undefined;
  }

  /** Lets other servers have their turn in the log; refuses jobs that wait for theirs too long. */
  async #awaitTurn(): Promise<void> {
    await this.#races.beforeCommit();
    const { overdueMs } = this.#races;
    if (overdueMs !== undefined) this.#races.refuse(this.#queue.takeAddedUntil(overdueMs));
  }

  async #follow(isSure: boolean): Promise<void> {
    if (this.isRetired || !this.exists) return;
    await this.followLog();
    let outcome = await this.#follower.poll(() => this.facts, isSure);
    while (outcome.kind === "behind" && !this.#options.isExclusive) {
      await this.#catchUpFor(outcome.indexedUpTo);
      if (this.isRetired) return;
      outcome = await this.#follower.poll(() => this.facts, isSure);
    }
    const isWaiting = this.waitingMs !== undefined || this.#indexes.isWaiting(this.facts);
    if (outcome.kind === "nothing new" && isWaiting) this.#log.remind();
    if (outcome.kind === "newer" && !this.isRetired) this.#running ??= this.#run();
    else if (outcome.kind === "replaced") this.retire("reindexed");
    else if (outcome.kind === "behind") this.retire("collected");
  }

  /** Applies the entries that a manifest covers, as long as they are there. */
  async #catchUpFor(indexedUpTo: SequenceNumber): Promise<void> {
    try {
      await this.verify();
    } catch (error) {
      if (!isDatabaseError(error, "out_of_memory")) throw error;
      this.retire("uncertain"); // From the manifest it takes less memory.
    }
    if (this.facts.sequence < indexedUpTo) this.retire("collected");
  }

  /** Looks for entries of other servers, unless that was done lately. */
  async followLog(): Promise<void> {
    if (this.#options.isExclusive) return;
    try {
      await this.verify(LOG_POLL_MS);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const facts = { namespace: this.name, reason };
      this.#options.log("warn", "cannot follow the log yet", facts);
    }
  }

  /** Exchanges what a newer manifest holds for what it was made from. */
  async #adopt(): Promise<void> {
    try {
      // Nothing may fail between the exchange and its publication: readers need every delta.
      let stale: readonly StaleIndex[] = [];
      const delta = await this.#follower.adopt(async (segments) => {
        stale = await this.#indexes.lacking(segments, this.#activeSchema);
      });
      if (delta !== undefined) this.#indexes.note(stale);
      if (delta !== undefined && !this.isRetired) this.#publish([delta]);
    } catch (error) {
      this.#follower.warn(error);
      if (isDatabaseError(error, "corrupt")) this.retire("damaged");
    }
    this.#follower.settled();
  }

  /** Does one step of background work; tells whether there may be more. */
  async #maintain(): Promise<boolean> {
    if (this.isRetired) return false;
    try {
      const slices = new Slices(this.#slicing);
      const delta = await slices.run(this.#background.step(this.#activeSchema));
      if (delta !== undefined) this.#publish([delta]);
      return delta !== undefined;
    } catch (error) {
      if (error instanceof NamespaceRetired) return false;
      throw error;
    }
  }

  /** Applies the next entry, of another server; see `ApplyEntry`. */
  async #applyOthers(read: ReadWalEntry): Promise<boolean> {
    const { sequence } = read.entry;
    if (this.isRetired || sequence <= this.facts.sequence) return !this.isRetired;
    assert(sequence === this.facts.sequence + 1, `${this.instance} goes on with ${sequence}`);
    const entry = decodeLogEntry(read, this.generation);
    const ready = await this.#applier.prepare(entry, new Slices(this.#slicing)).catch((error) => {
      throw asDamage(error);
    });
    if (this.isRetired) {
      this.#applier.discard(ready);
      return false;
    }
    try {
      await this.#apply(ready);
    } catch (error) {
      this.retire("uncertain");
      throw error;
    }
    // Only after it is published: a look that starts behind this entry and finds none tells its
    // query that the published state is the newest.
    this.#log.follow(entry);
    this.#races.noteEntry(read.entry);
    this.#options.stats.followedEntries++;
    if (this.facts.deleted) this.retire("deleted");
    else if (this.#background.isUrgent) await this.#maintain();
    if (this.isRetired) return false;
    this.#running ??= this.#run();
    return true;
  }

  /** Applies the next entry and publishes it with the indexes that it asks for. */
  async #apply(ready: ReadyEntry): Promise<void> {
    if (this.isRetired) return this.#applier.pass(ready);
    const deltas = await this.#applier.apply(ready);
    if (!this.facts.deleted && !this.isRetired) this.#publish(deltas);
  }

  #retain(): () => void {
    const unpin = this.#opened.documents.retain();
    return () => {
      unpin();
      if (this.life === "gone") this.#options.onRetired(this.instance);
    };
  }

  #publish(deltas: readonly PublishedDelta[]): void {
    this.#publishedUpTo = this.facts.sequence;
    this.#isPublished ||= this.#life === "serving" && this.facts.settings !== undefined;
    if (!this.#isPublished) return;
    const state = this.state();
    this.#options.publish(this.name, deltas, state);
    if (state.builds.length === 0) for (const resolve of this.#indexed.splice(0)) resolve();
  }
}
