/**
 * One namespace in the write thread: jobs wait in a queue and are committed in groups, as many as
 * wait, one WAL entry after the other. What is committed is applied and published before the jobs
 * are told (docs/consistency.md: I1, I4, I5).
 *
 * When a commit's outcome stays unknown, or an entry of somebody else appears, the instance is
 * retired: whoever needs the namespace opens it again from the store, which is the truth.
 */

import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { type NamespaceName, sequenceNumber } from "../base/ids.ts";
import { COMMIT_GROUP_BYTES_MAX, MEMORY_RETRY_MS, WAL_ENTRY_BYTES_MAX } from "../base/limits.ts";
import type { WalEntry } from "../log/wal-entry.ts";
import { WalWriter } from "../log/wal-writer.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import type { SegmentSnapshot } from "../segment/segment-view.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import { GroupFootprint } from "../write/group-footprint.ts";
import { encodeBatches } from "../write/wal-records.ts";
import { Checkpointer } from "./checkpointer.ts";
import { type CommitJob, type JobState, NamespaceRetired, type ResolvedJob } from "./commit-job.ts";
import { currentDocuments } from "./current-documents.ts";
import { IndexBuilder } from "./index-builder.ts";
import { factsAfter, type NamespaceFacts } from "./namespace-facts.ts";
import type { NamespaceParts, OpenedNamespace } from "./namespace-parts.ts";
import type { NamespaceInstance, NamespaceState, PublishedDelta } from "./published-state.ts";
import { getSegment } from "./segment-objects.ts";

interface QueuedJob {
  readonly job: CommitJob<unknown>;
  readonly succeed: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
}

interface GroupMember extends QueuedJob {
  readonly resolved: ResolvedJob<unknown>;
}

/** Documents that a long reader holds on to. */
export interface HeldDocuments {
  readonly segments: readonly SegmentSnapshot[];
  readonly schema: Schema;
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

  constructor(parts: NamespaceParts, opened: OpenedNamespace) {
    this.#parts = parts;
    this.#opened = opened;
    this.at = opened.at;
    this.instance = opened.instance;
    this.#facts = opened.facts;
    this.#wal = this.#walWriter(opened.facts);
    this.#checkpointer = new Checkpointer(parts, opened);
    this.#indexes = new IndexBuilder(opened.documents);
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
      this.#running ??= this.#run().finally(() => {
        this.#running = undefined;
      });
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

  /** Keeps the documents as they are now readable until `letGo`, while commits go on. */
  hold(): HeldDocuments {
    const { memtable } = this.#opened.documents;
    return {
      segments: memtable.segments.map(({ view, live, liveCount, liveVersion }) => {
        return { view, live: live.slice(), liveCount, liveVersion };
      }),
      schema: this.#facts.schema,
      documentCount: memtable.documentCount,
      logicalBytes: memtable.logicalBytes,
      letGo: this.#opened.documents.pin(),
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

  async #run(): Promise<void> {
    while (!this.#retired) {
      if (this.#queue.length > 0) {
        await this.#commitGroup();
        continue;
      }
      await this.#parts.yield();
      if (this.#queue.length > 0) continue;
      if (this.#retired || !this.#maintain()) return;
    }
  }

  /** Does one step of background work; tells whether there may be more. */
  #maintain(): boolean {
    try {
      return this.#maintainStep();
    } catch (error) {
      // Merging needs room for its result. Without it the segments stay as they are.
      if (!isDatabaseError(error, "overloaded")) throw error;
      this.#parts.log("warn", "no memory to merge segments", { namespace: this.name });
      return false;
    }
  }

  #maintainStep(): boolean {
    const { schema } = this.#facts;
    const delta = this.#indexes.step(schema) ?? this.#opened.documents.compactStep(schema);
    if (delta === undefined) return false;
    this.#publish([delta]);
    return true;
  }

  async #commitGroup(): Promise<void> {
    const { group, facts } = this.#resolveGroup();
    const changing = group.filter(({ resolved }) => resolved.batch.length > 0);
    for (const { resolved, succeed } of group) {
      if (resolved.batch.length === 0) succeed(resolved.result(this.#facts));
    }
    if (changing.length === 0) return;
    let entry: WalEntry;
    try {
      entry = await this.#append(changing, facts);
    } catch (error) {
      for (const { fail } of changing) fail(error);
      if (!isDatabaseError(error, "too_large")) this.retire();
      return;
    }
    await this.#applyGroup(changing, entry);
  }

  /** Takes as many jobs from the queue as fit into one entry. */
  #resolveGroup(): { group: GroupMember[]; facts: NamespaceFacts } {
    const group: GroupMember[] = [];
    const footprint = new GroupFootprint();
    let facts = this.#facts;
    let bytes = 0;
    let memoryBytes = 0;
    while (this.#queue.length > 0) {
      const queued = this.#queue[0];
      const { job } = queued;
      if (group.length > 0 && (job.alone || bytes + job.bytes > COMMIT_GROUP_BYTES_MAX)) break;
      try {
        this.#checkRoom(memoryBytes + job.memoryBytes);
        const bound = job.bind(facts);
        if (group.length > 0 && bound.conflictsWith(footprint)) break;
        const resolved = bound.resolve(this.#jobState(facts));
        group.push({ ...queued, resolved });
        if (resolved.touched !== undefined) footprint.add(resolved.touched);
        facts = factsAfter(facts, resolved.batch, this.#parts.clock.nowMs());
        bytes += job.bytes;
        memoryBytes += job.memoryBytes;
      } catch (error) {
        queued.fail(error);
      }
      this.#queue.shift();
      if (job.alone) break;
    }
    return { group, facts };
  }

  #jobState(facts: NamespaceFacts): JobState {
    const { memtable } = this.#opened.documents;
    const builds = this.#indexes.builds(this.#facts.schema);
    return {
      facts,
      segments: memtable.segments,
      documents: (schema) => currentDocuments(memtable, schema, builds),
    };
  }

  /** Refuses a job whose documents may not fit, before anything of it is durable. */
  #checkRoom(bytes: number): void {
    const free = this.#parts.memory.freeBytes;
    if (bytes <= free) return;
    throw new DatabaseError(
      "overloaded",
      `💔 out of memory for documents: this write may need ${bytes} bytes, ${free} are free; ` +
        "delete documents or namespaces, or start the server with a larger --memory-limit",
      { retryAfterMs: MEMORY_RETRY_MS },
    );
  }

  async #append(group: readonly GroupMember[], facts: NamespaceFacts): Promise<WalEntry> {
    const before = this.#facts.settings?.encryption;
    const after = facts.settings?.encryption;
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      this.#wal = this.#walWriter({ ...facts, sequence: this.#facts.sequence });
    }
    const records = encodeBatches(group.map(({ resolved }) => resolved.batch));
    const bytes = records.reduce((sum, record) => sum + record.bytes.length, 0);
    if (bytes > WAL_ENTRY_BYTES_MAX) throw tooLarge(bytes);
    const outcome = await this.#wal.append(records);
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
      for (const { resolved } of group) {
        this.#facts = { ...factsAfter(this.#facts, resolved.batch, entry.timeMs), sequence };
        if (!this.#facts.deleted) deltas.push(...(await this.#applyOne(resolved)));
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

  async #applyOne({ batch }: ResolvedJob<unknown>): Promise<PublishedDelta[]> {
    const { documents } = this.#opened;
    const deltas: PublishedDelta[] = [];
    for (const record of batch) {
      if (record.kind !== "import") continue;
      const store = this.#parts.storeFor(this.#facts.settings);
      for (const segment of record.segments) {
        const sealed = await getSegment(store, this.at, segment.id);
        deltas.push(documents.addSegment(segment.id, sealed));
        this.#checkpointer.addStored(segment);
      }
    }
    this.#checkpointer.addDocuments(batch);
    deltas.push(documents.apply(batch, this.#facts.schema) ?? documents.unchanged());
    return deltas;
  }

  #walWriter(facts: NamespaceFacts): WalWriter {
    const { clock, random } = this.#parts;
    const store = this.#parts.storeFor(facts.settings);
    return new WalWriter({ store, clock, random, at: this.at, after: facts.sequence });
  }

  #publish(deltas: readonly PublishedDelta[]): void {
    if (this.#facts.settings === undefined) return; // Never existed, so nobody knows of it.
    this.#parts.publish(this.name, deltas, this.state());
  }
}

function tooLarge(bytes: number): DatabaseError {
  return new DatabaseError(
    "too_large",
    `💔 this write takes ${bytes} bytes as it is stored, at most ${WAL_ENTRY_BYTES_MAX} are ` +
      "allowed; split it into smaller writes",
  );
}
