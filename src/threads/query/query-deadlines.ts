import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";

/** Milliseconds between two checks of deadlines: an answer is late by no more. */
const DEADLINE_SWEEP_MS = 250;

/** A query that waits. */
export interface WaitingQuery {
  /** When its first byte came, by the monotonic clock. */
  readonly arrivedMs: number;
  /** True for a job, whose answer is fetched later: it has no deadline. */
  readonly isJob?: boolean;
}

interface Wait {
  readonly arrivedMs: number;
  readonly end: () => void;
}

/**
 * Ends waits of queries for what is done outside of their threads: after `timeoutMs` a query is
 * answered, whatever it waits for. A query that works in its thread is ended by its `QueryLife`.
 */
export class QueryDeadlines {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #waits = new Set<Wait>();

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    clock.every(DEADLINE_SWEEP_MS, () => this.#sweep());
  }

  /**
   * Waits for `work`; throws `timed_out`, which names `what`, if the query's deadline comes first.
   * The work continues then, and its outcome is dropped.
   */
  async during<T>({ arrivedMs, isJob }: WaitingQuery, work: Promise<T>, what: string): Promise<T> {
    if (isJob) return work;
    const late = Promise.withResolvers<never>();
    const wait = { arrivedMs, end: () => late.reject(this.#timedOut(what)) };
    this.#waits.add(wait);
    try {
      return await Promise.race([work, late.promise]);
    } finally {
      this.#waits.delete(wait);
    }
  }

  #sweep(): void {
    const endedMs = this.#clock.monotonicMs() - this.#timeoutMs;
    for (const wait of this.#waits) if (wait.arrivedMs <= endedMs) wait.end();
  }

  #timedOut(what: string): DatabaseError {
    return new DatabaseError(
      "timed_out",
      `💔 the query took longer than ${this.#timeoutMs} ms (--query-timeout) and was ended: it ` +
        `waited for ${what}; retry later, or allow more time`,
    );
  }
}
