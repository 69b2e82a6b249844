/**
 * One namespace in the write thread: jobs wait in a queue and are committed in groups, as many as
 * wait, one WAL entry after the other. What is committed is applied and published before the jobs
 * are told (docs/consistency.md: I1, I4, I5).
 *
 * Where other servers write to the store, too, their entries are applied as they are found: by a
 * query or request that must see them, by a commit that lost the race for a number, or by a look
 * from time to time. Jobs of a lost race are resolved again on what has won. Where the log cannot
 * be followed the instance is retired: whoever needs the namespace opens it again from the store.
 */

import { assert } from "../base/assert.ts";
import { isDatabaseError } from "../base/errors.ts";
import { type NamespaceName, type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { type SliceOptions, Slices } from "../base/slices.ts";
import type { Steps } from "../base/steps.ts";
import { TurnQueue } from "../base/turn-queue.ts";
import { asDamage } from "../cache/resident-ranges.ts";
import type { NewWalRecord, WalEntry } from "../log/wal-entry.ts";
import type { ReadWalEntry } from "../log/wal-reader.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import { activeSchema, activeSchemaAfter } from "../namespace/active-text-options.ts";
import { backlogSize, isFoldDue } from "../namespace/index-status.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
} from "../namespace/published-state.ts";
import { openImports } from "../namespace/recovery/open-stored-segment.ts";
import { decodeLogEntry } from "../namespace/recovery/replay-entry.ts";
import type { StaleIndex } from "../namespace/segments/stale-indexes.ts";
import { SegmentMissing } from "../segment/format/segment-missing.ts";
import type { StoredSegment } from "../segment/memtable/stored-segments.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import { BackgroundWork } from "./background/background-work.ts";
import { IndexBuilder } from "./background/index-builder.ts";
import { type Group, type GroupMember, takeGroup } from "./commit-group.ts";
import { type CommitJob, type JobState, NamespaceRetired } from "./commit-job.ts";
import { type RetainedDocuments, retainDocuments } from "./retained-documents.ts";
import { currentDocuments } from "./current-documents.ts";
import { EntryApplier, type ReadyEntry } from "./following/entry-applier.ts";
import { type CatchUp, LogFollower } from "./following/log-follower.ts";
import { ManifestFollower } from "./following/manifest-follower.ts";
import { JobQueue } from "./job-queue.ts";
import { asOpenOutcome, type LogAppend, NamespaceLog } from "./opened/namespace-log.ts";
import {
  type NamespaceOptions,
  type OpenedNamespace,
  RETIREMENT_MESSAGE,
  type Retirement,
  type RetireReason,
} from "./opened/namespace-options.ts";
import { indexedState, stateOf } from "./namespace-state.ts";
import { LogRaces } from "./races/log-races.ts";

/**
 * How long a server that shares its store does not look for new entries of an open namespace, at
 * least; with the time between two looks still well under `LOG_END_KNOWN_MS_MAX`.
 */
export const LOG_POLL_MS = 15_000;

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
  #retired = false;

  constructor(options: NamespaceOptions, opened: OpenedNamespace) {
    this.#options = options;
    this.#opened = opened;
    this.generation = opened.generation;
    this.instance = opened.instance;
    this.#slicing = { ...options, check: () => this.#checkOpen() };
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

  /** No more jobs are taken. */
  get retired(): boolean {
    return this.#retired;
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
    const builds = this.#indexes.builds(this.#activeSchema);
    const { sinceMs: buildsSinceMs } = this.#indexes;
    const now = { facts: this.facts, retired: this.#retired, builds, buildsSinceMs };
    return stateOf(this.#opened, now, this.#options.thresholds);
  }

  /** Commits a job in its turn. Throws what the job refuses with, or `NamespaceRetired`. */
  submit<T>(job: CommitJob<T>): Promise<T> {
    const result = this.#queue.add(job, this.#options.clock.monotonicMs());
    if (!this.#retired) this.#running ??= this.#run();
    return result;
  }

  /** Resolves when no index is being built, or the instance is retired. */
  async whenIndexed(): Promise<void> {
    if (this.#retired || this.state().builds.length === 0) return;
    await new Promise<void>((resolve) => void this.#indexed.push(resolve));
  }

  /** Looks for a manifest that an indexer has written, for certain or by a guess; takes it over. */
  follow(isSure = false): Promise<void> {
    this.#following ??= this.#follow(isSure)
      .catch((error: unknown) => this.#follower.warn(error))
      .finally(() => {
        this.#following = undefined;
      });
    return this.#following;
  }

  /** Looks for a manifest that was saved before the call; a look under way may have been too early. */
  async followNewer(): Promise<void> {
    await this.#following;
    await this.follow();
  }

  /**
   * Brings the instance up to all that was committed before the call, asking the store; gives the
   * sequence number from which on a published state holds all of it. Undefined: the instance is
   * retired, and an opening that begins now reads all of it.
   */
  async verify(): Promise<SequenceNumber | undefined> {
    if (this.#retired) return undefined;
    const caughtUp = await this.#logFollower.catchUp();
    this.#heed(caughtUp);
    if (caughtUp.kind === "lost") return undefined;
    // A commit of this instance is published at the end of its turn.
    if (this.#publishedUpTo < caughtUp.sequence) await this.#turns.run(async () => {});
    if (this.#retired) return undefined;
    const { sequence } = caughtUp;
    assert(this.#publishedUpTo >= sequence, `${this.instance} has not published ${sequence}`);
    return sequence;
  }

  /** `verify`, unless the instance has known the end of the log less than `ageMsMax` ago. */
  async verifyWithin(ageMsMax: number): Promise<SequenceNumber | undefined> {
    if (!this.#retired && this.endKnownMs < ageMsMax) return this.#log.known.sequence;
    return this.verify();
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

  /** Tells indexers of what writes have left in the log, once they have paused. */
  hintFold(): void {
    if (this.#retired || !this.exists || this.waitingMs !== undefined) return;
    const state = indexedState(this.#opened, { facts: this.facts, builds: [] });
    const size = backlogSize(state, this.#options.thresholds);
    if (isFoldDue(size, this.#log.since)) this.#log.hint();
  }

  /** The first publication, which makes the namespace known to the main thread. */
  publishFull(): void {
    this.#publish([this.#opened.documents.full()]);
  }

  /** Readers have let go of what was dropped up to `version`. */
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

  /** The instance is retired and its memory released: the catalog may drop it. */
  get gone(): boolean {
    return this.#retired && this.#opened.documents.isEmpty;
  }

  /**
   * Keeps the documents as they are now readable until `release`, while commits go on. The
   * namespace exists and is not retired.
   */
  retain(): RetainedDocuments {
    assert(!this.#retired, `nothing to retain in ${this.instance}`);
    const { version: manifestVersion } = this.#follower;
    return retainDocuments(this.#opened, {
      facts: this.facts,
      manifestVersion,
      release: this.#retain(),
    });
  }

  /** Gives back the memory of an instance that was never published. */
  discard(): void {
    this.#retired = true;
    this.#queue.close();
    this.#opened.documents.clear();
    this.#opened.documents.releaseAll();
  }

  /** Looks for the newest manifest, and waits until it is taken over. */
  async refresh(): Promise<void> {
    await this.follow(true);
    if (!this.#retired) await this.#follower.whenAdopted();
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
    if (this.#retired) return;
    this.#retired = true;
    this.#options.stats.retired[reason]++;
    if (reason !== "idle") {
      const { name: namespace, generation: generationNumber } = this.generation;
      const { sequence } = this.facts;
      const retirement: Retirement = { namespace, generation: generationNumber, sequence, reason };
      this.#options.log("info", RETIREMENT_MESSAGE, { ...retirement });
    }
    this.#queue.close();
    this.#races.close();
    for (const { object } of this.#opened.documents.stored) this.#options.reads.forget(object);
    this.#follower.close();
    this.#publish([this.#opened.documents.clear()]);
    this.#options.onRetired(this.instance);
  }

  /**
   * Commits while jobs wait, then does background work. Background work that must not fall behind
   * goes between the commits. The loop ends and clears `#running` in one turn of the event loop, so
   * that a job which is submitted later starts it again.
   */
  async #run(): Promise<void> {
    let owes = false;
    while (!this.#retired) {
      if (this.#follower.isReady) await this.#turns.run(() => this.#adopt());
      if (!this.#queue.isEmpty && !owes) {
        if (!this.#options.isExclusive) await this.#awaitTurn();
        const rest = await this.#turns.run(() => this.#commitGroup());
        await rest?.();
        owes = this.#background.isUrgent;
        continue;
      }
      if (this.#queue.isEmpty) this.#races.rest();
      await this.#options.yield();
      if (this.#retired || (!this.#queue.isEmpty && !owes)) continue;
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
    if (this.#retired || !this.exists) return;
    await this.followLog();
    let outcome = await this.#follower.poll(() => this.facts, isSure);
    while (outcome.kind === "behind" && !this.#options.isExclusive) {
      await this.#catchUpFor(outcome.indexedUpTo);
      if (this.#retired) return;
      outcome = await this.#follower.poll(() => this.facts, isSure);
    }
    const isWaiting = this.waitingMs !== undefined || this.#indexes.isWaiting(this.facts);
    if (outcome.kind === "nothing new" && isWaiting) this.#log.remind();
    if (outcome.kind === "newer" && !this.#retired) this.#running ??= this.#run();
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
    if (this.#options.isExclusive || this.#retired || this.#log.endKnownMs < LOG_POLL_MS) return;
    try {
      await this.verify();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const facts = { namespace: this.name, reason };
      this.#options.log("warn", "cannot follow the log yet", facts);
    }
  }

  /** Retires an instance that cannot catch up. */
  #heed(outcome: CatchUp): void {
    if (outcome.kind === "lost") this.retire(outcome.reason);
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
      if (delta !== undefined && !this.#retired) this.#publish([delta]);
    } catch (error) {
      this.#follower.warn(error);
      if (isDatabaseError(error, "corrupt")) this.retire("damaged");
    }
    this.#follower.settled();
  }

  /** Does one step of background work; tells whether there may be more. */
  async #maintain(): Promise<boolean> {
    const delta = await this.#whileOpen(() => this.#background.step(this.#activeSchema));
    if (delta !== undefined) this.#publish([delta]);
    return delta !== undefined;
  }

  /** Work in slices, which ends with undefined once the instance is retired. */
  async #whileOpen<T>(work: () => Steps<T>): Promise<T | undefined> {
    if (this.#retired) return undefined;
    try {
      return await this.#slices().run(work());
    } catch (error) {
      if (error instanceof NamespaceRetired) return undefined;
      throw error;
    }
  }

  #slices(): Slices {
    return new Slices(this.#slicing);
  }

  #checkOpen(): void {
    if (this.#retired) throw new NamespaceRetired();
  }

  /** Commits what waits; returns what is left to do when others may have their turn. */
  async #commitGroup(): Promise<(() => Promise<void>) | undefined> {
    if (this.#retired || this.#queue.isEmpty) return undefined;
    const { isExclusive } = this.#options;
    const { documents } = this.#opened;
    let taken: Group | undefined;
    try {
      taken = await this.#takeGroup();
    } catch (error) {
      if (error instanceof NamespaceRetired) return undefined;
      return () => this.#failFirst(error);
    }
    taken = await this.#buildGroup(taken);
    if (taken === undefined) return undefined;
    const group = taken;
    const { idle, members, refused, facts } = group;
    const giveUp = (error: unknown) => {
      for (const { prepared } of members) documents.discard(prepared);
      for (const { fail } of [...idle, ...members, ...refused]) fail(error);
    };
    // Jobs of an exclusive server are released: they go on, and the next instance finds them.
    if (this.#retired && !isExclusive) return void giveUp(new NamespaceRetired());
    if (members.length === 0) return () => this.#notifyIdle(group);
    if (isExclusive) for (const { notify } of idle) notify();
    let imported: StoredSegment[];
    let stale: readonly StaleIndex[] | undefined;
    try {
      const from = { store: this.#options.storeFor(undefined), reads: this.#options.reads };
      imported = await openImports(members[0].resolved.batch, this.generation, from);
      stale = await this.#applier.lackingAfter(facts, imported);
    } catch (error) {
      return void giveUp(error);
    }
    const records = members.flatMap((member) => member.records);
    const appended = await this.#append(records, facts);
    switch (appended.kind) {
      case "written":
        return void (await this.#applyGroup(group, { entry: appended.entry, imported, stale }));
      case "conflict":
        for (const { prepared } of members) documents.discard(prepared);
        return void (await this.#giveWay(group, appended.read));
      case "open":
        giveUp(appended.error);
        // A deletion or a copy leaves its deletion intent, which the next opening settles: there is
        // nothing else that this instance would have to keep until then.
        return members[0].job.alone ? void this.retire("uncertain") : undefined;
      case "failed":
        giveUp(appended.error);
        return void this.retire(appended.reason);
    }
  }

  /**
   * Builds the segments of a group, in slices: nothing can fail after its put then. Where there is
   * no memory for a member's, it fails, and the others wait once more.
   */
  async #buildGroup(taken: Group): Promise<Group | undefined> {
    const { documents } = this.#opened;
    const slices = new Slices(this.#options);
    const members: GroupMember[] = [];
    for (const member of taken.members) {
      const { job, resolved, schema } = member;
      // Nobody else may win the race, and nobody else is to wait: it is never bound again.
      if (this.#options.isExclusive && taken.members.length === 1) job.release?.();
      try {
        const prepared = await slices.run(documents.prepare(resolved.batch, schema));
        members.push({ ...member, prepared });
      } catch (error) {
        for (const { prepared } of members) documents.discard(prepared);
        member.fail(error);
        this.#queue.putBack(taken.jobs.filter((waiting) => waiting.job !== job));
        return undefined;
      }
    }
    return { ...taken, members };
  }

  async #append(records: readonly NewWalRecord[], after: NamespaceFacts): Promise<GroupAppend> {
    this.#races.noteBegin();
    try {
      const appended = await this.#log.append(records, { before: this.facts, after });
      if (appended.kind !== "lost") return appended;
      return { kind: "failed", reason: appended.loss, error: appended.error };
    } catch (error) {
      return { kind: "failed", reason: isDamage(error) ? "damaged" : "uncertain", error };
    }
  }

  /** Another server was faster: its entry is applied, and the jobs are resolved again behind it. */
  async #giveWay({ jobs }: Group, read: ReadWalEntry): Promise<void> {
    const follow = (next: ReadWalEntry) => this.#applyOthers(next);
    this.#races.noteLoss();
    try {
      if (await this.#log.mayBeCollected()) this.retire("collected");
      else await follow(read);
      // A server that loses twice may be many entries behind: it reads the log to its end, rather
      // than lose a race for each of them.
      if (this.#races.lostInARow > 1 && !this.#retired)
        this.#heed(await this.#logFollower.readOn(follow));
    } catch (error) {
      if (isDamage(error)) this.retire("damaged");
      else {
        for (const { fail } of jobs) fail(error);
        return;
      }
    }
    this.#queue.putBack(jobs);
  }

  /**
   * Answers jobs that change nothing, where others write too only if they have not changed what the
   * jobs stand on.
   */
  async #notifyIdle({ idle, jobs }: Group): Promise<void> {
    const { sequence } = this.facts;
    let required: SequenceNumber | undefined = sequence;
    try {
      if (!this.#options.isExclusive) required = await this.verify();
      if (required === undefined) throw new NamespaceRetired();
    } catch (error) {
      for (const { fail } of idle) fail(error);
      return;
    }
    if (required > sequence) {
      this.#races.noteLoss();
      this.#queue.putBack(jobs);
      return;
    }
    this.#races.noteIdle(jobs);
    for (const { notify } of idle) notify();
  }

  /** Loads what the first job needs of stored segments. */
  #takeGroup(): Promise<Group> {
    const { documents } = this.#opened;
    const slices = this.#slices();
    const group = () =>
      takeGroup(this.#queue, {
        facts: this.facts,
        documents,
        nowMs: this.#options.clock.nowMs(),
        stateAt: (state) => this.#jobState(state),
      });
    return this.#options.reads.runInSteps(group, (steps) => slices.run(steps));
  }

  /** Fails the job whose bytes could not be loaded, unless there is something newer to load. */
  async #failFirst(error: unknown): Promise<void> {
    const { sequence } = this.facts;
    if (error instanceof SegmentMissing) await this.follow(true);
    const isNewer = this.#follower.isReady || this.facts.sequence > sequence;
    if (!isNewer) this.#queue.take()?.fail(asDamage(error));
  }

  #jobState(facts: NamespaceFacts): JobState {
    const { documents } = this.#opened;
    const index = this.#indexes.state(this.#activeSchema);
    return {
      generation: this.generation.generation,
      facts,
      segments: documents.segments,
      documents: (after) => currentDocuments(documents, activeSchemaAfter(facts, after), index),
    };
  }

  async #applyGroup(
    { idle, members, refused }: Group,
    committed: {
      readonly entry: WalEntry;
      readonly imported: readonly StoredSegment[];
      readonly stale: readonly StaleIndex[] | undefined;
    },
  ): Promise<void> {
    const { entry, imported, stale } = committed;
    this.#races.noteWin(members);
    const batches = members.map(({ resolved: { batch }, deletions, prepared }, i) => {
      return { batch, deletions, prepared, imported: i === 0 ? imported : [] };
    });
    const sequence = sequenceNumber(entry.sequence);
    const builds = members.flatMap(({ resolved }) => resolved.builds);
    try {
      await this.#apply({ entry: { sequence, timeMs: entry.timeMs, batches }, builds, stale });
    } catch (error) {
      // It is durable, but this thread cannot follow; the next opening replays it.
      for (const { fail } of members) fail(asOpenOutcome(error));
      return this.retire("uncertain");
    }
    for (const { succeed, resolved } of members) succeed(resolved.result(this.facts));
    if (this.facts.deleted) this.retire("deleted");
    // An instance that wins a sequence number has applied every entry before it.
    for (const { notify } of this.#options.isExclusive ? refused : [...idle, ...refused]) notify();
  }

  /** Applies the next entry, of another server; see `ApplyEntry`. */
  async #applyOthers(read: ReadWalEntry): Promise<boolean> {
    const { sequence } = read.entry;
    if (this.#retired || sequence <= this.facts.sequence) return !this.#retired;
    assert(sequence === this.facts.sequence + 1, `${this.instance} goes on with ${sequence}`);
    const entry = decodeLogEntry(read, this.generation);
    const ready = await this.#applier.prepare(entry, this.#slices()).catch((error) => {
      throw asDamage(error);
    });
    if (this.#retired) {
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
    if (this.#retired) return false;
    this.#running ??= this.#run();
    return true;
  }

  /** Applies the next entry and publishes it with the indexes that it asks for. */
  async #apply(ready: ReadyEntry): Promise<void> {
    if (this.#retired) return this.#applier.pass(ready);
    const deltas = await this.#applier.apply(ready);
    if (!this.facts.deleted && !this.#retired) this.#publish(deltas);
  }

  #retain(): () => void {
    const unpin = this.#opened.documents.retain();
    return () => {
      unpin();
      if (this.gone) this.#options.onRetired(this.instance);
    };
  }

  #publish(deltas: readonly PublishedDelta[]): void {
    this.#publishedUpTo = this.facts.sequence;
    if (this.facts.settings === undefined) return; // Never existed, so nobody knows of it.
    const state = this.state();
    this.#options.publish(this.name, deltas, state);
    if (state.builds.length === 0 || state.retired)
      for (const resolve of this.#indexed.splice(0)) resolve();
  }
}

/** What became of a group's entry; after `failed` the instance knows less than the store. */
type GroupAppend =
  | Exclude<LogAppend, { kind: "lost" }>
  | { readonly kind: "failed"; readonly reason: RetireReason; readonly error: unknown };

/** Tells whether an error says that something stored cannot be read. */
function isDamage(error: unknown): boolean {
  return isDatabaseError(error, "corrupt", "too_new", "too_old");
}
