import { type Clock, systemClock } from "../../../src/base/clock.ts";

/**
 * Lets at least `ms` of the machine's time go by: for tests of programs that run beside them, where
 * nothing tells when it is over. What a test expects may never depend on how much more it was.
 */
export function pause(ms: number): Promise<void> {
  return systemClock.sleep(ms);
}

/** The machine's monotonic time: for histories of programs that run beside a test. */
export const MACHINE_TIME: Pick<Clock, "monotonicMs"> = systemClock;
