/** Time comes in through this interface so that a simulation can own it. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may jump. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start, never going back; with fractions. */
  monotonicMs(): number;
  /** Resolves after at least `ms` milliseconds; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `action` every `ms` milliseconds until the returned function is called. Does not keep the
   * process alive.
   */
  every(ms: number, action: () => void): () => void;
}

/** The machine's clock: with the simulation's, the only user of Date and timers. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, ms);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
    }),
  every: (ms, action) => {
    const timer = setInterval(action, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/** Formats milliseconds since the epoch as ISO 8601 in UTC, such as `2026-01-31T09:30:00.000Z`. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
