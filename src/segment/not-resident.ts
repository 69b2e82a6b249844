import type { ObjectKey } from "../storage/object-store.ts";

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
export class NotResident extends Error {
  readonly wanted: readonly WantedRange[];

  constructor(wanted: readonly WantedRange[]) {
    super("bytes of a stored segment are not in memory");
    this.wanted = wanted;
  }
}

/**
 * Runs all of `attempts`, also after one has thrown `NotResident`, and returns their results in
 * order. Throws one `NotResident` with everything that all of them want, so that it is loaded in
 * one round of requests. Any other error is thrown at once.
 */
export function attemptAll<T>(attempts: Iterable<() => T>): T[] {
  const results: T[] = [];
  const wanted: WantedRange[] = [];
  for (const attempt of attempts) {
    try {
      results.push(attempt());
    } catch (error) {
      if (!(error instanceof NotResident)) throw error;
      wanted.push(...error.wanted);
    }
  }
  if (wanted.length > 0) throw new NotResident(wanted);
  return results;
}
