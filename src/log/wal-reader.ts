import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError } from "../base/errors.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import type { SliceOptions } from "../base/slices.ts";
import { NumberedObjects } from "../storage/numbered-objects.ts";
import { type NamespaceGeneration, walKey } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { nextSequence, type StoredWalEntry, walFamily } from "./wal-entry.ts";

/** Bytes of WAL entries that a reader holds ahead of its caller. */
const WAL_PREFETCH_BYTES_MAX = 64 * MIB;
/**
 * WAL entries that a reader has under way at once; hides the latency of a remote store: a log of
 * `INDEX_TAIL_ENTRIES` takes 16 rounds.
 */
const WAL_PREFETCH_ENTRIES_MAX = 64;

/** Taken for the size of an entry before any has been seen. */
const FIRST_SIZE_GUESS = 64 * 1024;

/** An entry with what it costs. */
export interface ReadWalEntry {
  readonly entry: StoredWalEntry;
  /** Size of the object in the store. */
  readonly bytes: number;
}

/** Reads the log of one generation of a namespace. */
export class WalReader {
  readonly #entries: NumberedObjects<StoredWalEntry>;
  readonly #generation: NamespaceGeneration;

  /** `slicing` cuts the checks of long entries into slices; without it all is done at once. */
  constructor(store: ObjectStore, generation: NamespaceGeneration, slicing?: SliceOptions) {
    this.#entries = new NumberedObjects(store, walFamily(generation, slicing));
    this.#generation = generation;
  }

  /** Reads one entry; undefined says that the log ended before it. Costs one request. */
  async read(sequence: SequenceNumber): Promise<ReadWalEntry | undefined> {
    const read = await this.#entries.read(sequence);
    return read && { entry: read.value, bytes: read.bytes };
  }

  /**
   * Yields the entries after `after`, in order, to the end of the log as it was listed. Entries are
   * fetched ahead, within `WAL_PREFETCH_BYTES_MAX` as far as sizes can be foreseen.
   *
   * The end is where a listing shows no more. A number that is missing before that is `corrupt`,
   * naming the missing object; a reader beside a collector should then look whether a newer
   * manifest has moved `indexedUpTo` past it.
   */
  async *entriesAfter(after: SequenceNumber): AsyncGenerator<ReadWalEntry> {
    const numbers = this.#numbersAfter(after);
    const queue: Fetch[] = [];
    let largest = FIRST_SIZE_GUESS;
    let listed = false;
    for (;;) {
      while (!listed && hasRoom(queue, largest)) {
        const next = await numbers.next();
        if (next.done) listed = true;
        else queue.push(this.#fetch(next.value));
      }
      const oldest = queue.shift();
      if (oldest === undefined) return;

      const read = await oldest.result;
      largest = Math.max(largest, oldest.bytes ?? 0);
      yield read;
    }
  }

  /** Yields the sequence numbers that exist, and throws at the first gap. */
  async *#numbersAfter(after: SequenceNumber): AsyncGenerator<SequenceNumber> {
    let last = after;
    for await (const numbers of this.#entries.numbersAfter(after)) {
      for (const number of numbers) {
        const next = nextSequence(last);
        const evidence = `${walKey(this.#generation, sequenceNumber(number))} exists`;
        if (number !== next) throw this.#missing(next, evidence);
        last = next;
        yield next;
      }
    }
  }

  #fetch(sequence: SequenceNumber): Fetch {
    const fetch: Fetch = { bytes: undefined, result: this.#readListed(sequence) };
    const settle = ({ entry, bytes }: ReadWalEntry) => {
      const held = entry.records.reduce((sum, record) => sum + record.bytes.length, 0);
      fetch.bytes = Math.max(bytes, held);
    };
    fetch.result.then(settle, () => undefined); // A failure is thrown when its turn comes.
    return fetch;
  }

  async #readListed(sequence: SequenceNumber): Promise<ReadWalEntry> {
    const read = await this.read(sequence);
    if (read === undefined) throw this.#missing(sequence, "it was listed");
    return read;
  }

  #missing(sequence: SequenceNumber, evidence: string): DatabaseError {
    const key = walKey(this.#generation, sequence);
    return new DatabaseError("corrupt", `cannot read WAL entry ${key}: missing, but ${evidence}`);
  }
}

interface Fetch {
  readonly result: Promise<ReadWalEntry>;
  /** Memory that it holds; undefined while it is under way. */
  bytes: number | undefined;
}

/** Tells whether one more entry, as large as the largest so far, fits into the window. */
function hasRoom(queue: readonly Fetch[], largest: number): boolean {
  if (queue.length === 0) return true;
  const held = queue.reduce((sum, fetch) => sum + (fetch.bytes ?? largest), 0);
  return queue.length < WAL_PREFETCH_ENTRIES_MAX && held + largest <= WAL_PREFETCH_BYTES_MAX;
}
