import { assert } from "../../../src/base/assert.ts";
import type { ReadingSteps } from "../../../src/segment/format/reading-steps.ts";

/** Runs steps to their end and counts them. Nothing may be missing. */
export function countSteps<T>(steps: ReadingSteps<T>): {
  readonly result: T;
  readonly count: number;
} {
  for (let count = 1; ; count++) {
    const next = steps.next();
    if (next.done === true) return { result: next.value, count };
    assert(next.value === undefined, "bytes are missing of segments in memory");
  }
}
