/**
 * The log of one open namespace: appends the entries of its commits, looks for those of others, and
 * counts those that no manifest covers yet.
 *
 * A number that was collected is absent, like one that was never used. So a writer that slept while
 * others wrote, indexed and collected could win an old number again, and one that follows the log
 * could take what such a writer has put for the entry that was there. Entries are collected a grace
 * period after a manifest covers them; whoever has known the end of the log for longer than a part
 * of that, by either of two clocks, asks for the newest manifest before it believes a number.
 */

import { DatabaseError, isDatabaseError } from "../../base/errors.ts";
import { type SequenceNumber, sequenceNumber } from "../../base/ids.ts";
import { type NewWalRecord, nextSequence, type WalEntry } from "../../log/wal-entry.ts";
import { type ReadWalEntry, WalReader } from "../../log/wal-reader.ts";
import { WalWriter } from "../../log/wal-writer.ts";
import { newWriterId, type WriterId } from "../../log/writer-id.ts";
import { ManifestStore } from "../../manifest/manifest-store.ts";
import { type ClockReading, longestSince, readClocks } from "../../namespace/clock-reading.ts";
import { keyOf, type NamespaceFacts } from "../../namespace/namespace-facts.ts";
import type { TailLog } from "../../namespace/recovery/tail-log.ts";
import { PutRefused } from "../../storage/create-object.ts";
import { deletedKey, dirtyKey, type NamespaceGeneration } from "../../storage/object-keys.ts";
import { ALWAYS } from "../../storage/object-store.ts";
import { isTransient } from "../../storage/retrying-object-store.ts";
import type { NamespaceOptions, OpenedNamespace } from "./namespace-options.ts";

/**
 * Time after which a server repeats an index hint that no manifest has followed: an indexer that
 * crashes loses the hints that it works on.
 */
export const INDEX_HINT_REPEAT_MS = 30_000;
/**
 * How long a writer believes that it knows the end of a log; after that it looks for a manifest
 * that has moved past it. Well under the grace period before entries are collected.
 */
export const LOG_END_KNOWN_MS_MAX = 60_000;

/** Why the log cannot be followed any further. */
export type LogLoss =
  /** The generation is marked as deleted: its log may be gone. */
  | "deleted"
  /** A manifest covers entries that this instance never saw, and they may be gone. */
  | "collected";

/** What became of an append. */
export type LogAppend =
  | { readonly kind: "written"; readonly entry: WalEntry }
  /** Another server wrote the entry of this number: it is to be followed first. */
  | { readonly kind: "conflict"; readonly read: ReadWalEntry }
  /**
   * The entry may be there. If it is, it shows up as one of another server; until then this
   * instance knows no less than before.
   */
  | { readonly kind: "open"; readonly error: unknown }
  | { readonly kind: "lost"; readonly loss: LogLoss; readonly error: unknown };

/** The end of the log as of some moment. */
export interface LogEnd {
  readonly at: ClockReading;
  /** The last entry that may have been committed before that moment, by whatever server. */
  readonly sequence: SequenceNumber;
}

/** The result of a check for entries after the end of the log. */
export type LogLook =
  /** No entry after `sequence` was committed before the check began. */
  | { readonly kind: "end"; readonly sequence: SequenceNumber }
  /** The next entry, which another server wrote. */
  | { readonly kind: "found"; readonly read: ReadWalEntry }
  | { readonly kind: "lost"; readonly loss: LogLoss };

/** One namespace's log. */
export class NamespaceLog {
  readonly #options: NamespaceOptions;
  readonly #generation: NamespaceGeneration;
  readonly #reader: WalReader;
  /** Entries that no manifest covers yet. */
  readonly tail: TailLog;
  /** The writer of all entries that this opening appends. */
  readonly writer: WriterId;
  #wal: WalWriter;
  /** The key that the writer encrypts with. */
  #key: string | undefined;
  /** Asked for at the last lost race: the deletion mark, which may be there without an entry. */
  #deletionMark: Promise<Uint8Array | undefined> | undefined;
  #known: LogEnd;
  /** Last time at which numbers after the end were known to be unused, not collected. */
  #unusedAt: ClockReading;
  /**
   * When indexers were told, by the monotonic clock, last and first since the newest manifest;
   * undefined: not since then.
   */
  #hintedAtMs: number | undefined;
  #waitingSinceMs: number | undefined;
  /** When the last entry came, or the log was opened, by the monotonic clock. */
  #lastEntryMs: number;
  /** When a manifest last covered entries, by the monotonic clock. */
  #foldedAtMs = Number.NEGATIVE_INFINITY;
  /** The last entry that queries see. */
  #end: SequenceNumber;
  /** Appends begun, and which of them was the last to win. */
  #begun = 0;
  #won = 0;
  #appending: Promise<unknown> = Promise.resolve();

  constructor(options: NamespaceOptions, { generation, facts, tail, knownAt }: OpenedNamespace) {
    this.#options = options;
    this.#generation = generation;
    this.tail = tail;
    this.writer = newWriterId(options.random);
    this.#reader = new WalReader(options.storeFor(undefined), generation, options);
    this.#wal = this.#writer(facts);
    this.#key = keyOf(facts);
    this.#end = facts.sequence;
    this.#known = { at: knownAt, sequence: facts.sequence };
    this.#unusedAt = knownAt;
    this.#lastEntryMs = options.clock.monotonicMs();
    this.#hint();
  }

  /**
   * Commits `records` as the next entry after `facts.before`, encrypted as `facts.after` says.
   * Where nobody else should write, everything but "written" is thrown.
   */
  append(
    records: readonly NewWalRecord[],
    facts: { readonly before: NamespaceFacts; readonly after: NamespaceFacts },
  ): Promise<LogAppend> {
    const appending = this.#append(records, facts);
    this.#appending = appending.catch(() => {});
    return appending;
  }

  async #append(
    records: readonly NewWalRecord[],
    { before, after }: { readonly before: NamespaceFacts; readonly after: NamespaceFacts },
  ): Promise<LogAppend> {
    const begun = ++this.#begun;
    if (keyOf(after) !== this.#key)
      this.#wal = this.#writer({ ...after, sequence: before.sequence });
    this.#key = keyOf(after);
    const begunAt = readClocks(this.#options.clock);
    let unusedAt = begunAt;
    try {
      const outcome = await this.#wal.append(records);
      if (outcome.kind === "conflict") {
        // Where no other process should write, a lost race is a fault, and the client receives it.
        if (this.#options.isExclusive) throw this.#taken(outcome.entry.sequence);
        this.#deletionMark = this.#options.storeFor(undefined).get(deletedKey(this.#generation));
        this.#deletionMark.catch(() => {}); // It is thrown by the next append, which waits for it.
        return { kind: "conflict", read: outcome };
      }
      const { entry, bytes } = outcome;
      const mark = await this.#deletionMark;
      this.#deletionMark = undefined;
      if (mark !== undefined) return this.#lost("deleted", entry.sequence);
      if (this.#hasSlept) {
        unusedAt = readClocks(this.#options.clock);
        const loss = await this.#checkFloor(entry);
        if (loss !== undefined) return this.#lost(loss, entry.sequence);
      }
      // When the append began, no entry had this number or a later one.
      this.#noteKnown({ at: begunAt, sequence: sequenceNumber(entry.sequence - 1) });
      this.#unusedAt = unusedAt;
      this.#won = begun;
      this.#noteEnd(entry.sequence, bytes);
      return { kind: "written", entry };
    } catch (error) {
      return this.#outcomeOf(error, before);
    }
  }

  /** An append that threw; its entry may be there. */
  #outcomeOf(thrown: unknown, before: NamespaceFacts): LogAppend {
    const error = asOpenOutcome(thrown);
    if (this.#options.isExclusive) throw error;
    if (isDatabaseError(thrown, "conflict")) return { kind: "lost", loss: "collected", error };
    if (!isTransient(thrown)) throw error;
    this.#wal = this.#writer({ ...before, sequence: before.sequence });
    this.#key = keyOf(before);
    return { kind: "open", error };
  }

  #lost(loss: LogLoss, sequence: number): LogAppend {
    const error = this.#taken(sequence);
    if (this.#options.isExclusive) throw error;
    return { kind: "lost", loss, error };
  }

  /** Queries see the next entry, which another server wrote. */
  follow({ sequence, bytes }: { readonly sequence: SequenceNumber; readonly bytes: number }): void {
    this.#wal.follow(sequence);
    this.#noteEnd(sequence, bytes);
  }

  #noteEnd(sequence: SequenceNumber, bytes: number): void {
    this.#end = sequenceNumber(sequence);
    this.tail.add(this.#end, bytes);
    this.#lastEntryMs = this.#options.clock.monotonicMs();
    this.#hint();
  }

  /**
   * Asks the store for the next entry, and for the deletion mark, which may be there without an
   * entry: two requests, side by side. Throws `corrupt` or `too_new` where the entry cannot be
   * read.
   *
   * An entry that is found may be one of this instance whose put has not been answered yet. Other
   * servers may have shown it to their clients, so the look waits for the put's outcome and asks
   * for the number after it, at most once: the next append began after the look, and if it commits
   * a number, that number was free when the look began.
   */
  async look(): Promise<LogLook> {
    const begun = this.#begun;
    const store = this.#options.storeFor(undefined);
    for (let isFirst = true; ; isFirst = false) {
      const end = this.#end;
      const asked = readClocks(this.#options.clock);
      const [read, mark] = await Promise.all([
        this.#reader.read(nextSequence(end)),
        store.get(deletedKey(this.#generation)),
      ]);
      if (mark !== undefined) return { kind: "lost", loss: "deleted" };
      if (read === undefined) {
        // An absent number may be a collected one.
        if (await this.mayBeCollected()) return { kind: "lost", loss: "collected" };
        this.#noteKnown({ at: asked, sequence: end });
        return { kind: "end", sequence: end };
      }
      await this.#appending;
      if (this.#won > begun) return { kind: "end", sequence: this.#known.sequence };
      const isFollowed = this.#end > end;
      if (!isFollowed || !isFirst) return { kind: "found", read };
    }
  }

  /**
   * Yields an entry that a check has found and the entries after it, up to the end of the log that
   * one listing shows; later commits are not waited for. Entries are fetched ahead within the
   * reader's bounds.
   */
  async *entriesFrom(found: ReadWalEntry): AsyncGenerator<ReadWalEntry> {
    yield found;
    const at = readClocks(this.#options.clock);
    let { sequence } = found.entry;
    for await (const read of this.#reader.entriesAfter(sequence)) {
      yield read;
      sequence = read.entry.sequence;
    }
    if (!this.#hasSlept) this.#noteKnown({ at, sequence: sequenceNumber(sequence) });
  }

  /**
   * Tells whether what was just read, or found absent, behind the end may have been collected: a
   * manifest covers it, and this instance has not looked for long.
   */
  async mayBeCollected(): Promise<boolean> {
    if (!this.#hasSlept) return false;
    const asked = readClocks(this.#options.clock);
    // The end as it is then: what has come meanwhile is known, and may have been indexed.
    if ((await this.#newestCovered()) > this.#end) return true;
    this.#unusedAt = asked;
    return false;
  }

  /** Tells whether the generation is marked as deleted: what it had in the store may be gone. */
  async isDeleted(): Promise<boolean> {
    const mark = await this.#options.storeFor(undefined).get(deletedKey(this.#generation));
    return mark !== undefined;
  }

  /** The newest end of the log that is known for certain. */
  get known(): LogEnd {
    return this.#known;
  }

  /** Milliseconds since the known end of the log was the end. */
  get endKnownMs(): number {
    return longestSince(this.#options.clock, this.#known.at);
  }

  #noteKnown(known: LogEnd): void {
    if (known.sequence < this.#known.sequence) return; // An append has moved the known end on.
    this.#known = known;
    this.#unusedAt = known.at;
  }

  /** How long it has been without a new entry, and since a manifest covered some. */
  get since(): { readonly quietMs: number; readonly foldedMs: number } {
    const nowMs = this.#options.clock.monotonicMs();
    return { quietMs: nowMs - this.#lastEntryMs, foldedMs: nowMs - this.#foldedAtMs };
  }

  /** How long a newer manifest has been expected; undefined: indexers were told of nothing. */
  get waitingMs(): number | undefined {
    if (this.#waitingSinceMs === undefined) return undefined;
    return this.#options.clock.monotonicMs() - this.#waitingSinceMs;
  }

  /** A manifest covers the entries up to `sequence`. */
  forget(sequence: SequenceNumber): void {
    const { count } = this.tail;
    this.tail.forget(sequence);
    if (this.tail.count < count) this.#foldedAtMs = this.#options.clock.monotonicMs();
    this.#hintedAtMs = undefined;
    this.#waitingSinceMs = undefined;
    this.#hint();
  }

  /** Tells indexers of a long log, once for each manifest. */
  #hint(): void {
    const { indexTailBytes, indexTailEntries } = this.#options.thresholds;
    const isLong = this.tail.bytes >= indexTailBytes || this.tail.count >= indexTailEntries;
    if (this.#hintedAtMs === undefined && isLong) this.hint();
  }

  /** There is still work: tells indexers again if the last hint was long ago. */
  remind(): void {
    const hintedAtMs = this.#hintedAtMs ?? Number.NEGATIVE_INFINITY;
    if (this.#options.clock.monotonicMs() - hintedAtMs >= INDEX_HINT_REPEAT_MS) this.hint();
  }

  /** Tells indexers that there is work. A hint that is lost costs time only. */
  hint(): void {
    this.#hintedAtMs = this.#options.clock.monotonicMs();
    this.#waitingSinceMs ??= this.#hintedAtMs;
    const put = this.#options
      .storeFor(undefined)
      .put(dirtyKey(this.#generation), new Uint8Array(0), ALWAYS);
    put.then(this.#options.hinted, (error: unknown) => {
      this.#hintedAtMs = undefined;
      this.#waitingSinceMs = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      const facts = { namespace: this.#generation.name, reason };
      this.#options.log("warn", "cannot tell indexers of work", facts);
    });
  }

  /** Numbers after the end may have been used and collected since the last check. */
  get #hasSlept(): boolean {
    return longestSince(this.#options.clock, this.#unusedAt) > LOG_END_KNOWN_MS_MAX;
  }

  /**
   * Returns the reason why an entry with a number that was just won does not count: the number may
   * have been used and collected before.
   */
  async #checkFloor({ sequence }: WalEntry): Promise<LogLoss | undefined> {
    const store = this.#options.storeFor(undefined);
    const [covered, mark] = await Promise.all([
      this.#newestCovered(),
      store.get(deletedKey(this.#generation)),
    ]);
    if (mark !== undefined) return "deleted";
    return covered >= sequence ? "collected" : undefined;
  }

  /** The last entry that the newest manifest covers. */
  async #newestCovered(): Promise<number> {
    const { clock, random, storeFor } = this.#options;
    const store = storeFor(undefined);
    const newest = await new ManifestStore({
      store,
      clock,
      random,
      generation: this.#generation,
    }).load();
    return newest?.indexedUpTo ?? 0;
  }

  #taken(number: number): DatabaseError {
    const { name } = this.#generation;
    const what = `another writer has committed entry ${number} of namespace '${name}'`;
    return new DatabaseError("unavailable", `${what}; retry`);
  }

  #writer(facts: NamespaceFacts): WalWriter {
    const { clock, random } = this.#options;
    const store = this.#options.storeFor(facts.settings);
    return new WalWriter({
      store,
      clock,
      random,
      generation: this.#generation,
      after: facts.sequence,
      writer: this.writer,
      slicing: this.#options,
    });
  }
}

/**
 * Returns the error to throw after a put was tried: the entry may be there, unless each try was
 * refused.
 */
export function asOpenOutcome(error: unknown): unknown {
  if (error instanceof PutRefused) return error;
  if (!isDatabaseError(error, "overloaded", "out_of_memory", "conflict")) return error;
  return new DatabaseError("unavailable", error.message, { cause: error });
}
