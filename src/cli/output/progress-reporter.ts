/** How far long work is: a bar on a terminal, a line every few seconds elsewhere. */

import { countedText, countText, sizeText } from "../../base/amount-text.ts";
import type { Clock } from "../../base/clock.ts";
import { durationText } from "../../base/duration.ts";
import { RecentRate } from "./recent-rate.ts";
import { clippedText, printable } from "./table-text.ts";
import type { Terminal } from "./terminal.ts";

/** Between two pictures of a bar: eyes see no more. */
const BAR_INTERVAL_MS = 100;
/** Between two lines where nobody may look. */
const LINE_INTERVAL_MS = 5_000;
const BAR_CHARS = 20;

/** What is under way. */
export interface ProgressStart {
  /** `exporting books`. */
  readonly label: string;
  /** The singular of what is counted; `byte` is shown as sizes. */
  readonly unit: string;
  /** Its plural, where that is more than an `s`. */
  readonly units?: string;
  /** How many there are, where that is known. */
  readonly total?: number | undefined;
  /** How many were done before, by a run that this one resumes. */
  readonly done?: number | undefined;
}

/** Work that is under way; `end` it in a `finally`. */
export interface ProgressTask {
  /** Adds to what is done. */
  advance(count: number): void;
  /** Takes the bar away; a second time it does nothing. */
  end(): void;
}

/** See the file's head. Nothing at all with `--quiet`. */
export class ProgressReporter {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #quiet: boolean;
  #task: RunningTask | undefined;

  constructor(terminal: Terminal, clock: Clock, quiet: boolean) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#quiet = quiet;
  }

  /** Begins to show a task; there is one at a time. */
  start(start: ProgressStart): ProgressTask {
    this.#task?.end();
    const show = (text: string) => this.#show(text);
    const end = () => {
      this.#show("");
      this.#task = undefined;
    };
    const isBar = this.#terminal.errIsTerminal;
    const task = new RunningTask(start, { clock: this.#clock, isBar, show, end });
    this.#task = task;
    return task;
  }

  /** Says that a request is sent again after a while, and why; the task says so until it goes on. */
  wait(what: string, waitMs: number, message: string): void {
    const reason = printable(message);
    this.#task?.wait({ what, reason, untilMs: this.#clock.monotonicMs() + waitMs });
    this.note(`${what} in ${(waitMs / 1000).toFixed(1)} s: ${reason}`);
  }

  /** Says something in between. */
  note(text: string): void {
    if (this.#quiet) return;
    const clear = this.#terminal.errIsTerminal ? CLEAR_LINE : "";
    this.#terminal.err(`${clear}${text}\n`);
    this.#task?.show();
  }

  #show(text: string): void {
    const { errIsTerminal, err, columns } = this.#terminal;
    if (this.#quiet) return;
    if (errIsTerminal) err(CLEAR_LINE + clippedText(text, columns - 1));
    else if (text !== "") err(`${text}\n`);
  }
}

/** To the start of the line, and empties it. */
const CLEAR_LINE = "\r\u001b[K";

interface TaskView {
  readonly clock: Clock;
  readonly isBar: boolean;
  readonly show: (text: string) => void;
  readonly end: () => void;
}

/** A request that is sent again. */
interface Wait {
  /** `trying again`. */
  readonly what: string;
  readonly reason: string;
  readonly untilMs: number;
}

class RunningTask implements ProgressTask {
  readonly #start: ProgressStart;
  readonly #view: TaskView;
  readonly #rate: RecentRate;
  readonly #stop: () => void;
  #done: number;
  #shownMs: number;
  #wait: Wait | undefined;
  #hasEnded = false;

  constructor(start: ProgressStart, view: TaskView) {
    this.#start = start;
    this.#view = view;
    this.#done = start.done ?? 0;
    this.#shownMs = view.clock.monotonicMs();
    this.#rate = new RecentRate({ ms: this.#shownMs, count: this.#done });
    this.#stop = view.clock.every(view.isBar ? 1_000 : LINE_INTERVAL_MS, () => this.show());
    if (view.isBar) this.show();
  }

  advance(count: number): void {
    this.#done += count;
    this.#wait = undefined;
    const { clock, isBar } = this.#view;
    const nowMs = clock.monotonicMs();
    this.#rate.note(nowMs, this.#done);
    if (isBar && nowMs - this.#shownMs >= BAR_INTERVAL_MS) this.show();
  }

  wait(wait: Wait): void {
    this.#wait = wait;
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stop();
    this.#view.end();
  }

  show(): void {
    const nowMs = this.#view.clock.monotonicMs();
    this.#shownMs = nowMs;
    const { label, total, unit, units } = this.#start;
    const rate = this.#rate.at(nowMs);
    const amount = (count: number) =>
      unit === "byte" ? sizeText(Math.round(count)) : countText(Math.round(count));
    const parts = [
      unit === "byte" ? amount(this.#done) : countedText(this.#done, unit, units),
      ...(total === undefined ? [] : [`of ${amount(total)}`]),
      `· ${amount(rate)}/s`,
      ...(this.#wait === undefined
        ? leftText(total === undefined ? undefined : total - this.#done, rate)
        : [waitText(this.#wait, nowMs)]),
    ];
    const bar = this.#view.isBar && total !== undefined ? `${barText(this.#done / total)} ` : "";
    this.#view.show(`${label} ${bar}${parts.join(" ")}`);
  }
}

function waitText({ what, reason, untilMs }: Wait, nowMs: number): string {
  const when = untilMs > nowMs ? ` in ${durationText(untilMs - nowMs)}` : "";
  return `· ${what}${when}: ${reason}`;
}

function leftText(left: number | undefined, rate: number): string[] {
  if (left === undefined || left <= 0 || rate <= 0) return [];
  return [`· ${durationText((left / rate) * 1000)} left`];
}

function barText(share: number): string {
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * BAR_CHARS);
  return `${"█".repeat(filled)}${"░".repeat(BAR_CHARS - filled)}`;
}
