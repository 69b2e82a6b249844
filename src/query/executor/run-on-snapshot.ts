/**
 * Runs queries over stored segments in one thread. A query that needs bytes which are not in memory
 * waits for them and starts again, on the snapshot that it began with: which documents are alive is
 * copied at the first miss, and the memory of segments that are dropped meanwhile is not let go
 * before it has ended.
 */

import { DatabaseError } from "../../base/errors.ts";
import { SNAPSHOTS_RETRIED_MAX } from "../../base/limits.ts";
import { type RunFigures, SegmentMissing } from "../../cache/resident-ranges.ts";
import { NotResident } from "../../segment/format/bytes-missing.ts";
import type { SegmentSnapshot } from "../../segment/segment-view.ts";
import type { Snapshot } from "../snapshot.ts";
import { ScanProgress } from "./scan-progress.ts";

/** Loads what an attempt misses and runs it again. */
export interface CountedReads {
  runCounted<T>(attempt: () => T): Promise<{ readonly result: T; readonly figures: RunFigures }>;
}

/** A namespace as queries find it when they begin. */
export interface QuerySource {
  /** Of the state now. Throws what the caller of `runOnSnapshot` knows if there is none any more. */
  snapshot(): Snapshot;
  /** Bytes of vectors that exact scans may ask for at a time. */
  readonly scanBytesMax: number;
  /** Keeps the memory of all segments until the returned function is called. */
  hold(): () => void;
}

/**
 * Runs `query` over the newest snapshot. Where an object of it was collected meanwhile, the query
 * is run on a newer one. Throws `corrupt` if the newest names an object that is not there.
 */
export async function runOnSnapshot<T>(
  source: QuerySource,
  reads: CountedReads,
  query: (snapshot: Snapshot, progress: ScanProgress) => T,
): Promise<{ result: T; snapshot: Snapshot; figures: RunFigures }> {
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

async function runOn<T>(
  newest: Snapshot,
  source: QuerySource,
  reads: CountedReads,
  query: (snapshot: Snapshot, progress: ScanProgress) => T,
): Promise<{ result: T; snapshot: Snapshot; figures: RunFigures }> {
  const progress = new ScanProgress(source.scanBytesMax);
  let snapshot = newest;
  let letGo: (() => void) | undefined;
  try {
    const { result, figures } = await reads.runCounted(() => {
      progress.begin();
      try {
        return query(snapshot, progress);
      } catch (error) {
        if (error instanceof NotResident && letGo === undefined) {
          letGo = source.hold();
          snapshot = { ...snapshot, segments: snapshot.segments.map(frozen) };
        }
        throw error;
      }
    });
    return { result, snapshot, figures };
  } finally {
    letGo?.();
  }
}

function frozen({ view, live, liveCount, liveVersion }: SegmentSnapshot): SegmentSnapshot {
  return { view, live: live.slice(), liveCount, liveVersion };
}
