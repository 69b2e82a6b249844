/**
 * One query of a thread from its arrival to its end: how long it has worked and at what, and
 * whether anybody still waits for it.
 */

import { clip } from "../../../base/bounded-text.ts";
import type { Clock } from "../../../base/clock.ts";
import { DatabaseError } from "../../../base/errors.ts";
import type { QueryPhases, QueryStep } from "../../../model/request-stats.ts";
import type { QueryMemory } from "../../../query/operator/query-memory.ts";
import { SpanRecorder } from "../../../trace/span-recorder.ts";
import type { QueryFlow } from "./caller-turns.ts";
import { PhaseTimes, type WaitPhase } from "./phase-times.ts";
import { QueryNotes } from "./query-details.ts";

/** What a query does that has not been told otherwise. */
const FIRST_STEP = (): string => "reading the request";
/** Characters of a step's name in an error. */
const STEP_CHARACTERS_MAX = 200;

/** What a query's life goes by. */
export interface LifeOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Milliseconds of them that are over. */
  readonly waitedMs: number;
  readonly memory: QueryMemory;
  /** What it is at is recorded. */
  readonly isTraced?: boolean;
  /** It works while nobody else has a turn to take. Absent: it takes turns with others. */
  readonly isBackground?: boolean;
}

/** See the file's head. */
export class QueryLife {
  readonly flow: QueryFlow;
  readonly isBackground: boolean;
  /** Released by whoever made it. */
  readonly memory: QueryMemory;
  readonly times: PhaseTimes;
  /** Undefined where it is not traced. */
  readonly spans: SpanRecorder | undefined;
  readonly notes = new QueryNotes();
  readonly #clock: Clock;
  readonly #arrivedMs: number;
  readonly #timeoutMs: number;
  #listeners: Set<(reason: Error) => void> | undefined;
  #reason: Error | undefined;
  #abort: AbortController | undefined;
  #workedMs = 0;
  #sliceStartMs: number | undefined;
  #step: () => string = FIRST_STEP;
  #operator: string | undefined;
  #stepBeganMs = 0;
  #timesSteps: boolean;
  /** Worked milliseconds by step. */
  #steps: Map<() => string, number> | undefined;
  /** ... and by the kind of the operator, of steps that have one. */
  #operators: Map<string, number> | undefined;

  constructor(flow: QueryFlow, options: LifeOptions) {
    const { clock, timeoutMs, waitedMs, memory, isBackground = false, isTraced } = options;
    this.flow = flow;
    this.isBackground = isBackground;
    this.memory = memory;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#arrivedMs = clock.monotonicMs() - waitedMs;
    const readings = { totalMs: () => this.totalMs, workedMs: () => this.workedMs };
    this.#timesSteps = isTraced === true;
    this.spans = isTraced ? new SpanRecorder(readings.totalMs) : undefined;
    this.times = new PhaseTimes(waitedMs, readings, this.spans);
  }

  /** Milliseconds since the first byte of its request. */
  get totalMs(): number {
    return this.#clock.monotonicMs() - this.#arrivedMs;
  }

  /** Why nobody waits for it any more. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Milliseconds of work, without what others did in between. */
  get workedMs(): number {
    const start = this.#sliceStartMs;
    return this.#workedMs + (start === undefined ? 0 : this.#clock.monotonicMs() - start);
  }

  /** Aborted at the end, for what waits for others. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#reason !== undefined) this.#abort.abort(this.#reason);
    return this.#abort.signal;
  }

  /** Does work and counts its time; work does not nest. */
  work<T>(slice: () => T): T {
    this.#sliceStartMs = this.#clock.monotonicMs();
    try {
      return slice();
    } finally {
      this.#workedMs = this.workedMs;
      this.#sliceStartMs = undefined;
    }
  }

  /** What it does from now on, as an error may name it; `operator`: the kind of what does it. */
  enter(step: () => string, operator?: string): void {
    // A look at the clock for each step would cost most queries more than it tells.
    if (this.#timesSteps) this.#settleStep();
    this.#step = step;
    this.#operator = operator;
    this.spans?.enterPart(operator);
  }

  #settleStep(): void {
    const worked = this.workedMs;
    const ms = worked - this.#stepBeganMs;
    this.#stepBeganMs = worked;
    this.#steps ??= new Map<() => string, number>();
    this.#steps.set(this.#step, (this.#steps.get(this.#step) ?? 0) + ms);
    if (this.#operator === undefined) return;
    this.#operators ??= new Map<string, number>();
    this.#operators.set(this.#operator, (this.#operators.get(this.#operator) ?? 0) + ms);
  }

  /**
   * Its steps are timed from now on: its first slice is over, or somebody wants to know. Those of a
   * traced query are from the first on.
   */
  timeSteps(): void {
    this.#timesSteps = true;
  }

  /** What it has worked at since its steps are timed, the longest first, names cut. */
  get steps(): readonly QueryStep[] {
    this.#settleStep();
    // A step may have several parts of one name.
    const byName = new Map<string, number>();
    for (const [step, ms] of this.#steps ?? []) {
      const name = clip(step(), STEP_CHARACTERS_MAX);
      byName.set(name, (byName.get(name) ?? 0) + ms);
    }
    const steps = [...byName].map(([name, ms]) => ({ name, ms }));
    return steps.sort((a, b) => b.ms - a.ms);
  }

  /** The same by kinds of operators, in whole microseconds: no name here is the request's. */
  get operators(): Readonly<Record<string, number>> {
    this.#settleStep();
    const all = [...(this.#operators ?? [])];
    return Object.fromEntries(all.map(([name, ms]) => [name, Math.round(ms * 1000)]));
  }

  /** Where its time went so far. */
  get phases(): QueryPhases {
    return this.times.read();
  }

  /** What `work` gives, whose time counts for a phase. */
  async waitFor<T>(phase: WaitPhase, work: Promise<T>): Promise<T> {
    this.times.beginWait(phase);
    try {
      return await work;
    } finally {
      this.times.endWait();
    }
  }

  /** Ends it; only the first reason counts. */
  end(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#abort?.abort(reason);
    for (const listener of [...(this.#listeners ?? [])]) listener(reason);
  }

  /** Ends it if it has taken too long. */
  checkTime(): void {
    if (this.#reason === undefined && this.totalMs >= this.#timeoutMs) {
      this.end(this.#timedOut());
    }
  }

  /** Calls `listener` at the end, unless the returned function was called before. */
  onEnd(listener: (reason: Error) => void): () => void {
    if (this.#reason !== undefined) {
      listener(this.#reason);
      return () => {};
    }
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** What `work` gives, or rejects with the reason of the end as soon as it comes. */
  until<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = this.onEnd(reject);
      work.then(
        (value) => {
          leave();
          resolve(value);
        },
        (error) => {
          leave();
          reject(error);
        },
      );
    });
  }

  #timedOut(): DatabaseError {
    const worked = this.workedMs;
    this.timeSteps();
    const [{ name, ms }] = this.steps;
    return new DatabaseError(
      "timed_out",
      `💔 the query took longer than ${this.#timeoutMs} ms (--query-timeout) and was ended: it ` +
        `has worked for ${Math.round(worked)} ms, ${Math.round(ms)} ms of them at: ${name}; ` +
        "narrow it, or allow more time",
    );
  }
}
