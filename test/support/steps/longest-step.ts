/**
 * Measures the steps of work in processor time, which other load on the machine does not change.
 */

import type { Steps } from "../../../src/base/steps.ts";

/** Times of the steps of some work. */
export interface StepTimes {
  readonly count: number;
  /** Milliseconds of processor time of the longest step. */
  readonly longestMs: number;
  /** Number of that step. */
  readonly longest: number;
}

/** Milliseconds below which a step is not measured again. */
const CERTAIN_MS = 10;

/**
 * Runs the same work several times, and takes the least time of each step: so the collection of
 * garbage and the compilation of code are left out, and so is a tick of the kernel's clock of some
 * milliseconds. What the work throws ends it.
 */
export function longestStep(work: () => Steps<unknown>, runs = 3): StepTimes {
  const least: number[] = [];
  let count = 0;
  for (let run = 0; run < runs; run++) {
    const steps = work();
    for (count = 0; ; count++) {
      const before = process.threadCpuUsage();
      let isDone = true;
      try {
        isDone = steps.next().done === true;
      } catch {
        // A refusal is an end like any other.
      }
      const { user, system } = process.threadCpuUsage(before);
      least[count] = Math.min(least[count] ?? Number.POSITIVE_INFINITY, (user + system) / 1000);
      if (isDone) break;
    }
    if (least.every((ms) => ms < CERTAIN_MS)) break;
  }
  let longest = 0;
  for (let i = 0; i < least.length; i++) if (least[i] > least[longest]) longest = i;
  return { count: least.length, longestMs: least[longest], longest };
}
