import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { DatabaseError } from "../base/errors.ts";
import type { SequenceNumber } from "../base/ids.ts";
import { piecesBytes } from "../base/pieces.ts";
import type { Random } from "../base/random.ts";
import { type SliceOptions, Slices } from "../base/slices.ts";
import { NumberedObjects } from "../storage/numbered-objects.ts";
import { type NamespaceGeneration, walKey } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import {
  encodeWalEntry,
  type NewWalRecord,
  nextSequence,
  type StoredWalEntry,
  type WalEntry,
  walFamily,
} from "./wal-entry.ts";
import type { ReadWalEntry } from "./wal-reader.ts";
import { newNonce, newWriterId, type WriterId } from "./writer-id.ts";

/** What a `WalWriter` needs. */
export interface WalWriterOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly generation: NamespaceGeneration;
  /** The last entry that the caller has applied; 0 for a new namespace. */
  readonly after: SequenceNumber;
  /** The nonces of its entries begin with it; without it the writer draws one. */
  readonly writer?: WriterId;
  /** How large entries are encoded; without it all at once. */
  readonly slicing?: SliceOptions;
}

/** What became of an append. */
export type AppendOutcome =
  /** The entry is durable at its sequence number. `bytes` is the size of the object. */
  | { readonly kind: "written"; readonly entry: WalEntry; readonly bytes: number }
  /**
   * Another entry has the number, and these records are nowhere. Apply it, `follow` it, try again.
   */
  | ({ readonly kind: "conflict" } & ReadWalEntry);

/**
 * Commits entries one after another. The put of an entry, if absent, is the commit; what is proof
 * of it is said in `storage/numbered-objects.ts`.
 *
 * The nonce is new for each append. So an append whose fate stayed open shows up later as a foreign
 * entry, also in the eyes of the writer that sent it, and is never taken for another append.
 *
 * Numbers of collected entries are absent, too. A caller that may have slept while others collected
 * must compare the number with the manifest's `indexedUpTo` before it believes "written".
 */
export class WalWriter {
  readonly #entries: NumberedObjects<StoredWalEntry>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #generation: NamespaceGeneration;
  readonly #writer: WriterId;
  readonly #slicing: SliceOptions | undefined;
  #last: SequenceNumber;
  #busy = false;

  constructor(options: WalWriterOptions) {
    const { store, clock, random, generation, after, slicing } = options;
    this.#entries = new NumberedObjects(store, walFamily(generation, slicing));
    this.#clock = clock;
    this.#random = random;
    this.#generation = generation;
    this.#writer = options.writer ?? newWriterId(random);
    this.#last = after;
    this.#slicing = slicing;
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
        generation: this.#generation.generation,
        sequence: nextSequence(this.#last),
        nonce: newNonce(this.#writer, this.#random),
        timeMs: Math.round(this.#clock.nowMs()),
      };
      const slices = this.#slicing && new Slices(this.#slicing);
      const object = await encodeWalEntry(entry, records, this.#generation, slices);
      const candidate = { number: entry.sequence, object, nonce: entry.nonce };
      const options = { clock: this.#clock, random: this.#random };
      const outcome = await this.#entries.put(candidate, options);
      if (outcome.kind === "conflict")
        return { kind: "conflict", entry: outcome.other, bytes: outcome.bytes };
      if (outcome.kind === "collected") throw collected(walKey(this.#generation, entry.sequence));

      this.#last = entry.sequence;
      return { kind: "written", entry, bytes: piecesBytes(object) };
    } finally {
      this.#busy = false;
    }
  }
}

function collected(key: string): DatabaseError {
  const what = "another process wrote that entry and collected it; this one is far behind";
  return new DatabaseError("conflict", `cannot commit ${key}: ${what}`);
}
