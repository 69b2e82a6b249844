/**
 * Runs queries over stored segments in one thread. A query that requests bytes which are not in
 * memory waits for them and continues where it was. A query that throws `BytesMissing` waits for
 * them and starts again, on the snapshot that it began with. The memory of segments that are
 * dropped meanwhile is not released before the query has ended.
 */

import { DatabaseError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import type { ReadingSteps } from "../../segment/format/reading-steps.ts";
import { SegmentMissing } from "../../segment/format/segment-missing.ts";
import type { QueryMemory } from "../operator/query-memory.ts";
import { ScanProgress } from "../operator/scan-progress.ts";
import type { Snapshot } from "../operator/snapshot.ts";

/** Newer snapshots on which a query is run again because segments of its own were collected. */
const SNAPSHOTS_RETRIED_MAX = 3;

/** Runs steps to their end, with pauses between them. */
export type TakeSteps = <T>(steps: Steps<T>) => Promise<T>;

/** Loads the bytes that an attempt requests or misses, until it ends; returns what that cost. */
export interface CountedReads<Stats> {
  /** Calls `waits` before it loads anything. */
  runCounted<T>(
    attempt: () => ReadingSteps<T>,
    take: TakeSteps,
    waits: () => void,
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

/**
 * Runs `query` over the newest snapshot, with the progress of its exact scans. Where an object of
 * the snapshot was collected meanwhile, the query is run on a newer one. Throws `corrupt` if the
 * newest names an object that is not there.
 */
export async function runOnSnapshot<T, Stats>(
  source: QuerySource,
  reads: CountedReads<Stats>,
  query: (snapshot: Snapshot, progress: ScanProgress) => ReadingSteps<T>,
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
  query: (snapshot: Snapshot, progress: ScanProgress) => ReadingSteps<T>,
): Promise<{ result: T; snapshot: Snapshot; stats: Stats }> {
  const progress = new ScanProgress(source.scanBytesMax);
  const { memory } = source;
  const bytesBefore = memory?.bytes ?? 0;
  const release = source.retain();
  try {
    const attempt = (): ReadingSteps<T> => {
      // Of an attempt that has failed nothing is left.
      memory?.giveBackTo(bytesBefore);
      return query(snapshot, progress);
    };
    const waits = (): void => {
      progress.beginRound();
      source.waits?.();
    };
    const { result, stats } = await reads.runCounted(attempt, source.take, waits);
    return { result, snapshot, stats };
  } catch (error) {
    memory?.giveBackTo(bytesBefore);
    throw error;
  } finally {
    release();
  }
}
