/**
 * The own thread's side of a divided query. It offers the parts to threads that idle and takes
 * parts itself, and waits for nothing but parts that others have begun.
 */

import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { must } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { decodeFindings } from "../../query/executor/findings.ts";
import type {
  DividedPlan,
  Division,
  DivisionLimits,
  PartOutcome,
  PlanPart,
} from "../../query/operator/division.ts";
import type { PartMessage, PartsOffer } from "../thread-messages.ts";
import { PartBoard } from "./part-board.ts";

/**
 * A query waits for a part that another thread has taken for twice as long as its own parts took,
 * but no less than this and no more: then that thread was probably taken off its core, and the
 * query runs the part itself.
 */
const PART_WAIT_MS_MIN = 0.5;
const PART_WAIT_MS_MAX = 50;
/** For so long the thread sleeps at a time, before others may take their turn. */
const PART_SLEEP_MS_MAX = 1;
/** Threads that one query is helped by; more would wait for memory, and each costs a channel. */
export const HELPERS_MAX = 15;

/** What a division needs of its thread. */
export interface DivisionOptions {
  /** Absent: those that plans are usually divided by. */
  readonly limits?: DivisionLimits | undefined;
  /** Threads that idle. */
  idleCount(): number;
  monotonicMs(): number;
  /** Time that the query has worked. */
  workedMs(): number;
  /** Sends an offer to the main thread, at once. The ports move. */
  offer(offer: PartsOffer, ports: readonly MessagePort[]): void;
  /** Called with the statistics of each part that another thread has run. */
  ran(message: PartMessage): void;
}

/** Divides the plans of one query over the state that it sees. */
export class QueryDivision implements Division {
  readonly #state: Pick<PartsOffer, "instance" | "version">;
  readonly #options: DivisionOptions;

  constructor(state: Pick<PartsOffer, "instance" | "version">, options: DivisionOptions) {
    this.#state = state;
    this.#options = options;
  }

  get limits(): DivisionLimits | undefined {
    return this.#options.limits;
  }

  get helperCount(): number {
    return Math.min(this.#options.idleCount(), HELPERS_MAX);
  }

  workedMs(): number {
    return this.#options.workedMs();
  }

  *runParts(
    divided: DividedPlan,
    run: (part: PlanPart) => Steps<PartOutcome>,
  ): Steps<PartOutcome[]> {
    const { plan, snapshot, parts } = divided;
    const board = PartBoard.of(parts.length);
    const channels = Array.from({ length: this.helperCount }, () => new MessageChannel());
    const { instance, version } = this.#state;
    const segments = snapshot.segments.map(({ view }) => view.id);
    this.#options.offer(
      { instance, version, plan, segments, parts, board: board.buffer },
      channels.map(({ port2 }) => port2),
    );
    const own = new Map<number, PartOutcome>();
    try {
      yield* this.#takeParts(board, (part) => keepOutcome(own, part, run(parts[part])));
      const others = channels.flatMap(({ port1 }) => received(port1));
      for (const message of others) {
        const { part, data, work } = message;
        if (own.has(part)) continue;
        const findings = decodeFindings(plan, data);
        own.set(part, { findings, work });
        this.#options.ran(message);
      }
      return parts.map((_, index) => must(own.get(index), `part ${index} is done, but not here`));
    } finally {
      board.close();
      for (const { port1 } of channels) port1.close();
    }
  }

  /** Runs parts until all are done: those that others take too long for, too. */
  *#takeParts(board: PartBoard, run: (part: number) => Steps<void>): Steps<void> {
    let longestMs = PART_WAIT_MS_MIN;
    for (;;) {
      const seen = board.changes;
      let part = board.take();
      if (part === undefined) {
        part = board.firstUndone;
        if (part === undefined) return;
        if (yield* this.#hasChanged(board, seen, Math.min(2 * longestMs, PART_WAIT_MS_MAX))) {
          continue;
        }
      }
      const startMs = this.workedMs();
      yield* run(part);
      longestMs = Math.max(longestMs, this.workedMs() - startMs);
      board.finish(part);
    }
  }

  /** Waits until something has changed, for at most `msMax`. */
  *#hasChanged(board: PartBoard, seen: number, msMax: number): Steps<boolean> {
    const { monotonicMs } = this.#options;
    const endMs = monotonicMs() + msMax;
    for (let leftMs = msMax; leftMs > 0; leftMs = endMs - monotonicMs()) {
      if (board.waitForChange(seen, Math.min(leftMs, PART_SLEEP_MS_MAX))) return true;
      yield;
    }
    return false;
  }
}

function* keepOutcome(
  outcomes: Map<number, PartOutcome>,
  part: number,
  run: Steps<PartOutcome>,
): Steps<void> {
  outcomes.set(part, yield* run);
}

function received(port: MessagePort): PartMessage[] {
  const messages: PartMessage[] = [];
  for (;;) {
    const next = receiveMessageOnPort(port);
    if (next === undefined) return messages;
    messages.push(next.message);
  }
}
