/**
 * Decides which of several servers that write to one log yields to which: a deficit counter for
 * each other writer, as in round-robin scheduling with a quantum. Pure but for its own counts. A
 * wrong decision only costs time: the log's numbers decide what is committed.
 *
 * Two servers never wait for each other. A server waits only for writers whose last entry comes
 * before several of its own, so the waiting server whose last entry is the oldest waits for no
 * other.
 */

import type { WriterId } from "../../log/writer-id.ts";

/**
 * Commits that a server makes at most between two entries of a server that waits. So the slower of
 * two servers gets a fifth of the commits, whatever its latency.
 */
export const COMMITS_PER_TURN = 4;
/** Commits for each listing of wait marks by a server that writes alone: 3 % more requests. */
export const COMMITS_PER_LOOK_ALONE = 32;
/** Own commits for which a server that has met another one counts as not alone. */
const MEETING_COMMITS = 32;
/**
 * Time for which a server ignores the mark of a writer that did not use its turn: it died, or takes
 * longer than servers wait. So waits without result take at most a tenth of the time.
 */
export const IGNORED_MS = 30_000;
/** Writers that a server remembers; the last entry of a forgotten writer counts as old. */
const WRITERS_MAX = 64;

/** State of another writer. */
interface OtherWriter {
  /** Own commits when its last entry came. */
  readonly ownAtEntry: number;
  /** Time by the monotonic clock until which this server does not wait for the writer. */
  readonly ignoredUntilMs: number;
}

/** The history of one log as one server sees it. */
export class RaceHistory {
  /** Own commits. */
  #own = 0;
  #ownAtLook = 0;
  /** Own commits when another server was last met: by its entry, or by its mark. */
  #ownAtMeeting = Number.NEGATIVE_INFINITY;
  /** The most recently seen writer is last. */
  readonly #others = new Map<WriterId, OtherWriter>();

  /** True if another server has written or waited recently. */
  get isShared(): boolean {
    return this.#own - this.#ownAtMeeting < MEETING_COMMITS;
  }

  /** True if the wait marks are to be listed in parallel with the commit that begins. */
  get isLookDue(): boolean {
    const period = this.isShared ? COMMITS_PER_TURN : COMMITS_PER_LOOK_ALONE;
    return this.#own + 1 - this.#ownAtLook >= period;
  }

  /** Own commits since another server was last met. */
  get ownInARow(): number {
    return this.#own - this.#ownAtMeeting;
  }

  /** Records that a listing begins. */
  noteLook(): void {
    this.#ownAtLook = this.#own + 1;
  }

  /** Records that this server has committed an entry. */
  noteOwn(): void {
    this.#own++;
  }

  /** Records an entry of another server. */
  noteEntry(writer: WriterId): void {
    this.#ownAtMeeting = this.#own;
    this.#set(writer, { ownAtEntry: this.#own, ignoredUntilMs: Number.NEGATIVE_INFINITY });
  }

  /** Records that a writer did not use its turn. */
  noteVain(writer: WriterId, nowMs: number): void {
    const ownAtEntry = this.#others.get(writer)?.ownAtEntry ?? 0;
    this.#set(writer, { ownAtEntry, ignoredUntilMs: nowMs + IGNORED_MS });
  }

  /** Returns the waiting writers that this server has to let in before its next commit. */
  due(waiting: readonly WriterId[], nowMs: number): WriterId[] {
    if (waiting.length > 0) this.#ownAtMeeting = this.#own;
    return waiting.filter((writer) => {
      const { ownAtEntry = 0, ignoredUntilMs = nowMs } = this.#others.get(writer) ?? {};
      return ignoredUntilMs <= nowMs && this.#own - ownAtEntry >= COMMITS_PER_TURN;
    });
  }

  #set(writer: WriterId, other: OtherWriter): void {
    this.#others.delete(writer);
    this.#others.set(writer, other);
    for (const oldest of this.#others.keys()) {
      if (this.#others.size <= WRITERS_MAX) return;
      this.#others.delete(oldest);
    }
  }
}
