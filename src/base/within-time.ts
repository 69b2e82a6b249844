import type { Clock } from "./clock.ts";

/**
 * Waits for `work`, at most `ms` milliseconds. Throws what it throws until then; its outcome
 * afterwards is dropped.
 */
export async function waitAtMost(
  clock: Pick<Clock, "sleep">,
  work: Promise<unknown> | undefined,
  ms: number,
): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).catch(() => {});
  try {
    await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

/** Milliseconds between two looks at the time: an error is late by no more. */
const LATENESS_CHECK_MS = 250;

/**
 * Waits for `work` at most `ms` milliseconds; then throws what `late` returns. The work continues,
 * and its outcome is dropped.
 */
export async function withinTime<T>(
  clock: Clock,
  work: Promise<T>,
  { ms, late }: { readonly ms: number; readonly late: () => Error },
): Promise<T> {
  const startMs = clock.monotonicMs();
  const lateness = Promise.withResolvers<never>();
  const stop = clock.every(LATENESS_CHECK_MS, () => {
    if (clock.monotonicMs() - startMs >= ms) lateness.reject(late());
  });
  try {
    return await Promise.race([work, lateness.promise]);
  } finally {
    stop();
  }
}
