/** How fast a server answers clients that ask one query after the other. */

import type { Clock } from "../../base/clock.ts";

/** What is measured. */
export interface Load {
  /** Clients that ask at once. */
  readonly clients: number;
  /** How long they ask. */
  readonly durationMs: number;
  /** Asks query `index` and returns whether the server had room for it; throws any other fault. */
  readonly ask: (index: number) => Promise<boolean>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What was measured. */
export interface LoadResult {
  readonly latenciesMs: readonly number[];
  /** Queries that the server had no room for. */
  readonly refused: number;
  /** How long it took until the last answer. */
  readonly elapsedMs: number;
}

/** Measures; queries that are under way when the time is over are waited for, and count. */
export async function measureLoad(load: Load): Promise<LoadResult> {
  const { clients, durationMs, ask, clock, signal } = load;
  const latenciesMs: number[] = [];
  const startMs = clock.monotonicMs();
  let next = 0;
  let refused = 0;
  let hasFailed = false;
  const client = async () => {
    while (!hasFailed && clock.monotonicMs() - startMs < durationMs) {
      signal.throwIfAborted();
      const askedMs = clock.monotonicMs();
      try {
        if (await ask(next++)) latenciesMs.push(clock.monotonicMs() - askedMs);
        else refused++;
      } catch (error) {
        hasFailed = true; // The others end, too: what is thrown is what the user should read.
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { latenciesMs, refused, elapsedMs: clock.monotonicMs() - startMs };
}
