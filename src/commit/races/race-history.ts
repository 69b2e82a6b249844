/**
 * Decides who of several servers that write to one log lets whom in: a deficit counter for each
 * other writer, as in round-robin scheduling with a quantum. Pure but for its own counts. All of it
 * is politeness: a wrong decision costs time, and the log's numbers decide what is committed.
 *
 * Two servers never wait for each other. A server waits only for writers whose last entry comes
 * before several of its own, so of all waiting servers the one whose last entry is the oldest waits
 * for none.
 */

import type { WriterId } from "../../log/writer-id.ts";

/**
 * Commits that a server makes at most between two entries of a server that waits. So the slower of
 * two servers gets a fifth of the commits, whatever its latency.
 */
export const COMMITS_PER_TURN = 4;
/** Commits for each look at wait marks of a server that writes alone: 3 % more requests. */
export const COMMITS_PER_LOOK_ALONE = 32;
/** Own commits for which a server that has met another one counts as not alone. */
const MEETING_COMMITS = 32;
/**
 * How long a server ignores the mark of a writer for which it has waited in vain: it died, or takes
 * longer than servers wait. So waits in vain take a tenth of the time at most.
 */
export const IGNORED_MS = 30_000;
/** Writers that a server remembers; of the one that it forgets it takes the last entry as old. */
const WRITERS_MAX = 64;

/** What is known of another writer. */
interface OtherWriter {
  /** Own commits when its last entry came. */
  readonly ownAtEntry: number;
  /** Until then, by the monotonic clock, nobody waits for it. */
  readonly ignoredUntilMs: number;
}

/** What one server has seen of one log. */
export class RaceHistory {
  /** Own commits. */
  #own = 0;
  #ownAtLook = 0;
  /** Own commits when another server was last met: by its entry, or by its mark. */
  #ownAtMeeting = Number.NEGATIVE_INFINITY;
  /** The one that was heard of last comes last. */
  readonly #others = new Map<WriterId, OtherWriter>();

  /** Another server has written, or waited, lately. */
  get isShared(): boolean {
    return this.#own - this.#ownAtMeeting < MEETING_COMMITS;
  }

  /** Whether to look for wait marks beside the commit that begins. */
  get isLookDue(): boolean {
    const period = this.isShared ? COMMITS_PER_TURN : COMMITS_PER_LOOK_ALONE;
    return this.#own + 1 - this.#ownAtLook >= period;
  }

  /** Own commits since another server was last met. */
  get ownInARow(): number {
    return this.#own - this.#ownAtMeeting;
  }

  /** A look begins. */
  noteLook(): void {
    this.#ownAtLook = this.#own + 1;
  }

  /** This server has committed an entry. */
  noteOwn(): void {
    this.#own++;
  }

  /** An entry of another server has come. */
  noteEntry(writer: WriterId): void {
    this.#ownAtMeeting = this.#own;
    this.#set(writer, { ownAtEntry: this.#own, ignoredUntilMs: Number.NEGATIVE_INFINITY });
  }

  /** This server has waited for a writer in vain. */
  noteVain(writer: WriterId, nowMs: number): void {
    const ownAtEntry = this.#others.get(writer)?.ownAtEntry ?? 0;
    this.#set(writer, { ownAtEntry, ignoredUntilMs: nowMs + IGNORED_MS });
  }

  /** Those among the writers that wait which this server has to let in before its next commit. */
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
