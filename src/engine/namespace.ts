/**
 * One namespace in the write thread: jobs wait in a queue and are committed in groups, as many as
 * wait, one WAL entry after the other. What is committed is applied and published before the jobs
 * are told (docs/consistency.md: I1, I4, I5).
 *
 * When a commit's outcome stays unknown, or an entry of somebody else appears, the instance is
 * retired: whoever needs the namespace opens it again from the store, which is the truth.
 */

import { assert } from "../base/assert.ts";
import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { type NamespaceName, sequenceNumber } from "../base/ids.ts";
import type { WalEntry } from "../log/wal-entry.ts";
import { WalWriter } from "../log/wal-writer.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import type { SegmentSnapshot } from "../segment/segment-view.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import type { NamespaceSettings } from "../write/namespace-settings.ts";
import { Checkpointer } from "./checkpointer.ts";
import { type GroupMember, keyOf, type QueuedJob, takeGroup, withImports } from "./commit-group.ts";
import { type CommitJob, type JobState, NamespaceRetired } from "./commit-job.ts";
import { currentDocuments } from "./current-documents.ts";
import { IndexBuilder } from "./index-builder.ts";
import { factsAfter, type NamespaceFacts } from "./namespace-facts.ts";
import type { NamespaceParts, OpenedNamespace } from "./namespace-parts.ts";
import type { NamespaceInstance, NamespaceState, PublishedDelta } from "./published-state.ts";

/** Documents that a long reader holds on to. */
export interface HeldDocuments {
  readonly name: NamespaceName;
  readonly segments: readonly SegmentSnapshot[];
  readonly schema: Schema;
  readonly settings: NamespaceSettings;
  readonly documentCount: number;
  readonly logicalBytes: number;
  letGo(): void;
}

/** One opening of one namespace. */
export class Namespace {
  readonly at: NamespaceGeneration;
  readonly instance: NamespaceInstance;
  readonly #parts: NamespaceParts;
  readonly #opened: OpenedNamespace;
  readonly #checkpointer: Checkpointer;
  readonly #indexes: IndexBuilder;
  #facts: NamespaceFacts;
  #wal: WalWriter;
  #queue: QueuedJob[] = [];
  #running: Promise<void> | undefined;
  #retired = false;
  /** There was no memory for background work. */
  #isStuck = false;

  constructor(parts: NamespaceParts, opened: OpenedNamespace) {
    this.#parts = parts;
    this.#opened = opened;
    this.at = opened.at;
    this.instance = opened.instance;
    this.#facts = opened.facts;
    this.#wal = this.#walWriter(opened.facts);
    this.#checkpointer = new Checkpointer(parts, opened);
    this.#indexes = new IndexBuilder(opened.documents, parts.thresholds.indexInlineDocumentsMax);
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

  /** The type that a body's parser may expect for an attribute. */
  typeOf(attribute: string): AttributeType | undefined {
    return this.#facts.schema.attributes.get(attribute)?.type;
  }

  /** What queries and metadata need to know. */
  state(): NamespaceState {
    const { memtable } = this.#opened.documents;
    const tail = this.#checkpointer.tail;
    return {
      instance: this.instance,
      retired: this.#retired,
      sequence: this.#facts.sequence,
      schema: this.#facts.schema,
      documentCount: memtable.documentCount,
      unindexedCount: Math.min(tail.documentCount, memtable.documentCount),
      unindexedBytes: tail.bytes,
      logicalBytes: memtable.logicalBytes,
      lastWriteAtMs: this.#facts.settings?.lastWriteAtMs,
      builds: this.#indexes.builds(this.#facts.schema),
    };
  }

  /** Commits a job in its turn. Throws what the job refuses with, or `NamespaceRetired`. */
  submit<T>(job: CommitJob<T>): Promise<T> {
    if (this.#retired) return Promise.reject(new NamespaceRetired());
    return new Promise<T>((succeed, fail) => {
      this.#queue.push({ job, succeed: succeed as (result: unknown) => void, fail });
      if (this.#running === undefined) this.#running = this.#run();
    });
  }

  /** The first publication, which makes the namespace known to the main thread. */
  publishFull(): void {
    this.#publish([this.#opened.documents.full()]);
  }

  /** Readers have let go of what was dropped up to `version`. */
  release(version: number): void {
    this.#opened.documents.release(version);
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
    const { memtable } = this.#opened.documents;
    const { schema, settings } = this.#facts;
    assert(settings !== undefined && !this.#retired, `nothing to hold in ${this.instance}`);
    return {
      name: this.name,
      settings,
      segments: memtable.segments.map(({ view, live, liveCount, liveVersion }) => {
        return { view, live: live.slice(), liveCount, liveVersion };
      }),
      schema,
      documentCount: memtable.documentCount,
      logicalBytes: memtable.logicalBytes,
      letGo: this.#pin(),
    };
  }

  /** Gives back the memory of an instance that nobody was told of. */
  discard(): void {
    this.#retired = true;
    this.#opened.documents.clear();
    this.#opened.documents.releaseAll();
  }

  /** Waits for what runs and for a checkpoint under way. */
  async settle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    await this.#checkpointer.stop();
  }

  /** Takes the instance out of service; what waits is submitted again by its owners. */
  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    const waiting = this.#queue;
    this.#queue = [];
    for (const { fail } of waiting) fail(new NamespaceRetired());
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
      if (this.#queue.length > 0 && !owes) {
        await this.#commitGroup();
        owes = this.#isBehind || this.#indexes.isBuilding;
        continue;
      }
      await this.#parts.yield();
      if (this.#retired || (this.#queue.length > 0 && !owes)) continue;
      const mayHaveMore = this.#maintain();
      owes = mayHaveMore && this.#isBehind;
      if (!mayHaveMore && this.#queue.length === 0) break;
    }
    this.#running = undefined;
  }

  get #isBehind(): boolean {
    const { segments } = this.#opened.documents.memtable;
    return segments.length > this.#parts.thresholds.segmentsUnmergedMax;
  }

  /** Does one step of background work; tells whether there may be more. */
  #maintain(): boolean {
    const { schema } = this.#facts;
    try {
      const delta = this.#indexes.step(schema) ?? this.#opened.documents.compactStep(schema);
      if (delta === undefined) return false;
      this.#publish([delta]);
      this.#isStuck = false;
      return true;
    } catch (error) {
      if (!isDatabaseError(error, "overloaded")) throw error;
      // Nothing has changed: without memory the segments stay as they are until the next commit.
      const facts = { namespace: this.name, reason: error.message };
      if (!this.#isStuck) this.#parts.log("warn", "no memory for merges and indexes", facts);
      this.#isStuck = true;
      return false;
    }
  }

  async #commitGroup(): Promise<void> {
    const { documents } = this.#opened;
    const { members, facts } = takeGroup(this.#queue, {
      facts: this.#facts,
      documents,
      nowMs: this.#parts.clock.nowMs(),
      stateAt: (state) => this.#jobState(state),
    });
    const first = members.findIndex(({ records }) => records.length > 0);
    // What changes nothing needs no entry; but what stands on an earlier change shares its fate.
    const free = first < 0 ? members.length : first;
    for (const { resolved, succeed } of members.slice(0, free)) {
      succeed(resolved.result(this.#facts));
    }
    const group = members.slice(free);
    if (group.length === 0) return;
    try {
      const store = this.#parts.storeFor(undefined);
      group[0] = await withImports(group[0], documents, { store, at: this.at });
    } catch (error) {
      return group[0].fail(error); // An import is alone.
    }
    let entry: WalEntry;
    try {
      entry = await this.#append(group, facts);
    } catch (error) {
      for (const { fail, prepared } of group) {
        documents.discard(prepared);
        fail(error);
      }
      return this.retire();
    }
    await this.#applyGroup(group, entry);
  }

  #jobState(facts: NamespaceFacts): JobState {
    const { memtable } = this.#opened.documents;
    const builds = this.#indexes.builds(this.#facts.schema);
    return {
      generation: this.at.generation,
      facts,
      segments: memtable.segments,
      documents: (schema) => currentDocuments(memtable, schema, builds),
    };
  }

  async #append(group: readonly GroupMember[], facts: NamespaceFacts): Promise<WalEntry> {
    if (keyOf(facts) !== keyOf(this.#facts)) {
      this.#wal = this.#walWriter({ ...facts, sequence: this.#facts.sequence });
    }
    const outcome = await this.#wal.append(group.flatMap(({ records }) => records));
    if (outcome.kind === "conflict") {
      const number = outcome.entry.sequence;
      const what = `another writer has committed entry ${number} of namespace '${this.name}'`;
      throw new DatabaseError("unavailable", `${what}; retry`);
    }
    this.#checkpointer.addEntry(outcome.bytes);
    return outcome.entry;
  }

  async #applyGroup(group: readonly GroupMember[], entry: WalEntry): Promise<void> {
    const sequence = sequenceNumber(entry.sequence);
    const schemaBefore = this.#facts.schema;
    try {
      const deltas: PublishedDelta[] = [];
      for (const member of group) {
        const { batch } = member.resolved;
        this.#facts = { ...factsAfter(this.#facts, batch, entry.timeMs), sequence };
        if (!this.#facts.deleted) deltas.push(this.#applyOne(member));
      }
      const builds = group.flatMap(({ resolved }) => resolved.builds);
      if (builds.length > 0) {
        const schemas = { before: schemaBefore, after: this.#facts.schema };
        deltas.push(...(await this.#indexes.begin(builds, schemas, () => this.#parts.yield())));
      }
      if (!this.#facts.deleted) this.#publish(deltas);
    } catch (error) {
      // It is durable, but this thread cannot follow; the next opening replays it.
      for (const { fail } of group) fail(error);
      this.retire();
      return;
    }
    for (const { succeed, resolved } of group) succeed(resolved.result(this.#facts));
    if (this.#facts.deleted) return this.retire();
    this.#checkpointer.maybeRun(this.#facts);
  }

  #applyOne({ resolved: { batch }, prepared }: GroupMember): PublishedDelta {
    const { documents } = this.#opened;
    this.#checkpointer.addDocuments(batch);
    const imported = batch.find(({ kind }) => kind === "import");
    if (imported?.kind === "import" && prepared !== undefined) {
      for (const segment of imported.segments) this.#checkpointer.addStored(segment);
      return documents.addPrepared(prepared);
    }
    return documents.apply(batch, this.#facts.schema, prepared) ?? documents.unchanged();
  }

  #walWriter(facts: NamespaceFacts): WalWriter {
    const { clock, random } = this.#parts;
    const store = this.#parts.storeFor(facts.settings);
    return new WalWriter({ store, clock, random, at: this.at, after: facts.sequence });
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
