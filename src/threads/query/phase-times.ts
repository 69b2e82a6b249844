import { noPhases, QUERY_PHASES, type QueryPhases } from "../../model/request-stats.ts";

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
  #work: WorkPhase = "parse";
  #workBeganMs = 0;
  #wait: WaitPhase | undefined;
  #waitBeganMs = 0;

  /** `queuedMs`: what was over when the query's thread had it. */
  constructor(queuedMs: number, readings: PhaseReadings) {
    this.#ms.queue = queuedMs;
    this.#readings = readings;
  }

  /** Work from now on is of this phase. */
  begin(phase: WorkPhase): void {
    const workedMs = this.#readings.workedMs();
    this.#ms[this.#work] += workedMs - this.#workBeganMs;
    this.#work = phase;
    this.#workBeganMs = workedMs;
  }

  /** It waits from now on, until `endWait`. */
  beginWait(phase: WaitPhase): void {
    this.endWait();
    this.#wait = phase;
    this.#waitBeganMs = this.#readings.totalMs();
  }

  /** It waits no longer; nothing where it did not. */
  endWait(): void {
    if (this.#wait === undefined) return;
    this.#ms[this.#wait] += this.#readings.totalMs() - this.#waitBeganMs;
    this.#wait = undefined;
  }

  /** All phases up to now. */
  read(): QueryPhases {
    this.begin(this.#work);
    const wait = this.#wait;
    this.endWait();
    if (wait !== undefined) this.beginWait(wait);
    const known = QUERY_PHASES.reduce((sum, phase) => sum + this.#ms[phase], 0);
    return { ...this.#ms, wait: Math.max(0, this.#readings.totalMs() - known) };
  }
}
