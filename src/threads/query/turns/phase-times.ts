import { noPhases, QUERY_PHASES, type QueryPhases } from "../../../model/request-stats.ts";
import type { SpanRecorder } from "../../../trace/span-recorder.ts";

/** Phases in which a query works. */
export type WorkPhase = "parse" | "plan" | "search" | "serialize";
/** Phases in which it waits for something that it has asked for. */
export type WaitPhase = "embed" | "read" | "rerank";

/** Readings that times are taken from, in milliseconds. */
export interface PhaseReadings {
  /** Since the first byte of the request. */
  totalMs(): number;
  /** Of work. */
  workedMs(): number;
}

/** Where the time of one query goes: a look at the clock for each change of phase. */
export class PhaseTimes {
  readonly #readings: PhaseReadings;
  readonly #ms = noPhases();
  readonly #recorder: SpanRecorder | undefined;
  #work: WorkPhase = "parse";
  #workBeganMs = 0;
  #wait: WaitPhase | undefined;
  #waitBeganMs = 0;

  /** `queuedMs`: what was over when the query's thread had it. `recorder`: of traced queries. */
  constructor(queuedMs: number, readings: PhaseReadings, recorder?: SpanRecorder) {
    this.#ms.queue = queuedMs;
    this.#readings = readings;
    this.#recorder = recorder;
    recorder?.begin("queue");
    recorder?.enter("parse");
  }

  /** Work from now on is of this phase. */
  begin(phase: WorkPhase): void {
    this.#settle();
    this.#work = phase;
    this.#recorder?.enter(phase);
  }

  /** It waits for its turn, until its next work begins. */
  beginTurn(): void {
    this.#recorder?.enter(undefined);
  }

  /** It waits from now on, until `endWait`. */
  beginWait(phase: WaitPhase): void {
    this.endWait();
    this.#recorder?.enter(phase);
    this.#wait = phase;
    this.#waitBeganMs = this.#readings.totalMs();
  }

  /** It waits no longer; nothing where it did not. */
  endWait(): void {
    if (this.#wait === undefined) return;
    this.#recorder?.enter(undefined);
    this.#settle();
    this.#wait = undefined;
  }

  /** All phases up to now. */
  read(): QueryPhases {
    this.#settle();
    const known = QUERY_PHASES.reduce((sum, phase) => sum + this.#ms[phase], 0);
    return { ...this.#ms, wait: Math.max(0, this.#readings.totalMs() - known) };
  }

  /** Counts what has passed of the phases that it is in. */
  #settle(): void {
    const workedMs = this.#readings.workedMs();
    this.#ms[this.#work] += workedMs - this.#workBeganMs;
    this.#workBeganMs = workedMs;
    if (this.#wait === undefined) return;
    const totalMs = this.#readings.totalMs();
    this.#ms[this.#wait] += totalMs - this.#waitBeganMs;
    this.#waitBeganMs = totalMs;
  }
}
