/** What a namespace commits: requests that become batches when it is their turn. */

import type { Steps } from "../base/steps.ts";
import type { WriteBatch } from "../log/wal-records.ts";
import type { Schema } from "../model/schema.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type { SegmentSnapshot } from "../segment/view/segment-view.ts";
import type { GroupFootprint } from "../write/resolve/group-footprint.ts";
import type { CurrentDocuments, ResolvedBatch } from "../write/resolve/resolve-batch.ts";

/** The state that a job is resolved against. */
export interface JobState {
  /** The life of the namespace that the job would change. */
  readonly generation: number;
  /** With all earlier jobs of the same group applied. */
  readonly facts: NamespaceFacts;
  /** The documents before the group, read with `schema`. */
  documents(schema: Schema): CurrentDocuments;
  readonly segments: readonly SegmentSnapshot[];
}

/** A job bound to the schema. */
export interface BoundJob<T> {
  /** It reads what the group's earlier jobs change, so it must wait for the next group. */
  conflictsWith(footprint: GroupFootprint): Steps<boolean>;
  resolve(state: JobState): Steps<ResolvedJob<T>>;
}

/** A job as it goes into the log. */
export interface ResolvedJob<T> {
  /** Empty: there is nothing to commit, and the job succeeds. */
  readonly batch: WriteBatch;
  /** What later jobs of the group must not read. */
  readonly touched?: ResolvedBatch;
  /** Makes the result once the batch is durable and applied. */
  result(after: NamespaceFacts): T;
}

/** One request that changes a namespace. */
export interface CommitJob<T> {
  /** Estimate of its part of the entry. */
  readonly bytes: number;
  /** It must have an entry of its own. */
  readonly alone: boolean;
  /** Throws a `DatabaseError` to refuse; pure, and may be called again for another state. */
  bind(facts: NamespaceFacts): Steps<BoundJob<T>>;
  /** Called after the last `bind`: releases what only `bind` needs. */
  release?(): void;
}
