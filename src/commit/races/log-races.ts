/**
 * Fair and bounded races for the numbers of one log, where several servers write to it
 * (docs/adr/0067-fair-races.md). A server that keeps losing puts a wait mark. A server that wins
 * lists the marks now and then, and commits nothing until the waiting servers have had their turn.
 * The numbers alone decide what a log commits: marks that are lost, late or false only cost time.
 */

import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { WalEntry } from "../../log/wal-entry.ts";
import { type WriterId, writerOf } from "../../log/writer-id.ts";
import type { OpeningOptions } from "../../namespace/recovery/opening-options.ts";
import type { NamespaceGeneration } from "../../storage/object-keys.ts";
import { COMMITS_PER_TURN, RaceHistory } from "./race-history.ts";
import { WaitMarks } from "./wait-marks.ts";

/**
 * Longest time that a write waits for its turn among several servers before it is refused (429).
 */
export const RACE_WAIT_MS_MAX = 10_000;
/** Delay before a write that was refused may be retried. */
const RACE_RETRY_MS = 1_000;
/**
 * Races in a row that a server loses before it puts a wait mark. The first loss shows only that
 * another server has written since.
 */
const LOSSES_BEFORE_MARK = 2;
/**
 * Longest time that a server yields since the last waiting server had its turn: a few round trips
 * to a store 150 ms away. A server that died holds others up for no longer.
 */
export const YIELD_MS_MAX = 3_000;
/**
 * Pause between two reads for entries of the waiting servers: doubles from the minimum to the
 * maximum.
 */
const YIELD_REST_MS_MIN = 10;
const YIELD_REST_MS_MAX = 80;
/** Reads of the log for each listing of the wait marks. */
const YIELD_LOOKS_PER_LISTING = 4;
/**
 * Time that a mark stays when nothing is left to commit: clients that write in a loop send the next
 * write soon.
 */
const MARK_LINGER_MS = 200;

/** Counters of conflicts among servers that write to the same logs. */
export interface RaceStats {
  /** Times that an entry of another server came first, and requests were resolved again. */
  lost: number;
  /** Requests that waited for their turn, and the milliseconds of it together. */
  waited: number;
  waitMs: number;
  /** Waiting requests that were refused after the longest wait. */
  refused: number;
  /** Times that commits yielded to a waiting server, and the milliseconds of it together. */
  yielded: number;
  yieldMs: number;
}

/** A request that waits for its turn. */
interface RacingJob {
  readonly fail: (error: unknown) => void;
  /** When it came, by the monotonic clock. */
  readonly addedAtMs: number;
}

/** Options of `LogRaces`. */
export interface LogRacesOptions extends Pick<OpeningOptions, "clock" | "storeFor"> {
  readonly isExclusive: boolean;
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
  /** Waiting writers, listed in parallel with the last commit. */
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
   * Resolves when the next commit may be tried: the waiting servers have had their turn, and a
   * server that waits itself has read the log to its end. Takes `YIELD_MS_MAX` for each of them at
   * most.
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
      // The commit meets the same error and reports it.
    }
  }

  /** Lists the waiting writers in parallel with the commit that begins, if a listing is due. */
  noteBegin(): void {
    if (this.#options.isExclusive || !this.#history.isLookDue) return;
    this.#history.noteLook();
    this.#look = this.#marks.others();
    this.#look.catch(() => {}); // `beforeCommit` awaits the listing and handles its error.
  }

  /** Records that an entry of these jobs is committed. */
  noteWin(jobs: readonly RacingJob[]): void {
    this.#countWaits(jobs);
    this.#end();
    this.#history.noteOwn();
    if (this.#history.ownInARow >= COMMITS_PER_TURN) this.#marks.withdraw();
  }

  /** Records jobs that had nothing to commit and are answered. */
  noteIdle(jobs: readonly RacingJob[]): void {
    this.#countWaits(jobs);
    this.#end();
    this.#marks.withdraw(); // Others would wait for an entry.
  }

  /** Records that another server's entry came first. */
  noteLoss(): void {
    this.#stats.lost++;
    this.#lostInARow++;
    this.#sinceMs ??= this.#clock.monotonicMs();
    if (this.#lostInARow >= LOSSES_BEFORE_MARK && !this.#isClosed) this.#marks.put();
  }

  /** Records that an entry of another server was applied. */
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
  refuse(jobs: readonly RacingJob[]): void {
    this.#countWaits(jobs);
    this.#stats.refused += jobs.length;
    for (const { fail } of jobs) fail(this.#overdue());
  }

  /** Records that nothing is left to commit. Removes the own mark unless new jobs come soon. */
  rest(): void {
    this.#isResting = true;
    this.#end();
    if (this.#marks.isPut && !this.#isLingering) void this.#linger();
  }

  /** Ends all commits: removes the own mark and puts none again. */
  close(): void {
    this.#isClosed = true;
    this.#marks.withdraw();
  }

  /** Removes the own mark until the next lost race; resolves when it is gone, or a try has failed. */
  async leave(): Promise<void> {
    this.#marks.withdraw();
    await this.#marks.settle();
  }

  /** Yields to the writers that have waited long enough. */
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

  /** Ignores writers whose turn was waited for without result, and removes their marks. */
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

  #countWaits(jobs: readonly RacingJob[]): void {
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
