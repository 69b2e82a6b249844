/**
 * Decides which sliced work runs next: one slice for each turn of the event loop, so that new
 * messages wait for one slice at most, however many large requests there are.
 *
 * Flows get equal shares: start-time fair queueing (Goyal, Vin, Cheng, 1996), with one flow for
 * each namespace. A slice has the virtual time of its flow, which advances by what the flow uses;
 * the slice with the least time is next. The time of a flow never stays behind that of the last
 * slice. So a flow that has used less than its share, as small requests do, is next, but saves no
 * credit.
 */

import type { SliceUse } from "../../base/slices.ts";

/**
 * Milliseconds that new flows together may use, for each waiting flow, beyond the use of the
 * waiting flows: otherwise a stream of flows that each use one slice would keep all others waiting.
 */
const NEWCOMERS_MS_MAX = 10;
/** Longest use that one newcomer is charged, as a step may take longer than a slice. */
const NEWCOMER_MS_MAX = 1;
/**
 * Flows that are remembered; beyond that, flows that would begin at the same time as a new one are
 * forgotten.
 */
const FLOWS_MAX = 1024;

interface WaitingSlice {
  readonly flow: string | undefined;
  readonly time: number;
  readonly resume: () => void;
}

/** See the file's head. */
export class SliceTurns {
  readonly #nextTurn: () => Promise<void>;
  readonly #waiting: WaitingSlice[] = [];
  readonly #times = new Map<string | undefined, number>();
  /** The time of the slice that was last. */
  #time = 0;
  /** Runs with what flows have used before they were known, divided by the number of others. */
  #newcomersTime = 0;

  /** `nextTurn` resolves when messages that have arrived are handled. */
  constructor(nextTurn: () => Promise<void>) {
    this.#nextTurn = nextTurn;
  }

  /** Resolves when a flow has its next slice, after the one that it used. */
  wait({ flow, ms }: SliceUse): Promise<void> {
    const time = this.#timeOf(flow, ms);
    this.#times.set(flow, time);
    return new Promise((resume) => {
      this.#waiting.push({ flow, time, resume });
      if (this.#waiting.length === 1) void this.#takeTurns();
    });
  }

  #timeOf(flow: string | undefined, ms: number): number {
    const known = this.#times.get(flow);
    if (known !== undefined) return Math.max(this.#time, known + ms);
    const time = Math.max(this.#time, this.#newcomersTime - NEWCOMERS_MS_MAX);
    const used = Math.min(ms, NEWCOMER_MS_MAX) / Math.max(1, this.#waiting.length);
    this.#newcomersTime = Math.max(this.#time, this.#newcomersTime) + used;
    return time;
  }

  async #takeTurns(): Promise<void> {
    do {
      await this.#nextTurn();
      this.#resumeNext();
      // The slice itself begins, and may end, before the next turn.
    } while (this.#waiting.length > 0);
  }

  #resumeNext(): void {
    let next = 0;
    for (let i = 1; i < this.#waiting.length; i++) {
      if (this.#waiting[i].time <= this.#waiting[next].time) next = i;
    }
    const [{ time, resume }] = this.#waiting.splice(next, 1);
    this.#time = time;
    if (this.#times.size > FLOWS_MAX) this.#forget();
    resume();
  }

  /** Forgets flows that would begin at the same time if they were new. */
  #forget(): void {
    for (const [flow, time] of this.#times) if (time <= this.#time) this.#times.delete(flow);
  }
}
