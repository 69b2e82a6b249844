/** How long ago something was, by either of two clocks. */

import type { Clock } from "../base/clock.ts";

/** What a process's clocks show, in milliseconds. */
export interface ClockReading {
  readonly wall: number;
  readonly monotonic: number;
}

/** Reads both clocks. */
export function readClocks(clock: Clock): ClockReading {
  return { wall: clock.nowMs(), monotonic: clock.monotonicMs() };
}

/** Milliseconds since a reading, by the clock that says more: the other one may have stood still. */
export function longestSince(clock: Clock, reading: ClockReading): number {
  const { wall, monotonic } = readClocks(clock);
  return Math.max(wall - reading.wall, monotonic - reading.monotonic);
}
