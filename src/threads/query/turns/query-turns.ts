/**
 * Shares a thread among the queries that run on it. A query works in slices; between two of them
 * the thread hears its messages, and the next slice is that of whoever has had the least: first
 * among keys, then among namespaces, then among the queries of one, of which long ones that are
 * alike go one after the other. A short query waits for a slice or two, whatever else runs. Work in
 * the background has slices while no query has one to take; one that comes then begins at once.
 */

import type { Clock } from "../../../base/clock.ts";
import { runSlice, SLICE_US } from "../../../base/slices.ts";
import type { Steps } from "../../../base/steps.ts";
import { CallerTurns } from "./caller-turns.ts";
import type { QueryLife } from "./query-life.ts";

/** With steps that take longer than they should, a slice is below 5 ms. */
export const SLICE_MS = SLICE_US.query / 1000;
/** Milliseconds of work after which a query counts as long among those of its namespace. */
const LONG_QUERY_MS = 200;

/** What turns need of their thread. */
export interface TurnOptions {
  readonly clock: Clock;
  /** Resolves when messages that have arrived were heard. */
  nextTurn(): Promise<void>;
  /**
   * Queries end with `HandedOver` where a slice is not enough for all of their work, or where they
   * wait for others. Absent: they go on.
   */
  readonly handsOver?: boolean | undefined;
}

/** The thread has other things to do: another one is to run the query from its start. */
export class HandedOver extends Error {}

/** Totals since the start. */
export interface TurnStats {
  /** Slices of queries. */
  slices: number;
  /** The longest one, in milliseconds. */
  longestSliceMs: number;
  /** Milliseconds of all slices. */
  workedMs: number;
}

interface Job {
  readonly life: QueryLife;
  /** Runs steps until `isOver`; tells whether more follow. */
  readonly run: (isOver: () => boolean) => boolean;
}

/** See the file's head. */
export class QueryTurns {
  readonly stats: TurnStats = { slices: 0, longestSliceMs: 0, workedMs: 0 };
  readonly #options: TurnOptions;
  readonly #jobs = new CallerTurns<Job>(LONG_QUERY_MS, SLICE_MS);
  readonly #background = new Set<Job>();
  #isRunning = false;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Queries that are not waiting for anything but their turn. */
  get runnableCount(): number {
    return this.#background.size + this.#jobs.size;
  }

  /**
   * Runs steps to their end. When nobody else has a turn to take they begin at once. Rejects with
   * the reason when the query ends, after which no step is taken, and with `HandedOver`.
   */
  async run<T>(steps: Steps<T>, life: QueryLife): Promise<T> {
    if (life.reason !== undefined) throw life.reason;
    if (this.#isFreeFor(life)) {
      const done = this.#begin(steps, life);
      if (done !== undefined) return done.value;
      if (this.#options.handsOver) {
        steps.return(undefined as T);
        throw new HandedOver();
      }
      life.timeSteps();
    }
    return this.#queue(steps, life);
  }

  /** To be called before a query waits for a model. Throws `HandedOver`. */
  mayWait(): void {
    if (this.#options.handsOver) throw new HandedOver();
  }

  /** Nobody has a turn to take before it. */
  #isFreeFor({ isBackground }: QueryLife): boolean {
    return !this.#isRunning || (!isBackground && this.#jobs.size === 0);
  }

  /** The first slice, without a place in any queue; undefined if it was not enough. */
  #begin<T>(steps: Steps<T>, life: QueryLife): { readonly value: T } | undefined {
    const { clock, handsOver } = this.#options;
    const startMs = clock.monotonicMs();
    const sliceMs = handsOver ? SLICE_MS - life.workedMs : SLICE_MS;
    try {
      return life.work(() => runSlice(steps, () => clock.monotonicMs() - startMs >= sliceMs));
    } finally {
      this.#note(clock.monotonicMs() - startMs);
    }
  }

  #queue<T>(steps: Steps<T>, life: QueryLife): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let leave = (): void => {};
    const job: Job = {
      life,
      run: (isOver) => {
        try {
          const ended = runSlice(steps, isOver);
          if (ended === undefined) return true;
          resolve(ended.value);
        } catch (error) {
          reject(error);
        }
        leave();
        return false;
      },
    };
    leave = life.onEnd((reason) => {
      this.#remove(job);
      try {
        steps.return(undefined as T);
      } catch {
        // Nobody waits for what it has to say.
      }
      reject(reason);
    });
    this.#add(job);
    if (!this.#isRunning) void this.#takeTurns();
    return promise;
  }

  async #takeTurns(): Promise<void> {
    const { clock, nextTurn } = this.#options;
    this.#isRunning = true;
    do {
      await nextTurn();
      const endMs = clock.monotonicMs() + SLICE_MS;
      // Each turn has one slice at least, however late it is.
      for (let job = this.#next(); job !== undefined; job = this.#next()) {
        this.#runSlice(job, endMs);
        // What has ended answers before the next one begins.
        await undefined;
        if (clock.monotonicMs() >= endMs) break;
      }
    } while (this.runnableCount > 0);
    this.#isRunning = false;
  }

  #runSlice(job: Job, endMs: number): void {
    const { clock } = this.#options;
    const { life } = job;
    const startMs = clock.monotonicMs();
    const hasMore = life.work(() => job.run(() => clock.monotonicMs() >= endMs));
    const ms = clock.monotonicMs() - startMs;
    this.#note(ms);
    if (!life.isBackground) this.#jobs.charge(job, life.flow, ms);
    if (hasMore) life.checkTime();
    else this.#remove(job);
  }

  #note(ms: number): void {
    this.stats.slices++;
    this.stats.workedMs += ms;
    this.stats.longestSliceMs = Math.max(this.stats.longestSliceMs, ms);
  }

  #next(): Job | undefined {
    const [background] = this.#background;
    return this.#jobs.next() ?? background;
  }

  #add(job: Job): void {
    const { flow, isBackground, workedMs } = job.life;
    if (isBackground) this.#background.add(job);
    else this.#jobs.add(job, flow, workedMs);
  }

  #remove(job: Job): void {
    if (!this.#background.delete(job)) this.#jobs.remove(job, job.life.flow);
  }
}
