/**
 * The only thing that moves in a simulation. Everything that would take time, or that the machine
 * would order by chance, is an event here; events happen one at a time, by a time and an order that
 * the seed decides, and the next one only when nothing is left to do for the one before.
 */

import { crc32 } from "node:zlib";
import { type Random, seededRandom } from "../../src/base/random.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** Something that is going to happen. */
interface Event {
  readonly atMs: number;
  /** Decides between events of one time; drawn by chance. */
  readonly order: number;
  readonly label: string;
  /** Whose it is: nothing of a process happens after its end, or while it is paused. */
  readonly process: SimulatedProcess | undefined;
  readonly action: () => void;
}

/** Events that happen at most; a run that needs more does not come to an end. */
const EVENTS_MAX = 400_000;

/** One simulated cluster's time and order. */
export class Scheduler {
  /** The seed's chance, for all that is drawn. */
  readonly random: Random;
  /** What happened, for people; kept only if asked for. */
  readonly trace: string[] | undefined;
  #nowMs = 0;
  #events = 0;
  #hash = 0;
  /** Descending, so that the next one is the last. */
  readonly #waiting: Event[] = [];

  constructor(seed: number, keepsTrace: boolean) {
    this.random = seededRandom(seed);
    this.trace = keepsTrace ? [] : undefined;
  }

  /** True time, which no process knows. Milliseconds since the start of the run. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Number of the event that is happening, from 1; orders everything that is recorded. */
  get eventCount(): number {
    return this.#events;
  }

  /** Stands for everything that has happened and in which order. */
  get hash(): number {
    return this.#hash;
  }

  /** Has an action happen `delayMs` from now. */
  after(
    delayMs: number,
    label: string,
    action: () => void,
    process: SimulatedProcess | undefined = undefined,
  ): void {
    const atMs = this.#nowMs + Math.max(0, delayMs);
    this.#insert({ atMs, order: this.random.next(), label, process, action });
  }

  /** Resolves `ms` from now. */
  sleep(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => this.after(ms, label, resolve));
  }

  /** Lets things happen until `isOver`, or until nothing is left to happen. */
  async run(isOver: () => boolean): Promise<void> {
    await idle();
    while (!isOver()) {
      const event = this.#waiting.pop();
      if (event === undefined)
        throw new Error("the cluster stands still: nothing is left to happen");
      if (!this.#happen(event)) continue;
      await idle();
    }
  }

  /** Notes that something was decided or done. */
  note(text: string): void {
    this.#hash = crc32(text, this.#hash);
    this.trace?.push(`${this.#events} ${this.#nowMs.toFixed(3)} ${text}`);
  }

  /** Tells whether the event happened. */
  #happen(event: Event): boolean {
    const { process, atMs, label, action } = event;
    if (process?.hasEnded) return false;
    this.#nowMs = Math.max(this.#nowMs, atMs);
    if (process !== undefined && process.pausedUntilMs > this.#nowMs) {
      this.#insert({ ...event, atMs: process.pausedUntilMs });
      return false;
    }
    if (++this.#events > EVENTS_MAX) throw new Error(`no end after ${EVENTS_MAX} events`);
    this.note(`${process?.name ?? "store"} ${label}`);
    action();
    return true;
  }

  #insert(event: Event): void {
    const { atMs, order } = event;
    let low = 0;
    let high = this.#waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#waiting[middle];
      const isLater = other.atMs > atMs || (other.atMs === atMs && other.order > order);
      if (isLater) low = middle + 1;
      else high = middle;
    }
    this.#waiting.splice(low, 0, event);
  }
}

/**
 * Resolves when all that the last event set off is done. Everything in a run waits for events
 * or for promises of each other; a turn of the event loop comes after all of those.
 */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
