/**
 * Runs queries over stored segments in one thread. A query that needs bytes which are not in memory
 * waits for them and starts again, on the snapshot that it began with. The memory of segments that
 * are dropped meanwhile is not let go before it has ended.
 */

import { DatabaseError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { SegmentMissing } from "../../segment/format/segment-missing.ts";
import { KeptFindings } from "../operator/kept-findings.ts";
import type { QueryMemory } from "../operator/query-memory.ts";
import { ScanProgress } from "../operator/scan-progress.ts";
import type { Snapshot } from "../operator/snapshot.ts";

/** Newer snapshots on which a query is run again because segments of its own were collected. */
const SNAPSHOTS_RETRIED_MAX = 3;

/** Runs steps to their end, with pauses between them. */
export type TakeSteps = <T>(steps: Steps<T>) => Promise<T>;

/** Loads what an attempt misses and runs it again, until nothing is missing; tells what that cost. */
export interface CountedReads<Stats> {
  /** Calls `waits` before it loads anything. */
  runCounted<T>(
    attempt: () => Steps<T>,
    take: TakeSteps,
    waits?: () => void,
  ): Promise<{ readonly result: T; readonly stats: Stats }>;
}

/** A namespace as queries find it when they begin. */
export interface QuerySource {
  /** Of the state now. Throws what the caller of `runOnSnapshot` knows if there is none any more. */
  snapshot(): Snapshot;
  /** Bytes of vectors that exact scans may ask for at a time. */
  readonly scanBytesMax: number;
  /** Keeps the memory of all segments until the returned function is called. */
  retain(): () => void;
  readonly take: TakeSteps;
  /** Called when the query begins to wait for bytes. */
  readonly waits?: (() => void) | undefined;
  /** Of the query; absent: not counted. */
  readonly memory?: QueryMemory | undefined;
}

/** What a query keeps while it is run again on one snapshot. */
export interface QueryAttempt {
  readonly progress: ScanProgress;
  readonly kept: KeptFindings;
  /** Nothing was missing so far; the snapshot is the source's newest one. */
  readonly isFirst: boolean;
}

/**
 * Runs `query` over the newest snapshot. Where an object of it was collected meanwhile, the query
 * is run on a newer one. Throws `corrupt` if the newest names an object that is not there.
 */
export async function runOnSnapshot<T, Stats>(
  source: QuerySource,
  reads: CountedReads<Stats>,
  query: (snapshot: Snapshot, attempt: QueryAttempt) => Steps<T>,
): Promise<{ result: T; snapshot: Snapshot; stats: Stats }> {
  let last: Snapshot | undefined;
  for (let tried = 0; ; tried++) {
    const snapshot = source.snapshot();
    try {
      return await runOn(snapshot, source, reads, query);
    } catch (error) {
      if (!(error instanceof SegmentMissing)) throw error;
      const isSame = snapshot.segments === last?.segments;
      if (isSame || tried === SNAPSHOTS_RETRIED_MAX) {
        throw new DatabaseError("corrupt", error.message, { cause: error });
      }
      last = snapshot;
    }
  }
}

async function runOn<T, Stats>(
  snapshot: Snapshot,
  source: QuerySource,
  reads: CountedReads<Stats>,
  query: (snapshot: Snapshot, attempt: QueryAttempt) => Steps<T>,
): Promise<{ result: T; snapshot: Snapshot; stats: Stats }> {
  const progress = new ScanProgress(source.scanBytesMax);
  const kept = new KeptFindings();
  const { memory } = source;
  const bytesBefore = memory?.bytes ?? 0;
  let isFirst = true;
  const release = source.retain();
  try {
    const attempt = (): Steps<T> => {
      progress.begin();
      const steps = query(snapshot, { progress, kept, isFirst });
      isFirst = false;
      return memory === undefined ? steps : givingBack(steps, memory, kept);
    };
    const { result, stats } = await reads.runCounted(attempt, source.take, source.waits);
    return { result, snapshot, stats };
  } catch (error) {
    memory?.giveBackTo(bytesBefore);
    throw error;
  } finally {
    release();
  }
}

/** Of an attempt that fails nothing is left but what is kept. */
function* givingBack<T>(steps: Steps<T>, memory: QueryMemory, kept: KeptFindings): Steps<T> {
  const bytesBefore = memory.bytes - kept.bytes;
  try {
    return yield* steps;
  } catch (error) {
    memory.giveBackTo(bytesBefore + kept.bytes);
    throw error;
  }
}
