/**
 * The log of one open namespace: appends the entries of its commits and counts those that no
 * manifest covers yet.
 *
 * A number that was collected is absent, like one that was never used. So a writer that slept while
 * others wrote, indexed and collected could win an old number again. Entries are collected a grace
 * period after a manifest covers them; whoever has known the end of the log for longer than a part
 * of that, by either of two clocks, asks for the newest manifest before it believes that it won.
 */

import { DatabaseError } from "../base/errors.ts";
import type { SequenceNumber } from "../base/ids.ts";
import { LOG_END_KNOWN_MS_MAX } from "../base/limits.ts";
import type { NewWalRecord, WalEntry } from "../log/wal-entry.ts";
import { WalWriter } from "../log/wal-writer.ts";
import { ManifestStore } from "../manifest/manifest-store.ts";
import { dirtyKey, type NamespaceGeneration } from "../storage/object-keys.ts";
import { ALWAYS } from "../storage/object-store.ts";
import { keyOf } from "./commit-group.ts";
import type { NamespaceFacts } from "./namespace-facts.ts";
import type { NamespaceParts, OpenedNamespace } from "./namespace-parts.ts";
import type { TailLog } from "./tail-log.ts";

/** Appends to one namespace's log. */
export class NamespaceLog {
  readonly #parts: NamespaceParts;
  readonly #at: NamespaceGeneration;
  /** Entries that no manifest covers yet. */
  readonly tail: TailLog;
  #wal: WalWriter;
  #knownMs: ClockReading;
  #isHinted = false;

  constructor(parts: NamespaceParts, { at, facts, tail }: OpenedNamespace) {
    this.#parts = parts;
    this.#at = at;
    this.tail = tail;
    this.#wal = this.#writer(facts);
    this.#knownMs = this.#read();
    this.#hint();
  }

  /**
   * Commits `records` as the next entry after `facts.before`, encrypted as `facts.after` says.
   * Throws `unavailable` if another writer has the number or the outcome stays unknown: then the
   * caller knows less than the store.
   */
  async append(
    records: readonly NewWalRecord[],
    facts: { readonly before: NamespaceFacts; readonly after: NamespaceFacts },
  ): Promise<WalEntry> {
    const { before, after } = facts;
    if (keyOf(before) !== keyOf(after)) {
      this.#wal = this.#writer({ ...after, sequence: before.sequence });
    }
    const outcome = await this.#wal.append(records);
    if (outcome.kind === "conflict") throw this.#taken(outcome.entry.sequence);
    const { entry, bytes } = outcome;
    if (this.#hasSlept()) await this.#checkFloor(entry);
    this.#knownMs = this.#read();
    this.tail.add(entry.sequence, bytes);
    this.#hint();
    return entry;
  }

  /** Entries enough for an indexer wait. */
  get isLong(): boolean {
    const { indexTailBytes, indexTailEntries } = this.#parts.thresholds;
    return this.tail.bytes >= indexTailBytes || this.tail.count >= indexTailEntries;
  }

  /** A manifest covers the entries up to `sequence`. */
  forget(sequence: SequenceNumber): void {
    this.tail.forget(sequence);
    this.#isHinted = false;
    this.#hint();
  }

  /** Tells indexers of a long log, once for each manifest. */
  #hint(): void {
    if (!this.#isHinted && this.isLong) this.hint();
  }

  /** Tells indexers that there is work. A hint that is lost costs time only. */
  hint(): void {
    this.#isHinted = true;
    const put = this.#parts.storeFor(undefined).put(dirtyKey(this.#at), new Uint8Array(0), ALWAYS);
    put.catch((error: unknown) => {
      this.#isHinted = false;
      const reason = error instanceof Error ? error.message : String(error);
      const facts = { namespace: this.#at.name, reason };
      this.#parts.log("warn", "cannot tell indexers of a long log", facts);
    });
  }

  /** Tells whether the end of the log was seen too long ago to be believed. */
  #hasSlept(): boolean {
    const { wall, monotonic } = this.#read();
    const slept = Math.max(wall - this.#knownMs.wall, monotonic - this.#knownMs.monotonic);
    return slept > LOG_END_KNOWN_MS_MAX;
  }

  async #checkFloor({ sequence }: WalEntry): Promise<void> {
    const { clock, random, storeFor } = this.#parts;
    const store = storeFor(undefined);
    const newest = await new ManifestStore({ store, clock, random, at: this.#at }).load();
    if (newest !== undefined && newest.indexedUpTo >= sequence) throw this.#taken(sequence);
  }

  #taken(number: number): DatabaseError {
    const what = `another writer has committed entry ${number} of namespace '${this.#at.name}'`;
    return new DatabaseError("unavailable", `${what}; retry`);
  }

  #read(): ClockReading {
    const { clock } = this.#parts;
    return { wall: clock.nowMs(), monotonic: clock.monotonicMs() };
  }

  #writer(facts: NamespaceFacts): WalWriter {
    const { clock, random } = this.#parts;
    const store = this.#parts.storeFor(facts.settings);
    return new WalWriter({ store, clock, random, at: this.#at, after: facts.sequence });
  }
}

interface ClockReading {
  readonly wall: number;
  readonly monotonic: number;
}
