import type { Steps } from "../../base/steps.ts";
import type { ObjectKey } from "../../storage/object-store.ts";

/** A range of a stored segment's content that has to be in memory. */
export interface WantedRange {
  readonly object: ObjectKey;
  /** Offset in the segment's content. */
  readonly start: number;
  readonly end: number;
}

/**
 * Thrown by synchronous code that needs bytes which are not in memory. Whoever runs such code loads
 * what is wanted and runs it again from its start; it must not have changed anything by then.
 */
export class BytesMissing extends Error {
  /** What all further runs need, too. */
  readonly wanted: readonly WantedRange[];
  /** What the next run alone needs: it keeps what it learns from it. */
  readonly transient: readonly WantedRange[];

  constructor(wanted: readonly WantedRange[], transient: readonly WantedRange[] = []) {
    // Ten thousand documents that are not there throw as many: stacks would take a second.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super("bytes of a stored segment are not in memory");
    Error.stackTraceLimit = stackTraceLimit;
    this.wanted = wanted;
    this.transient = transient;
  }
}

/**
 * Runs all of `attempts`, also after one has thrown `BytesMissing`, and returns their results in
 * order. Throws one `BytesMissing` with everything that all of them want, so that it is loaded in
 * one round of requests. Any other error is thrown at once. Operators of queries do not know of it:
 * they are given it as `together` (`query/operator/missing-bytes.ts`).
 */
export function attemptAll<T>(attempts: Iterable<() => T>): T[] {
  const results: T[] = [];
  const missed: BytesMissing[] = [];
  for (const attempt of attempts) {
    try {
      results.push(attempt());
    } catch (error) {
      if (!(error instanceof BytesMissing)) throw error;
      missed.push(error);
    }
  }
  return allOrMissed(results, missed);
}

/** The same of work in steps, for each of `items`. */
export function* attemptAllInSteps<Item, T>(
  items: Iterable<Item>,
  attempt: (item: Item, index: number) => Steps<T>,
): Steps<T[]> {
  const results: T[] = [];
  const missed: BytesMissing[] = [];
  let index = 0;
  for (const item of items) {
    try {
      results.push(yield* attempt(item, index++));
    } catch (error) {
      if (!(error instanceof BytesMissing)) throw error;
      missed.push(error);
    }
  }
  return allOrMissed(results, missed);
}

function allOrMissed<T>(results: T[], missed: readonly BytesMissing[]): T[] {
  if (missed.length === 0) return results;
  throw joined(missed);
}

/** All that was missed, as one; what several want is wanted once. */
export function joined(missed: readonly BytesMissing[]): BytesMissing {
  return new BytesMissing(
    distinct(missed.map(({ wanted }) => wanted)),
    distinct(missed.map(({ transient }) => transient)),
  );
}

function distinct(lists: readonly (readonly WantedRange[])[]): WantedRange[] {
  const known = new Map<ObjectKey, Map<number, number[]>>();
  const ranges: WantedRange[] = [];
  for (const range of lists.flat()) {
    const starts = known.get(range.object) ?? new Map<number, number[]>();
    known.set(range.object, starts);
    const ends = starts.get(range.start);
    if (ends?.includes(range.end)) continue;
    if (ends === undefined) starts.set(range.start, [range.end]);
    else ends.push(range.end);
    ranges.push(range);
  }
  return ranges;
}
