/**
 * Reads of stored segments as an effect: work in steps requests bytes that are not in memory, and
 * continues where it was once they are.
 */

import type { Steps } from "../../base/steps.ts";
import { type BytesMissing, joined, missedBy, type ReadRequest } from "./bytes-missing.ts";

/**
 * Steps that may yield a read request. The runner loads the requested ranges, keeps them in memory
 * until the steps end (transient ranges until the next request), and takes the next step. Any other
 * bytes may have left memory by then: what was read before a request must be looked up again.
 * `Steps`, which request nothing, are reading steps too, but not the other way round.
 */
export type ReadingSteps<T> = Generator<ReadRequest | undefined, T, undefined>;

/** Memory that work takes while it runs. */
interface TakenMemory {
  readonly bytes: number;
  /** Returns what was taken since it was `bytes`. */
  giveBackTo(bytes: number): void;
}

/**
 * Does work that may throw `BytesMissing`. Then the bytes are requested, and the same work begins
 * again: it must not have changed anything. What it took of `memory` is returned before it waits.
 */
export function* readInPlace<T>(look: () => Steps<T>, memory?: TakenMemory): ReadingSteps<T> {
  for (;;) {
    const bytesBefore = memory?.bytes ?? 0;
    let missed: BytesMissing;
    try {
      return yield* look();
    } catch (error) {
      missed = missedBy(error);
      memory?.giveBackTo(bytesBefore);
    }
    yield missed;
  }
}

/**
 * Runs all of `parts` and returns their results in order. Each part runs until it ends or requests
 * bytes; what all of them request is one request. If one part fails, or this is ended by
 * `return()`, the `finally` blocks of all others run.
 */
export function* joinReads<T extends readonly unknown[]>(
  parts: {
    readonly [K in keyof T]: ReadingSteps<T[K]>;
  },
): ReadingSteps<T> {
  const all = parts as readonly ReadingSteps<unknown>[];
  // Most requests have one plan.
  if (all.length === 1) return [yield* all[0]] as unknown as T;
  const results: unknown[] = all.map(() => undefined);
  let unfinished: readonly number[] = [...all.keys()];
  try {
    while (unfinished.length > 0) {
      const requests: ReadRequest[] = [];
      const suspended: number[] = [];
      for (const index of unfinished) {
        let next = all[index].next();
        for (; next.done !== true && next.value === undefined; next = all[index].next()) yield;
        if (next.done === true) {
          results[index] = next.value;
        } else if (next.value !== undefined) {
          requests.push(next.value);
          suspended.push(index);
        }
      }
      if (requests.length > 0) yield joined(requests);
      unfinished = suspended;
    }
    return results as unknown as T;
  } finally {
    for (const part of all) part.return(undefined);
  }
}
