/**
 * Fair and bounded races for the numbers of one log, where several servers write to it
 * (docs/adr/0067-fair-races.md). A server that keeps losing puts a wait mark. A server that wins
 * looks for marks now and then, and commits nothing until those who wait have had their turn. What
 * a log commits is decided by its numbers alone: marks that are lost, late or false cost time.
 */

import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { WalEntry } from "../../log/wal-entry.ts";
import { type WriterId, writerOf } from "../../log/writer-id.ts";
import type { NamespaceGeneration } from "../../storage/object-keys.ts";
import type { QueuedJob } from "../job-queue.ts";
import type { NamespaceOptions, RaceStats } from "../namespace-options.ts";
import { COMMITS_PER_TURN, RaceHistory } from "./race-history.ts";
import { WaitMarks } from "./wait-marks.ts";

/** How long a write waits for its turn among several servers before it is refused (429). */
export const RACE_WAIT_MS_MAX = 10_000;
/** When a write that was refused so may try again. */
const RACE_RETRY_MS = 1_000;
/**
 * Races in a row that a server loses before it says that it waits. The first one shows only that
 * another server has written since.
 */
const LOSSES_BEFORE_MARK = 2;
/**
 * How long a server lets another one that waits have its turn, at most, since it has last seen one
 * come: a few rounds of a store 150 ms away. No server that died holds others up for longer.
 */
export const YIELD_MS_MAX = 3_000;
/** Rest between two looks for the entries of those who wait: doubles from the first to the last. */
const YIELD_REST_MS_MIN = 10;
const YIELD_REST_MS_MAX = 80;
/** Looks for their entries for each look whether they still wait. */
const YIELD_LOOKS_PER_LISTING = 4;
/** How long a mark stays when nothing is left to commit: clients answer acknowledged writes by others. */
const MARK_LINGER_MS = 200;

/** What the races for one log need. */
export interface LogRacesOptions
  extends Pick<NamespaceOptions, "clock" | "isExclusive" | "storeFor"> {
  readonly generation: NamespaceGeneration;
  readonly writer: WriterId;
  readonly stats: RaceStats;
  /** Applies what others have committed. False: the log cannot be followed. */
  follow(): Promise<boolean>;
}

/** One server's part in the races for one log. */
export class LogRaces {
  readonly #options: LogRacesOptions;
  readonly #clock: Clock;
  readonly #stats: RaceStats;
  readonly #marks: WaitMarks;
  readonly #history = new RaceHistory();
  /** Who waits, asked for beside the last commit. */
  #look: Promise<readonly WriterId[]> | undefined;
  /** Races that were lost since one was won. */
  #lostInARow = 0;
  /** Since when others have come first, or were let in; undefined: nothing waits for that. */
  #sinceMs: number | undefined;
  /** Commits tried. */
  #tried = 0;
  #isResting = true;
  #isLingering = false;
  #isClosed = false;

  constructor(options: LogRacesOptions) {
    const { generation, writer } = options;
    this.#options = options;
    this.#clock = options.clock;
    this.#stats = options.stats;
    const store = options.storeFor(undefined);
    this.#marks = new WaitMarks({ store, generation, writer });
  }

  /** Races that were lost since one was won. */
  get lostInARow(): number {
    return this.#lostInARow;
  }

  /**
   * Resolves when the next commit may be tried: those who wait have had their turn, and a server
   * that waits itself has read the log to its end. Takes `YIELD_MS_MAX` for each of them at most.
   */
  async beforeCommit(): Promise<void> {
    this.#tried++;
    this.#isResting = false;
    const look = this.#look;
    this.#look = undefined;
    try {
      const waiting = await look;
      if (waiting !== undefined) await this.#letIn(waiting);
      // After a lost race the log was read to its end already.
      if (this.#marks.isPut && this.#lostInARow === 0) await this.#options.follow();
    } catch {
      // The commit meets the same trouble, and answers for it.
    }
  }

  /** Asks who waits, where it is time, beside the commit that begins now. */
  noteBegin(): void {
    if (this.#options.isExclusive || !this.#history.isLookDue) return;
    this.#history.noteLook();
    this.#look = this.#marks.others();
    this.#look.catch(() => {}); // It is thrown where it is waited for.
  }

  /** An entry of these jobs is committed. */
  noteWin(jobs: readonly QueuedJob[]): void {
    this.#countWaits(jobs);
    this.#end();
    this.#history.noteOwn();
    if (this.#history.ownInARow >= COMMITS_PER_TURN) this.#marks.withdraw();
  }

  /** These jobs had nothing to commit, and are answered. */
  noteIdle(jobs: readonly QueuedJob[]): void {
    this.#countWaits(jobs);
    this.#end();
    this.#marks.withdraw(); // Others would wait for an entry.
  }

  /** Another server's entry came first. */
  noteLoss(): void {
    this.#stats.lost++;
    this.#lostInARow++;
    this.#sinceMs ??= this.#clock.monotonicMs();
    if (this.#lostInARow >= LOSSES_BEFORE_MARK && !this.#isClosed) this.#marks.put();
  }

  /** An entry of another server was applied. */
  noteEntry(entry: WalEntry): void {
    const writer = writerOf(entry);
    // An append in doubt shows up like another server's entry.
    if (writer !== this.#options.writer) this.#history.noteEntry(writer);
  }

  /** Jobs that came up to this time have waited for too long; undefined: none has. */
  get overdueMs(): number | undefined {
    const overdueMs = this.#clock.monotonicMs() - RACE_WAIT_MS_MAX;
    return this.#sinceMs !== undefined && this.#sinceMs <= overdueMs ? overdueMs : undefined;
  }

  /** Refuses jobs that have waited for too long; nothing of them is in the log. */
  refuse(jobs: readonly QueuedJob[]): void {
    this.#countWaits(jobs);
    this.#stats.refused += jobs.length;
    for (const { fail } of jobs) fail(this.#overdue());
  }

  /** Nothing is left to commit; the own mark goes unless there is something again soon. */
  rest(): void {
    this.#isResting = true;
    this.#end();
    if (this.#marks.isPut && !this.#isLingering) void this.#linger();
  }

  /** Nothing will be committed any more. */
  close(): void {
    this.#isClosed = true;
    this.#marks.withdraw();
  }

  /** Removes the own mark until the next lost race; resolves when it is gone, or a try has failed. */
  async leave(): Promise<void> {
    this.#marks.withdraw();
    await this.#marks.settle();
  }

  /** Lets those in who have waited for long enough. */
  async #letIn(waiting: readonly WriterId[]): Promise<void> {
    const clock = this.#clock;
    let due = this.#history.due(waiting, clock.monotonicMs());
    if (due.length === 0) return;
    const sinceMs = clock.monotonicMs();
    this.#sinceMs ??= sinceMs;
    this.#stats.yielded++;
    try {
      let progressMs = sinceMs;
      let restMs = YIELD_REST_MS_MIN;
      for (let looks = 0; ; looks++) {
        const isListing = looks % YIELD_LOOKS_PER_LISTING === 0;
        const listing = isListing ? this.#marks.others() : due;
        const [waits, isOpen] = await Promise.all([listing, this.#options.follow()]);
        const nowMs = clock.monotonicMs();
        const left = isOpen ? this.#history.due(waits, nowMs) : [];
        if (left.length < due.length) progressMs = nowMs;
        due = left;
        if (due.length === 0) return;
        if (nowMs - progressMs >= YIELD_MS_MAX) return this.#forgo(due);
        await clock.sleep(restMs);
        restMs = Math.min(2 * restMs, YIELD_REST_MS_MAX);
      }
    } finally {
      this.#stats.yieldMs += clock.monotonicMs() - sinceMs;
    }
  }

  /** Waits for these no longer. */
  #forgo(writers: readonly WriterId[]): void {
    for (const writer of writers) {
      this.#history.noteVain(writer, this.#clock.monotonicMs());
      this.#marks.remove(writer).catch(() => {}); // Others, or a collector, remove it.
    }
  }

  async #linger(): Promise<void> {
    this.#isLingering = true;
    let tried: number;
    do {
      tried = this.#tried;
      await this.#clock.sleep(MARK_LINGER_MS);
    } while (this.#isResting && tried !== this.#tried);
    this.#isLingering = false;
    if (this.#isResting) this.#marks.withdraw();
  }

  #end(): void {
    this.#lostInARow = 0;
    this.#sinceMs = undefined;
  }

  #countWaits(jobs: readonly QueuedJob[]): void {
    const sinceMs = this.#sinceMs;
    if (sinceMs === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    for (const { addedAtMs } of jobs) this.#stats.waitMs += nowMs - Math.max(sinceMs, addedAtMs);
    this.#stats.waited += jobs.length;
  }

  #overdue(): DatabaseError {
    const { name } = this.#options.generation;
    const seconds = RACE_WAIT_MS_MAX / 1000;
    return new DatabaseError(
      "overloaded",
      `💔 entries of other servers came first for ${seconds} seconds in namespace '${name}': ` +
        "nothing was written; retry, or send all writes to one namespace to the same server",
      { retryAfterMs: RACE_RETRY_MS },
    );
  }
}
