/**
 * The log of one open namespace: appends the entries of its commits and counts those that no
 * manifest covers yet.
 *
 * A number that was collected is absent, like one that was never used. So a writer that slept while
 * others wrote, indexed and collected could win an old number again. Entries are collected a grace
 * period after a manifest covers them; whoever has known the end of the log for longer than a part
 * of that, by either of two clocks, asks for the newest manifest before it believes that it won.
 */

import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { INDEX_HINT_REPEAT_MS, LOG_END_KNOWN_MS_MAX } from "../base/limits.ts";
import { keyOf } from "../commit/commit-group.ts";
import { NamespaceRetired } from "../commit/commit-job.ts";
import type { NewWalRecord, WalEntry } from "../log/wal-entry.ts";
import { WalWriter } from "../log/wal-writer.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import { type ClockReading, longestSince, readClocks } from "../namespace/clock-reading.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import type { TailLog } from "../namespace/recovery/tail-log.ts";
import { deletedKey, dirtyKey, type NamespaceGeneration, walKey } from "../storage/object-keys.ts";
import { ALWAYS } from "../storage/object-store.ts";
import type { NamespaceParts, OpenedNamespace } from "./namespace-parts.ts";

/** Appends to one namespace's log. */
export class NamespaceLog {
  readonly #parts: NamespaceParts;
  readonly #at: NamespaceGeneration;
  /** Entries that no manifest covers yet. */
  readonly tail: TailLog;
  #wal: WalWriter;
  /** When the log's end was where this instance believes it. */
  #knownAt: ClockReading;
  /** When indexers were told, by the monotonic clock; undefined: not since the newest manifest. */
  #hintedAtMs: number | undefined;
  /** The last entry that this instance knows. */
  #end: SequenceNumber;
  /** Appends begun, and which of them was the last to win. */
  #begun = 0;
  #won = 0;
  #appending: Promise<unknown> = Promise.resolve();
  #looking: Promise<boolean> | undefined;
  #lookingNext: Promise<boolean> | undefined;

  constructor(parts: NamespaceParts, { at, facts, tail, knownAt }: OpenedNamespace) {
    this.#parts = parts;
    this.#at = at;
    this.tail = tail;
    this.#wal = this.#writer(facts);
    this.#end = facts.sequence;
    this.#knownAt = knownAt;
    this.#hint();
  }

  /**
   * Commits `records` as the next entry after `facts.before`, encrypted as `facts.after` says.
   * Throws if another writer has the number, `NamespaceRetired` where there may be others, and
   * `unavailable` if the outcome stays unknown: then the caller knows less than the store.
   */
  append(
    records: readonly NewWalRecord[],
    facts: { readonly before: NamespaceFacts; readonly after: NamespaceFacts },
  ): Promise<WalEntry> {
    const appending = this.#append(records, facts);
    this.#appending = appending.catch(() => {});
    return appending;
  }

  async #append(
    records: readonly NewWalRecord[],
    facts: { readonly before: NamespaceFacts; readonly after: NamespaceFacts },
  ): Promise<WalEntry> {
    const { before, after } = facts;
    const begun = ++this.#begun;
    if (keyOf(before) !== keyOf(after)) {
      this.#wal = this.#writer({ ...after, sequence: before.sequence });
    }
    let knownAt = readClocks(this.#parts.clock);
    const outcome = await this.#wal.append(records).catch(throwOpenOutcome);
    if (outcome.kind === "conflict") {
      // Where nobody else should write, something is wrong, and the client should hear of it.
      if (this.#parts.isExclusive) throw this.#taken(outcome.entry.sequence);
      throw new NamespaceRetired();
    }
    const { entry, bytes } = outcome;
    if (this.#hasSlept) {
      knownAt = readClocks(this.#parts.clock);
      await this.#checkFloor(entry).catch(throwOpenOutcome);
    }
    this.#knownAt = knownAt;
    this.#end = sequenceNumber(entry.sequence);
    this.#won = begun;
    this.tail.add(entry.sequence, bytes);
    this.#hint();
    return entry;
  }

  /**
   * Tells whether this instance knows every entry that was committed before the call, by asking the
   * store. Calls that come while it is being asked share the next question.
   */
  isAtEnd(): Promise<boolean> {
    if (this.#looking === undefined) {
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined;
      });
      return this.#looking;
    }
    this.#lookingNext ??= this.#looking
      .catch(() => {})
      .then(() => {
        this.#lookingNext = undefined;
        return this.isAtEnd();
      });
    return this.#lookingNext;
  }

  async #look(): Promise<boolean> {
    const begun = this.#begun;
    const store = this.#parts.storeFor(undefined);
    for (;;) {
      const end = this.#end;
      const asked = readClocks(this.#parts.clock);
      const next = walKey(this.#at, sequenceNumber(end + 1));
      const [entry, mark] = await Promise.all([store.get(next), store.get(deletedKey(this.#at))]);
      if (mark !== undefined) return false; // Its log may be gone.
      if (entry === undefined) {
        // An absent number may be a collected one.
        if (this.#hasSlept && (await this.#newestCovered()) > this.#end) return false;
        this.#knownAt = asked;
        return true;
      }
      await this.#appending;
      // To win a number means that nobody had it or a later one when the append began.
      if (this.#won > begun) return true;
      if (this.#end === end) return false;
    }
  }

  /** Entries enough for an indexer wait. */
  get isLong(): boolean {
    const { indexTailBytes, indexTailEntries } = this.#parts.thresholds;
    return this.tail.bytes >= indexTailBytes || this.tail.count >= indexTailEntries;
  }

  /** A manifest covers the entries up to `sequence`. */
  forget(sequence: SequenceNumber): void {
    this.tail.forget(sequence);
    this.#hintedAtMs = undefined;
    this.#hint();
  }

  /** Tells indexers of a long log, once for each manifest. */
  #hint(): void {
    if (this.#hintedAtMs === undefined && this.isLong) this.hint();
  }

  /** There is still work: tells indexers again if the last hint was long ago. */
  remind(): void {
    const hintedAtMs = this.#hintedAtMs ?? Number.NEGATIVE_INFINITY;
    if (this.#parts.clock.monotonicMs() - hintedAtMs >= INDEX_HINT_REPEAT_MS) this.hint();
  }

  /** Tells indexers that there is work. A hint that is lost costs time only. */
  hint(): void {
    this.#hintedAtMs = this.#parts.clock.monotonicMs();
    const put = this.#parts.storeFor(undefined).put(dirtyKey(this.#at), new Uint8Array(0), ALWAYS);
    put.catch((error: unknown) => {
      this.#hintedAtMs = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      const facts = { namespace: this.#at.name, reason };
      this.#parts.log("warn", "cannot tell indexers of a long log", facts);
    });
  }

  /** Tells whether the end of the log was seen too long ago to be believed. */
  get #hasSlept(): boolean {
    return longestSince(this.#parts.clock, this.#knownAt) > LOG_END_KNOWN_MS_MAX;
  }

  async #checkFloor({ sequence }: WalEntry): Promise<void> {
    const store = this.#parts.storeFor(undefined);
    const [covered, mark] = await Promise.all([
      this.#newestCovered(),
      store.get(deletedKey(this.#at)),
    ]);
    if (mark !== undefined || covered >= sequence) throw this.#taken(sequence);
  }

  /** The last entry that the newest manifest covers. */
  async #newestCovered(): Promise<number> {
    const { clock, random, storeFor } = this.#parts;
    const store = storeFor(undefined);
    const newest = await new ManifestStore({ store, clock, random, at: this.#at }).load();
    return newest?.indexedUpTo ?? 0;
  }

  #taken(number: number): DatabaseError {
    const what = `another writer has committed entry ${number} of namespace '${this.#at.name}'`;
    return new DatabaseError("unavailable", `${what}; retry`);
  }

  #writer(facts: NamespaceFacts): WalWriter {
    const { clock, random } = this.#parts;
    const store = this.#parts.storeFor(facts.settings);
    return new WalWriter({ store, clock, random, at: this.#at, after: facts.sequence });
  }
}

/** What to throw after a put was tried: the entry may be there, so nothing that says it is not. */
export function asOpenOutcome(error: unknown): unknown {
  if (!isDatabaseError(error, "overloaded", "conflict")) return error;
  return new DatabaseError("unavailable", error.message, { cause: error });
}

function throwOpenOutcome(error: unknown): never {
  throw asOpenOutcome(error);
}
