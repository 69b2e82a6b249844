/**
 * One namespace in the write thread: jobs wait in a queue and are committed in groups, as many as
 * wait, one WAL entry after the other. What is committed is applied and published before the jobs
 * are told (docs/consistency.md: I1, I4, I5).
 *
 * When a commit's outcome stays unknown, or an entry of somebody else appears, the instance is
 * retired: whoever needs the namespace opens it again from the store, which is the truth.
 */

import { assert } from "../base/assert.ts";
import { isDatabaseError } from "../base/errors.ts";
import { type NamespaceName, type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { asDamage, SegmentMissing } from "../cache/resident-ranges.ts";
import { BackgroundWork } from "../commit/background/background-work.ts";
import { IndexBuilder } from "../commit/background/index-builder.ts";
import {
  type Group,
  type GroupMember,
  type IdleJob,
  type QueuedJob,
  takeGroup,
} from "../commit/commit-group.ts";
import { type CommitJob, type JobState, NamespaceRetired } from "../commit/commit-job.ts";
import { currentDocuments } from "../commit/current-documents.ts";
import { ManifestFollower } from "../commit/following/manifest-follower.ts";
import { stateOf } from "../commit/namespace-state.ts";
import type { WalEntry } from "../log/wal-entry.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import { factsAfter, type NamespaceFacts } from "../namespace/namespace-facts.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
} from "../namespace/published-state.ts";
import { openImports } from "../namespace/recovery/open-stored-segment.ts";
import type { StoredSegment } from "../segment/stored-segments.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import { type HeldDocuments, holdDocuments } from "./held-documents.ts";
import { asOpenOutcome, NamespaceLog } from "./namespace-log.ts";
import type { NamespaceParts, OpenedNamespace } from "./namespace-parts.ts";
import { servedSchema, servedSchemaAfter } from "./served-texts.ts";

/** One opening of one namespace. */
export class Namespace {
  readonly at: NamespaceGeneration;
  readonly instance: NamespaceInstance;
  readonly #parts: NamespaceParts;
  readonly #opened: OpenedNamespace;
  readonly #log: NamespaceLog;
  readonly #follower: ManifestFollower;
  readonly #indexes: IndexBuilder;
  readonly #background: BackgroundWork;
  #facts: NamespaceFacts;
  #queue: QueuedJob[] = [];
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  #retired = false;

  constructor(parts: NamespaceParts, opened: OpenedNamespace) {
    this.#parts = parts;
    this.#opened = opened;
    this.at = opened.at;
    this.instance = opened.instance;
    this.#facts = opened.facts;
    this.#log = new NamespaceLog(parts, opened);
    this.#follower = new ManifestFollower(parts, opened, this.#log);
    this.#indexes = new IndexBuilder(parts, opened, () => this.#log.hint());
    this.#background = new BackgroundWork(parts, opened, this.#indexes);
  }

  get name(): NamespaceName {
    return this.at.name;
  }

  /** Whether the namespace was ever written to. */
  get exists(): boolean {
    return this.#facts.settings !== undefined && !this.#facts.deleted;
  }

  get facts(): NamespaceFacts {
    return this.#facts;
  }

  /** No more jobs are taken. */
  get retired(): boolean {
    return this.#retired;
  }

  /** The schema that indexes have. */
  get #served(): Schema {
    return servedSchema(this.#facts);
  }

  /** The type that a body's parser may expect for an attribute. */
  typeOf(attribute: string): AttributeType | undefined {
    return this.#facts.schema.attributes.get(attribute)?.type;
  }

  /** What queries and metadata need to know. */
  state(): NamespaceState {
    const builds = this.#indexes.builds(this.#served);
    return stateOf(this.#opened, { facts: this.#facts, retired: this.#retired, builds });
  }

  /** Commits a job in its turn. Throws what the job refuses with, or `NamespaceRetired`. */
  submit<T>(job: CommitJob<T>): Promise<T> {
    if (this.#retired) return Promise.reject(new NamespaceRetired());
    return new Promise<T>((succeed, fail) => {
      this.#queue.push({ job, succeed: succeed as (result: unknown) => void, fail });
      this.#running ??= this.#run();
    });
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

  /**
   * Tells whether this instance has seen all that was committed before the call, asking the store;
   * retires it if not.
   */
  async verify(): Promise<boolean> {
    if (!this.#retired && (await this.#log.isAtEnd())) return !this.#retired;
    this.#giveWay();
    return false;
  }

  /** Some of the documents are in stored segments. */
  get hasStored(): boolean {
    return this.#follower.version > 0 || this.stored.length > 0;
  }

  /** Entries enough for an indexer wait, so a newer manifest is to be expected. */
  get isLogLong(): boolean {
    return this.#log.isLong;
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
    const isBusy = this.#running !== undefined || this.#following !== undefined;
    return !isBusy && this.#queue.length === 0 && !this.#opened.documents.isPinned;
  }

  /** The stored segments as of now. */
  get stored(): readonly StoredSegment[] {
    return this.#opened.documents.stored;
  }

  /** Everything is retired and released: nobody needs this object. */
  get gone(): boolean {
    return this.#retired && this.#opened.documents.isEmpty;
  }

  /**
   * Keeps the documents as they are now readable until `letGo`, while commits go on. The namespace
   * exists and is not retired.
   */
  hold(): HeldDocuments {
    assert(!this.#retired, `nothing to hold in ${this.instance}`);
    const { version: manifestVersion } = this.#follower;
    return holdDocuments(this.#opened, { facts: this.#facts, manifestVersion, letGo: this.#pin() });
  }

  /** Gives back the memory of an instance that nobody was told of. */
  discard(): void {
    this.#retired = true;
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
  }

  /** Takes the instance out of service; what waits is submitted again by its owners. */
  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    const waiting = this.#queue;
    this.#queue = [];
    for (const { fail } of waiting) fail(new NamespaceRetired());
    for (const { object } of this.#opened.documents.stored) this.#parts.reads.forget(object);
    this.#follower.close();
    this.#publish([this.#opened.documents.clear()]);
    this.#parts.onRetired(this.instance);
  }

  /**
   * Commits while jobs wait, then does background work. Background work that must not fall behind
   * goes between the commits. Who leaves says so at once, so that no job comes in too late.
   */
  async #run(): Promise<void> {
    let owes = false;
    while (!this.#retired) {
      if (this.#follower.isReady) await this.#adopt();
      if (this.#queue.length > 0 && !owes) {
        await this.#commitGroup();
        owes = this.#background.isUrgent;
        continue;
      }
      await this.#parts.yield();
      if (this.#retired || (this.#queue.length > 0 && !owes)) continue;
      const mayHaveMore = this.#maintain();
      owes = mayHaveMore && this.#background.isBehind;
      if (!mayHaveMore && this.#queue.length === 0 && !this.#follower.isReady) break;
    }
    this.#running = undefined;
  }

  async #follow(isSure: boolean): Promise<void> {
    if (this.#retired || !this.exists) return;
    const outcome = await this.#follower.look(() => this.#facts, isSure);
    const isWaiting = this.#log.isLong || this.#indexes.isWaiting(this.#facts);
    if (outcome === "nothing new" && isWaiting) this.#log.remind();
    if (outcome === "newer" && !this.#retired) this.#running ??= this.#run();
    else if (outcome === "replaced") this.retire();
    else if (outcome === "behind") this.#giveWay();
  }

  #giveWay(): void {
    if (this.#retired) return;
    const facts = { namespace: this.name };
    this.#parts.log("info", "another server writes to this namespace too: opening again", facts);
    this.retire();
  }

  /** Exchanges what a newer manifest holds for what it was made from. */
  async #adopt(): Promise<void> {
    try {
      const delta = await this.#follower.adopt();
      if (delta !== undefined) await this.#indexes.look(this.#served);
      if (delta !== undefined && !this.#retired) this.#publish([delta]);
    } catch (error) {
      this.#follower.warn(error);
      if (isDatabaseError(error, "corrupt")) this.retire();
    }
    this.#follower.settled();
  }

  /** Does one step of background work; tells whether there may be more. */
  #maintain(): boolean {
    const delta = this.#background.step(this.#served);
    if (delta !== undefined) this.#publish([delta]);
    return delta !== undefined;
  }

  async #commitGroup(): Promise<void> {
    const taken = await this.#takeGroup();
    if (taken === undefined) return;
    const { idle, members, refused, facts } = taken;
    const giveUp = (error: unknown) => {
      for (const { prepared } of members) this.#opened.documents.discard(prepared);
      for (const { fail } of [...idle, ...members, ...refused]) fail(error);
    };
    const { isExclusive } = this.#parts;
    // Jobs of an exclusive server are released: they go on, and the next instance finds them.
    if (this.#retired && !isExclusive) return giveUp(new NamespaceRetired());
    if (members.length === 0) return this.#tellIdle(idle, giveUp);
    if (isExclusive) for (const { tell } of idle) tell();
    let imported: StoredSegment[];
    try {
      imported = await openImports(members[0].resolved.batch, this.at, this.#parts);
    } catch (error) {
      return giveUp(error); // An import is alone.
    }
    let entry: WalEntry;
    try {
      const records = members.flatMap((member) => member.records);
      entry = await this.#log.append(records, { before: this.#facts, after: facts });
    } catch (error) {
      giveUp(error);
      return this.retire();
    }
    await this.#applyGroup(members, { entry, imported });
    // Who wins a number has seen everything before it.
    for (const { tell } of isExclusive ? refused : [...idle, ...refused]) tell();
  }

  /** Answers jobs that change nothing, where others write too only if there is nothing newer. */
  async #tellIdle(idle: readonly IdleJob[], giveUp: (error: unknown) => void): Promise<void> {
    try {
      const isNewest = this.#parts.isExclusive || (await this.verify());
      if (!isNewest) return giveUp(new NamespaceRetired());
    } catch (error) {
      return giveUp(error);
    }
    for (const { tell } of idle) tell();
  }

  /** Loads what the first job needs of stored segments; undefined if that failed it. */
  async #takeGroup(): Promise<Group | undefined> {
    const { documents } = this.#opened;
    try {
      return await this.#parts.reads.run(() =>
        takeGroup(this.#queue, {
          facts: this.#facts,
          documents,
          nowMs: this.#parts.clock.nowMs(),
          isExclusive: this.#parts.isExclusive,
          stateAt: (state) => this.#jobState(state),
        }),
      );
    } catch (error) {
      if (error instanceof SegmentMissing) await this.follow(true);
      // A newer manifest names others in its place, with which the next try goes on.
      if (!this.#follower.isReady) this.#queue.shift()?.fail(asDamage(error));
      return undefined;
    }
  }

  #jobState(facts: NamespaceFacts): JobState {
    const { documents } = this.#opened;
    const builds = this.#indexes.builds(this.#served);
    return {
      generation: this.at.generation,
      facts,
      segments: documents.segments,
      documents: (after) => currentDocuments(documents, servedSchemaAfter(facts, after), builds),
    };
  }

  async #applyGroup(
    group: readonly GroupMember[],
    committed: { readonly entry: WalEntry; readonly imported: readonly StoredSegment[] },
  ): Promise<void> {
    const { entry, imported } = committed;
    const sequence = sequenceNumber(entry.sequence);
    const commit = { timeMs: entry.timeMs, hasStored: this.stored.length > 0 };
    const before = this.#facts;
    const { documents } = this.#opened;
    try {
      const deltas: PublishedDelta[] = [];
      for (const member of group) {
        const { batch } = member.resolved;
        this.#facts = factsAfter(this.#facts, batch, commit);
        if (this.#facts.deleted || this.#retired) documents.discard(member.prepared);
        else deltas.push(this.#applyOne(member, sequence));
      }
      this.#facts = { ...this.#facts, sequence };
      // A retired instance holds nothing any more; the next one reads this from the log.
      if (imported.length > 0 && !this.#retired) deltas.push(documents.addStored(imported));
      const builds = group.flatMap(({ resolved }) => resolved.builds);
      deltas.push(...(await this.#indexes.begin(builds, { before, after: this.#facts })));
      if (this.#facts.schema !== before.schema) await this.#indexes.look(this.#served);
      if (!this.#facts.deleted && !this.#retired) this.#publish(deltas);
    } catch (error) {
      // It is durable, but this thread cannot follow; the next opening replays it.
      for (const { fail } of group) fail(asOpenOutcome(error));
      this.retire();
      return;
    }
    for (const { succeed, resolved } of group) succeed(resolved.result(this.#facts));
    if (this.#facts.deleted) this.retire();
  }

  #applyOne(
    { resolved: { batch }, prepared, deaths }: GroupMember,
    sequence: SequenceNumber,
  ): PublishedDelta {
    const { documents } = this.#opened;
    const application = { schema: this.#served, sequence, deaths, ...(prepared && { prepared }) };
    return documents.apply(batch, application) ?? documents.unchanged();
  }

  #pin(): () => void {
    const unpin = this.#opened.documents.pin();
    return () => {
      unpin();
      if (this.gone) this.#parts.onRetired(this.instance);
    };
  }

  #publish(deltas: readonly PublishedDelta[]): void {
    if (this.#facts.settings === undefined) return; // Never existed, so nobody knows of it.
    this.#parts.publish(this.name, deltas, this.state());
  }
}
