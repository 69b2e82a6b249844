/**
 * How operators that look for documents meet bytes that are not in memory. A look may throw
 * `BytesMissing`. What all looks of a plan's search have missed is joined, with what the plan is
 * known to need. The executor requests that, and does the search again (`executor.ts`).
 */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import {
  attemptAll,
  attemptAllInSteps,
  type BytesMissing,
  joined,
  missedBy,
} from "../../segment/format/bytes-missing.ts";
import type { Need, Together, TogetherInSteps, WithNeeds } from "./operator.ts";

/** Takes all looks, also after one has missed bytes. Any other error is thrown at once. */
export const together: Together = attemptAll;

/** Does all work, also after some has missed bytes. Any other error is thrown at once. */
export const togetherInSteps: TogetherInSteps = attemptAllInSteps;

/** Does `work`; where it misses bytes, what `needs` looks at is missed with them. */
export const withNeeds: WithNeeds = function* <T>(
  work: () => Steps<T>,
  needs: () => Iterable<Need>,
) {
  try {
    return yield* work();
  } catch (error) {
    return yield* missAllInSteps(missedBy(error), needs());
  }
};

/** Looks between two pauses, at some 10 µs each. */
const LOOKS_PER_STEP = 64;

/** Counts the bytes that are looked at and are not in memory. */
export function* countMissing(looks: Iterable<Need>): Steps<number> {
  let bytes = 0;
  let looked = 0;
  for (const look of looks) {
    try {
      look();
    } catch (error) {
      for (const { start, end } of missedBy(error).wanted) bytes += end - start;
    }
    if (++looked % LOOKS_PER_STEP === 0) yield;
  }
  return bytes;
}

/** Tells whether all that is looked at is in memory; ends at the first that is not. */
export function* areInMemory(looks: Iterable<Need>): Steps<boolean> {
  const missed: BytesMissing[] = [];
  let looked = 0;
  for (const look of looks) {
    lookOr(look, undefined, missed);
    if (missed.length > 0) return false;
    if (++looked % LOOKS_PER_STEP === 0) yield;
  }
  return true;
}

/** Throws what was missed, and with it what `needs` miss, in steps. */
export function* missAllInSteps(missed: BytesMissing, needs: Iterable<Need>): Steps<never> {
  const all = [missed];
  let count = 0;
  for (const need of needs) {
    lookOr(need, undefined, all);
    if (++count % LOOKS_PER_STEP === 0) yield;
  }
  throw joined(all);
}

/** Looks; where bytes are missing, notes what was missed and gives `instead`. */
export function lookOr<T, U>(look: () => T, instead: U, missed: BytesMissing[]): T | U {
  try {
    return look();
  } catch (error) {
    missed.push(missedBy(error));
    return instead;
  }
}

/** Throws what was missed, and with it what `needs` miss. */
export function missAll(missed: readonly BytesMissing[], needs: readonly Need[]): never {
  const again = missed.map((error) => () => {
    throw error;
  });
  together<void>([...again, ...needs]);
  assert(false, "nothing was missed");
}
