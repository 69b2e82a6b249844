/**
 * Which waiting jobs go into one WAL entry, and what they make of the namespace. Whatever can fail
 * for one job alone fails here, before anything is durable: binding, conditions, size, memory.
 */

import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError } from "../base/errors.ts";
import { piecesBytes } from "../base/pieces.ts";
import type { Steps } from "../base/steps.ts";
import type { NewWalRecord } from "../log/wal-entry.ts";
import { encodeBatches } from "../log/wal-records.ts";
import type { Schema } from "../model/schema.ts";
import { activeSchema } from "../namespace/active-text-options.ts";
import type { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import { factsAfter, keyOf, type NamespaceFacts } from "../namespace/namespace-facts.ts";
import { BytesMissing } from "../segment/format/bytes-missing.ts";
import type { PreparedSegments } from "../segment/memtable/memtable.ts";
import type { StoredDeletions } from "../segment/memtable/stored-segments.ts";
import { GroupFootprint } from "../write/resolve/group-footprint.ts";
import type { JobState, ResolvedJob } from "./commit-job.ts";
import type { JobQueue, QueuedJob } from "./job-queue.ts";

/** Serialized bytes of one WAL entry's batches before the next entry starts; bounds memory. */
const WAL_ENTRY_BYTES_MAX = 640 * MIB;
/** Bytes of requests that one group commit takes together; a larger request goes alone. */
const COMMIT_GROUP_BYTES_MAX = 64 * MIB;

/** A job of a group. */
export interface GroupMember extends QueuedJob {
  readonly resolved: ResolvedJob<unknown>;
  readonly records: readonly NewWalRecord[];
  /** The schema that its segments are built by. */
  readonly schema: Schema;
  /** Its segments, once they are in memory. */
  readonly prepared: PreparedSegments | undefined;
  /** The documents of stored segments that it replaces or deletes. */
  readonly deletions: StoredDeletions;
}

/** A job that leaves nothing in the log: refused, or with nothing to do. */
export interface IdleJob {
  /** Says what became of it. */
  readonly notify: () => void;
  /** It fails instead: the state that it was checked against could not be confirmed. */
  readonly fail: (error: unknown) => void;
}

/** Jobs that share a WAL entry, and the facts after them. */
export interface Group {
  /** Those that stand on the state before the group. */
  readonly idle: readonly IdleJob[];
  /** Empty, or the first one changes something. */
  readonly members: readonly GroupMember[];
  /** Those that were refused after what members change. */
  readonly refused: readonly IdleJob[];
  /** All of them in the order in which they waited, to wait once more. */
  readonly jobs: readonly QueuedJob[];
  readonly facts: NamespaceFacts;
}

/** State of the namespace that a group is resolved against. */
export interface GroupBase {
  readonly facts: NamespaceFacts;
  readonly documents: NamespaceDocuments;
  readonly nowMs: number;
  /** What a job is resolved against when the facts are those. */
  stateAt(facts: NamespaceFacts): JobState;
}

/**
 * Takes as many jobs from the head of `queue` as fit together; none if it is ended early, or throws
 * `BytesMissing` because the first one needs bytes of stored segments.
 */
export function* takeGroup(queue: JobQueue, base: GroupBase): Steps<Group> {
  const idle: IdleJob[] = [];
  const members: GroupMember[] = [];
  const refused: IdleJob[] = [];
  const jobs: QueuedJob[] = [];
  const footprint = new GroupFootprint();
  const hasStored = base.documents.stored.length > 0;
  let { facts } = base;
  let bytes = 0;
  let entryBytes = 0;
  /** Taken from the queue, and in no list yet. */
  let next: QueuedJob | undefined;
  let isTaken = false;
  try {
    for (next = queue.take(); next !== undefined; next = queue.take()) {
      const { job, succeed, fail } = next;
      const isFirst = members.length === 0;
      let isLast = job.alone;
      if (!isFirst && (job.alone || bytes + job.bytes > COMMIT_GROUP_BYTES_MAX)) break;
      try {
        const bound = yield* job.bind(facts);
        yield;
        if (!isFirst && (yield* bound.conflictsWith(footprint))) break;
        const resolved = yield* bound.resolve(base.stateAt(facts));
        if (isFirst && resolved.batch.length === 0) {
          idle.push({ fail, notify: () => succeed(resolved.result(base.facts)) });
          jobs.push(next);
          continue;
        }
        const after = factsAfter(facts, resolved.batch, { timeMs: base.nowMs, hasStored });
        const batches = resolved.batch.length === 0 ? [] : [resolved.batch];
        const records = yield* encodeBatches(batches);
        const size = records.reduce((sum, { pieces }) => sum + piecesBytes(pieces), 0);
        if (size > WAL_ENTRY_BYTES_MAX) throw tooLarge(size);
        // A job whose key cannot be read must not fail the other jobs of its group.
        const changesKey = keyOf(after) !== keyOf(facts);
        if (!isFirst && (changesKey || entryBytes + size > WAL_ENTRY_BYTES_MAX)) break;
        isLast ||= changesKey;
        yield;
        const deletions = yield* base.documents.deletionsOf(resolved.batch);
        const schema = activeSchema(after);
        members.push({ ...next, resolved, schema, records, prepared: undefined, deletions });
        if (resolved.touched !== undefined) yield* footprint.add(resolved.touched);
        facts = after;
        bytes += job.bytes;
        entryBytes += size;
      } catch (error) {
        if (error instanceof BytesMissing) {
          if (isFirst && idle.length === 0) throw error;
          break; // It opens the next group.
        }
        (isFirst ? idle : refused).push({ fail, notify: () => fail(error) });
      }
      jobs.push(next);
      if (isLast) {
        next = undefined;
        break;
      }
    }
    isTaken = true;
    return { idle, members, refused, jobs, facts };
  } finally {
    queue.putBack([...(isTaken ? [] : jobs), ...(next === undefined ? [] : [next])]);
  }
}

function tooLarge(bytes: number): DatabaseError {
  return new DatabaseError(
    "too_large",
    `💔 this write takes ${bytes} bytes as it is stored, at most ${WAL_ENTRY_BYTES_MAX} are ` +
      "allowed; split it into smaller writes",
  );
}
