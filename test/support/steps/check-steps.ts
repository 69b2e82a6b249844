/** Checks that work has short steps, and prints the longest of a test file. */

import { afterAll, expect } from "vitest";
import type { ReadingSteps } from "../../../src/segment/format/reading-steps.ts";
import { longestStep } from "./longest-step.ts";
import { slownessOfMachine } from "./machine-speed.ts";

/** Milliseconds of processor time of one step, on the reference machine. */
const STEP_MS_MAX = 50;
/** Greatest error of the difference of two readings of the kernel's clock, in milliseconds. */
const TICK_MS = 4;
/** Steps that are printed. */
const PRINTED = 20;

/** A check of steps. It returns what the work was refused with, if it was. */
export type CheckSteps = (what: string, work: () => ReadingSteps<unknown>) => string | undefined;

/** Makes the check of a test file, for the speed of this machine. */
export function stepCheck(): CheckSteps {
  const limitMs = STEP_MS_MAX * slownessOfMachine() + TICK_MS;
  const measured: [what: string, ms: number][] = [];
  afterAll(() => {
    measured.sort(([, a], [, b]) => b - a);
    for (const [what, ms] of measured.slice(0, PRINTED)) {
      console.log(`${ms.toFixed(1)} ms: ${what}`);
    }
  });
  return (what, work) => {
    const { longestMs, longest, count, refusal } = longestStep(work, limitMs);
    measured.push([what, longestMs]);
    expect(longestMs, `step ${longest} of ${count}`).toBeLessThan(limitMs);
    return refusal;
  };
}
