/** The browser's time and timers; the rest of the console has them from here. */

/** Milliseconds since the Unix epoch; may jump. */
export function nowMs(): number {
  return Date.now();
}

/** Milliseconds from an arbitrary start, never going back; with fractions. */
export function monotonicMs(): number {
  return performance.now();
}

/** Resolves after at least `ms` milliseconds; rejects with the signal's reason when aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
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
  });
}
