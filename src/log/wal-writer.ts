import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";
import type { SequenceNumber } from "../base/ids.ts";
import { WAL_PUT_ATTEMPTS_MAX } from "../base/limits.ts";
import { type Pieces, piecesBytes } from "../base/pieces.ts";
import type { Random } from "../base/random.ts";
import { type NamespaceGeneration, walKey } from "../storage/object-keys.ts";
import { IF_ABSENT, type ObjectStore } from "../storage/object-store.ts";
import { isTransient, retryDelayMs } from "../storage/retrying-object-store.ts";
import {
  decodeWalEntry,
  encodeWalEntry,
  type NewWalRecord,
  nextSequence,
  type StoredWalEntry,
  WAL_NONCE_BYTES,
  type WalEntry,
} from "./wal-entry.ts";

/** What a `WalWriter` needs. */
export interface WalWriterOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly at: NamespaceGeneration;
  /** The last entry that the caller has applied; 0 for a new namespace. */
  readonly after: SequenceNumber;
}

/** What became of an append. */
export type AppendOutcome =
  /** The entry is durable at its sequence number. `bytes` is the size of the object. */
  | { readonly kind: "written"; readonly entry: WalEntry; readonly bytes: number }
  /**
   * Another entry has the number, and these records are nowhere. Apply it, `follow` it, try again.
   */
  | { readonly kind: "conflict"; readonly entry: StoredWalEntry };

/**
 * Commits entries one after another. The put of an entry, if absent, is the commit.
 *
 * When the store leaves open whether a put was written, the same bytes are put again: it is written
 * now, or there is a conflict, whose object is durable and whose nonce tells whose it is. Only
 * "written", or a conflict with its own nonce, is proof.
 *
 * The nonce is new for each append. So an append whose fate stayed open shows up later as a foreign
 * entry, also in the eyes of the writer that sent it, and is never taken for another append.
 *
 * Numbers of collected entries are absent, too. A caller that may have slept while others collected
 * must compare the number with the manifest's `indexedUpTo` before it believes "written".
 */
export class WalWriter {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #at: NamespaceGeneration;
  #last: SequenceNumber;
  #busy = false;

  constructor({ store, clock, random, at, after }: WalWriterOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#at = at;
    this.#last = after;
  }

  /** Number of the last entry that this writer wrote or follows. */
  get last(): SequenceNumber {
    return this.#last;
  }

  /** Goes on after an entry that another writer wrote and the caller has applied. */
  follow(sequence: SequenceNumber): void {
    assert(sequence >= this.#last, `log goes back from ${this.#last} to ${sequence}`);
    this.#last = sequence;
  }

  /**
   * Commits `records` as the next entry; one append at a time. Throws `unavailable` if the outcome
   * stays unknown: the entry may be there, and the next append then conflicts with it.
   */
  async append(records: readonly NewWalRecord[]): Promise<AppendOutcome> {
    assert(!this.#busy, "two appends at once");
    this.#busy = true;
    try {
      const entry: WalEntry = {
        generation: this.#at.generation,
        sequence: nextSequence(this.#last),
        nonce: this.#random.bytes(WAL_NONCE_BYTES),
        timeMs: Math.round(this.#clock.nowMs()),
      };
      const object = await encodeWalEntry(entry, records, this.#at);
      const other = await this.#commit(entry, object);
      if (other !== undefined) return { kind: "conflict", entry: other };

      this.#last = entry.sequence;
      return { kind: "written", entry, bytes: piecesBytes(object) };
    } finally {
      this.#busy = false;
    }
  }

  /**
   * Returns undefined once `entry` is known to be durable, or else the entry that has its number.
   */
  async #commit(entry: WalEntry, object: Pieces): Promise<StoredWalEntry | undefined> {
    const key = walKey(this.#at, entry.sequence);
    let cause: unknown;
    for (let tried = 1; tried <= WAL_PUT_ATTEMPTS_MAX; tried++) {
      try {
        const outcome = await this.#store.put(key, object, IF_ABSENT);
        if (outcome.kind === "written") return undefined;

        const there = await this.#store.get(key);
        if (there === undefined) throw collected(key);
        const other = await decodeWalEntry(there, this.#at, entry.sequence);
        return Buffer.compare(other.nonce, entry.nonce) === 0 ? undefined : other;
      } catch (error) {
        if (!isTransient(error)) throw error;
        cause = error;
      }
      if (tried < WAL_PUT_ATTEMPTS_MAX) {
        await this.#clock.sleep(retryDelayMs(tried, this.#random));
      }
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    const what = `cannot commit ${key} in ${WAL_PUT_ATTEMPTS_MAX} tries, but it may be there`;
    throw new DatabaseError("unavailable", `${what}: ${reason}`, { cause });
  }
}

function collected(key: string): DatabaseError {
  const what = "another process wrote that entry and collected it; this one is far behind";
  return new DatabaseError("conflict", `cannot commit ${key}: ${what}`);
}
