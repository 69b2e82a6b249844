/**
 * Measures the steps of work in processor time, which other load on the machine does not change.
 */

import type { ReadingSteps } from "../../../src/segment/format/reading-steps.ts";

/** Times of the steps of some work. */
export interface StepTimes {
  readonly count: number;
  /** Milliseconds of processor time of the longest step. */
  readonly longestMs: number;
  /** Number of that step. */
  readonly longest: number;
  /** What the work threw, which ended it. */
  readonly refusal: string | undefined;
}

/** Runs after which the times are final. */
const RUNS_MAX = 3;

/**
 * Runs the same work until no step has taken `enoughMs` each time, or three times, and takes the
 * least time of each step: so the collection of garbage, the compilation of code and the kernel's
 * work for new memory are left out, and so is a tick of its clock of some milliseconds.
 */
export function longestStep(work: () => ReadingSteps<unknown>, enoughMs: number): StepTimes {
  const least: number[] = [];
  let count = 0;
  let refusal: string | undefined;
  for (let run = 0; run < RUNS_MAX; run++) {
    const steps = work();
    for (count = 0; ; count++) {
      const before = process.threadCpuUsage();
      let isDone = true;
      try {
        isDone = steps.next().done === true;
      } catch (error) {
        refusal = (error as Error).message;
      }
      const { user, system } = process.threadCpuUsage(before);
      least[count] = Math.min(least[count] ?? Number.POSITIVE_INFINITY, (user + system) / 1000);
      if (isDone) break;
    }
    if (least.every((ms) => ms < enoughMs)) break;
  }
  let longest = 0;
  for (let i = 0; i < least.length; i++) if (least[i] > least[longest]) longest = i;
  return { count: least.length, longestMs: least[longest], longest, refusal };
}
