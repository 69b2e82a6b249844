/**
 * Brings one open namespace up to what other servers have written: looks at the end of the log and
 * has what is found applied, entry after entry.
 */

import { isDatabaseError } from "../../base/errors.ts";
import type { SequenceNumber } from "../../base/ids.ts";
import type { ReadWalEntry } from "../../log/wal-reader.ts";
import type { LogLoss, NamespaceLog } from "../opened/namespace-log.ts";

/** The outcome of a catch-up. */
export type CatchUp =
  /** Every entry up to `sequence` is applied; none after it was committed before the call. */
  | { readonly kind: "done"; readonly sequence: SequenceNumber }
  /**
   * The log cannot be followed, and the next opening reads the store. "damaged": an entry cannot be
   * read; unless the opening can read it, its error names the entry and the reason.
   */
  | { readonly kind: "lost"; readonly reason: LogLoss | "damaged" };

/**
 * Applies an entry that another server wrote, or leaves alone what is applied already; resolves
 * when queries see it. False: the instance is retired.
 */
export type ApplyEntry = (read: ReadWalEntry) => Promise<boolean>;

/** Catch-ups of one namespace. */
export class LogFollower {
  readonly #log: NamespaceLog;
  readonly #apply: ApplyEntry;
  #running: Promise<CatchUp> | undefined;
  #next: Promise<CatchUp> | undefined;

  constructor(log: NamespaceLog, apply: ApplyEntry) {
    this.#log = log;
    this.#apply = apply;
  }

  /** A catch-up is under way. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Follows the log to its end as of the call: what is committed later is not waited for. Calls
   * that come during a catch-up, whose looks may have been too early for them, share the next one.
   * Throws what applying fails with, and `unavailable` where the store does not answer.
   */
  catchUp(): Promise<CatchUp> {
    if (this.#running === undefined) {
      this.#running = this.readOn(this.#apply).finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.catchUp();
      });
    return this.#next;
  }

  /**
   * The same by itself, and with another way to apply an entry. It takes one round of requests
   * where nothing is new, else two, and those in which more than one entry are read.
   */
  async readOn(apply: ApplyEntry): Promise<CatchUp> {
    const log = this.#log;
    try {
      const seen = await log.look();
      if (seen.kind === "lost") return { kind: "lost", reason: seen.loss };
      if (seen.kind === "end") return { kind: "done", sequence: seen.sequence };
      let { sequence } = seen.read.entry;
      for await (const read of log.entriesFrom(seen.read)) {
        if (await log.mayBeCollected()) return { kind: "lost", reason: "collected" };
        sequence = read.entry.sequence;
        if (!(await apply(read))) break;
      }
      if (await log.mayBeCollected()) return { kind: "lost", reason: "collected" };
      return { kind: "done", sequence };
    } catch (error) {
      if (!isDatabaseError(error, "corrupt", "too_new", "too_old")) throw error;
      // What is collected while it is read looks like a gap.
      const isCollected = await log.mayBeCollected().catch(() => false);
      return { kind: "lost", reason: isCollected ? "collected" : "damaged" };
    }
  }
}
