import type { Steps } from "../../base/steps.ts";
import type { ObjectKey } from "../../storage/object-store.ts";

/** A range of a stored segment's content that has to be in memory. */
export interface WantedRange {
  readonly object: ObjectKey;
  /** Offset in the segment's content. */
  readonly start: number;
  readonly end: number;
}

/** Bytes that work needs in memory before it can continue. */
export interface ReadRequest {
  /** Ranges that are needed until the work ends. */
  readonly wanted: readonly WantedRange[];
  /** Ranges that are needed until the next request: the work keeps what it learns from them. */
  readonly transient: readonly WantedRange[];
}

/**
 * Thrown by synchronous code that needs bytes which are not in memory. Whoever runs such code loads
 * what is wanted and runs it again from its start; it must not have changed anything by then. Work
 * in steps requests the bytes instead (`reading-steps.ts`), if its runner serves requests.
 */
export class BytesMissing extends Error implements ReadRequest {
  readonly wanted: readonly WantedRange[];
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
      missed.push(missedBy(error));
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
      missed.push(missedBy(error));
    }
  }
  return allOrMissed(results, missed);
}

function allOrMissed<T>(results: T[], missed: readonly BytesMissing[]): T[] {
  if (missed.length === 0) return results;
  throw joined(missed);
}

/** The bytes that a look-up misses which has thrown `error`. Throws any other error again. */
export function missedBy(error: unknown): BytesMissing {
  if (!(error instanceof BytesMissing)) throw error;
  return error;
}

/** All requests as one, with each range once. */
export function joined(missed: readonly ReadRequest[]): BytesMissing {
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
