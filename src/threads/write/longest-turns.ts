/** How long a thread was busy without a pause, which is how long everything else in it waited. */

import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

/** Sampling in milliseconds; shorter turns are not seen. */
const RESOLUTION_MS = 10;
/** Readings that `maxMs` looks back on: a minute of the metrics' interval, longer than scrapes. */
const READINGS_KEPT = 60;

/** Delays since the last reset, in nanoseconds. */
type DelayReadings = Pick<IntervalHistogram, "max" | "reset">;

/** The longest turns of the thread that makes it, by readings. */
export class LongestTurns {
  readonly #delay: DelayReadings;
  readonly #readingsMs: number[] = [];

  constructor(delay: DelayReadings = sampledDelay()) {
    this.#delay = delay;
  }

  /** The longest turn of the last `READINGS_KEPT` calls, this one included. */
  maxMs(): number {
    // Times include the sampling interval itself.
    this.#readingsMs.push(Math.max(0, this.#delay.max / 1e6 - RESOLUTION_MS));
    this.#delay.reset();
    if (this.#readingsMs.length > READINGS_KEPT) this.#readingsMs.shift();
    return Math.max(...this.#readingsMs);
  }
}

function sampledDelay(): DelayReadings {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return delay;
}
