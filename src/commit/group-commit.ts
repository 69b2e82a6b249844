/**
 * Group commit: as many waiting jobs as fit become one WAL entry, which is appended, applied and
 * published before their callers are told (docs/consistency.md: I1, I4, I5). If another server's
 * entry came first, it is applied, and the jobs are resolved again behind it.
 */

import { isDatabaseError } from "../base/errors.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { type SliceOptions, Slices } from "../base/slices.ts";
import { asDamage } from "../cache/resident-ranges.ts";
import type { WalEntry } from "../log/wal-entry.ts";
import type { ReadWalEntry } from "../log/wal-reader.ts";
import { activeSchema, activeSchemaAfter } from "../namespace/active-text-options.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import { openImports } from "../namespace/recovery/open-stored-segment.ts";
import { SegmentMissing } from "../segment/format/segment-missing.ts";
import type { StoredSegment } from "../segment/memtable/stored-segments.ts";
import type { IndexBuilder } from "./background/index-builder.ts";
import { type Group, type GroupMember, takeGroup } from "./commit-group.ts";
import type { JobState } from "./commit-job.ts";
import { currentDocuments } from "./current-documents.ts";
import type { EntryApplier, ReadyEntry } from "./following/entry-applier.ts";
import type { ApplyEntry, LogFollower } from "./following/log-follower.ts";
import type { JobQueue } from "./job-queue.ts";
import { asOpenOutcome, type LogAppend, type NamespaceLog } from "./opened/namespace-log.ts";
import {
  type NamespaceOptions,
  NamespaceRetired,
  type OpenedNamespace,
  type RetireReason,
} from "./opened/namespace-options.ts";
import type { LogRaces } from "./races/log-races.ts";

/** The namespace whose jobs are committed. */
export interface CommittingNamespace {
  isRetired(): boolean;
  /** Applies the next entry and publishes it. */
  apply(ready: ReadyEntry): Promise<void>;
  /** Applies the next entry, which another server wrote. */
  readonly applyOthers: ApplyEntry;
  retire(reason: RetireReason): void;
  /** See `Namespace`; takes a turn. */
  verify(): Promise<SequenceNumber | undefined>;
  /** Looks for the newest manifest. */
  findManifest(): Promise<void>;
}

/** Options of `GroupCommit`. */
export interface GroupCommitOptions {
  readonly namespace: CommittingNamespace;
  readonly queue: JobQueue;
  readonly log: Pick<NamespaceLog, "append" | "isDeleted" | "mayBeCollected">;
  readonly follower: Pick<LogFollower, "readOn">;
  /** A newer manifest waits to be taken over. */
  readonly manifests: { readonly isReady: boolean };
  readonly races: Omit<LogRaces, "beforeCommit" | "close" | "leave" | "rest">;
  readonly applier: Pick<EntryApplier, "facts" | "lackingAfter">;
  readonly indexes: Pick<IndexBuilder, "state">;
  /** Throws `NamespaceRetired` once the namespace is retired. */
  readonly slicing: SliceOptions;
}

/** Commits the jobs of one namespace. */
export class GroupCommit {
  readonly #options: NamespaceOptions;
  readonly #opened: OpenedNamespace;
  readonly #by: GroupCommitOptions;

  constructor(options: NamespaceOptions, opened: OpenedNamespace, by: GroupCommitOptions) {
    this.#options = options;
    this.#opened = opened;
    this.#by = by;
  }

  /**
   * Commits one group of the waiting jobs, in a turn of the namespace. Returns what is left to do
   * after the turn.
   */
  async run(): Promise<(() => Promise<void>) | undefined> {
    const { namespace, queue } = this.#by;
    if (namespace.isRetired() || queue.isEmpty) return undefined;
    let group: Group | undefined;
    try {
      group = await this.#build(await this.#take());
    } catch (error) {
      return error instanceof NamespaceRetired ? undefined : () => this.#failFirst(error);
    }
    if (group === undefined) return undefined;
    const { isExclusive } = this.#options;
    // Jobs of an exclusive server are released: they go on, and the next instance finds them.
    if (namespace.isRetired() && !isExclusive)
      return void this.#giveUp(group, new NamespaceRetired());
    if (group.members.length === 0) return () => this.#notifyIdle(group);
    if (isExclusive) for (const { notify } of group.idle) notify();
    return void (await this.#commit(group));
  }

  get #facts(): NamespaceFacts {
    return this.#by.applier.facts;
  }

  /** Loads what the first job needs of stored segments. */
  #take(): Promise<Group> {
    const slices = new Slices(this.#by.slicing);
    const group = () =>
      takeGroup(this.#by.queue, {
        facts: this.#facts,
        documents: this.#opened.documents,
        nowMs: this.#options.clock.nowMs(),
        stateAt: (facts) => this.#jobState(facts),
      });
    return this.#options.reads.runInSteps(group, (steps) => slices.run(steps));
  }

  #jobState(facts: NamespaceFacts): JobState {
    const { documents, generation } = this.#opened;
    const index = this.#by.indexes.state(activeSchema(this.#facts));
    return {
      generation: generation.generation,
      facts,
      segments: documents.segments,
      documents: (after) => currentDocuments(documents, activeSchemaAfter(facts, after), index),
    };
  }

  /**
   * Builds the segments of a group, in slices: nothing can fail after its put then. Where there is
   * no memory for a member's, it fails, and the others wait once more.
   */
  async #build(taken: Group): Promise<Group | undefined> {
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
        this.#release(members);
        member.fail(error);
        this.#by.queue.putBack(taken.jobs.filter((waiting) => waiting.job !== job));
        return undefined;
      }
    }
    return { ...taken, members };
  }

  /** Appends a group that changes something, and has it applied. */
  async #commit(group: Group): Promise<void> {
    const { members, facts } = group;
    const { namespace, applier, log, races } = this.#by;
    let imported: StoredSegment[];
    let stale: ReadyEntry["stale"];
    try {
      const from = { store: this.#options.storeFor(undefined), reads: this.#options.reads };
      imported = await openImports(members[0].resolved.batch, this.#opened.generation, from);
      stale = await applier.lackingAfter(facts, imported);
    } catch (error) {
      return this.#giveUp(group, error);
    }
    const records = members.flatMap((member) => member.records);
    let appended: LogAppend;
    races.noteBegin();
    try {
      appended = await log.append(records, { before: this.#facts, after: facts });
    } catch (error) {
      this.#giveUp(group, error);
      return namespace.retire(isDamage(error) ? "damaged" : "uncertain");
    }
    switch (appended.kind) {
      case "written":
        return this.#apply(group, { entry: appended.entry, imported, stale });
      case "conflict":
        this.#release(members);
        return this.#giveWay(group, appended.read);
      case "open":
        this.#giveUp(group, appended.error);
        // A deletion or a copy leaves its deletion intent, which the next opening settles: there is
        // nothing else that this instance would have to keep until then.
        if (members[0].job.alone) namespace.retire("uncertain");
        return;
      case "lost":
        this.#giveUp(group, appended.error);
        return namespace.retire(appended.loss);
    }
  }

  async #apply(
    { idle, members, refused }: Group,
    {
      entry: { sequence, timeMs },
      imported,
      stale,
    }: Pick<ReadyEntry, "stale"> & {
      readonly entry: WalEntry;
      readonly imported: readonly StoredSegment[];
    },
  ): Promise<void> {
    const { namespace, races } = this.#by;
    races.noteWin(members);
    const batches = members.map(({ resolved: { batch }, deletions, prepared }, i) => {
      return { batch, deletions, prepared, imported: i === 0 ? imported : [] };
    });
    const entry = { sequence: sequenceNumber(sequence), timeMs, batches };
    try {
      await namespace.apply({ entry, stale });
    } catch (error) {
      // It is durable, but this thread cannot follow; the next opening replays it.
      for (const { fail } of members) fail(asOpenOutcome(error));
      return namespace.retire("uncertain");
    }
    for (const { succeed, resolved } of members) succeed(resolved.result(this.#facts));
    if (this.#facts.deleted) namespace.retire("deleted");
    // An instance that wins a sequence number has applied every entry before it.
    for (const { notify } of this.#options.isExclusive ? refused : [...idle, ...refused]) notify();
  }

  /** Applies the entry of another server that was faster; the jobs are resolved again behind it. */
  async #giveWay({ jobs }: Group, read: ReadWalEntry): Promise<void> {
    const { namespace, log, follower, races, queue } = this.#by;
    races.noteLoss();
    try {
      if (await log.mayBeCollected()) namespace.retire("collected");
      else await namespace.applyOthers(read);
      // A server that loses twice may be many entries behind: it reads the log to its end, rather
      // than lose a race for each of them.
      if (races.lostInARow > 1 && !namespace.isRetired()) {
        const caughtUp = await follower.readOn(namespace.applyOthers);
        if (caughtUp.kind === "lost") namespace.retire(caughtUp.reason);
      }
    } catch (error) {
      if (!isDamage(error)) {
        for (const { fail } of jobs) fail(error);
        return;
      }
      // Deleting a generation deletes its segments, which its last entries refer to.
      namespace.retire((await isMarkedDeleted(log)) ? "deleted" : "damaged");
    }
    queue.putBack(jobs);
  }

  /**
   * Answers jobs that change nothing, where others write too only if they have not changed what the
   * jobs stand on.
   */
  async #notifyIdle({ idle, jobs }: Group): Promise<void> {
    const { namespace, races, queue } = this.#by;
    const { sequence } = this.#facts;
    let required: SequenceNumber | undefined = sequence;
    try {
      if (!this.#options.isExclusive) required = await namespace.verify();
      if (required === undefined) throw new NamespaceRetired();
    } catch (error) {
      for (const { fail } of idle) fail(error);
      return;
    }
    if (required > sequence) {
      races.noteLoss();
      return queue.putBack(jobs);
    }
    races.noteIdle(jobs);
    for (const { notify } of idle) notify();
  }

  /** Fails the job whose bytes could not be loaded, unless there is something newer to load. */
  async #failFirst(error: unknown): Promise<void> {
    const { sequence } = this.#facts;
    const { namespace, manifests, queue } = this.#by;
    if (error instanceof SegmentMissing) await namespace.findManifest();
    const isNewer = manifests.isReady || this.#facts.sequence > sequence;
    if (!isNewer) queue.take()?.fail(asDamage(error));
  }

  #giveUp({ idle, members, refused }: Group, error: unknown): void {
    this.#release(members);
    for (const { fail } of [...idle, ...members, ...refused]) fail(error);
  }

  /** Releases the memory of segments that are not committed. */
  #release(members: readonly GroupMember[]): void {
    for (const { prepared } of members) this.#opened.documents.discard(prepared);
  }
}

/** No answer says nothing. */
async function isMarkedDeleted(log: Pick<NamespaceLog, "isDeleted">): Promise<boolean> {
  try {
    return await log.isDeleted();
  } catch {
    return false;
  }
}

/** Tells whether an error says that something stored cannot be read. */
function isDamage(error: unknown): boolean {
  return isDatabaseError(error, "corrupt", "too_new", "too_old");
}
