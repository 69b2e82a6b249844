import type { Clock } from "../base/clock.ts";
import { EXIT } from "./commands/exit-codes.ts";

/** What the user's interruption ends; `exit` ends the process at once. */
export interface InterruptOptions {
  readonly clock: Clock;
  readonly exit: (code: number) => void;
}

/**
 * Listens to SIGINT and SIGTERM for a client command: the first aborts the signal, so that the
 * command ends in order; a second one ends the process at once.
 */
export function interruptSignal({ clock, exit }: InterruptOptions): AbortSignal {
  const interruption = new AbortController();
  let firstMs: number | undefined;
  const onSignal = () => {
    const nowMs = clock.monotonicMs();
    if (firstMs === undefined) {
      firstMs = nowMs;
      interruption.abort(new Error("interrupted"));
    } else if (nowMs - firstMs >= SIGNAL_REPEAT_MS) exit(EXIT.interrupted);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return interruption.signal;
}

/**
 * Signals that repeat sooner are one: a terminal's Ctrl-C reaches the program directly, and once
 * more through each launcher in between.
 */
export const SIGNAL_REPEAT_MS = 500;
