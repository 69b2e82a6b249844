/** The WAL entries that no manifest covers yet, as counts. */

import type { SequenceNumber } from "../../base/ids.ts";

interface TailEntry {
  readonly sequence: SequenceNumber;
  readonly bytes: number;
}

/** What a restart of a namespace would have to replay. */
export class TailLog {
  /** Ascending; entries before `#start` are gone. */
  #entries: TailEntry[] = [];
  #start = 0;
  #bytes = 0;

  /** Bytes of their objects. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of entries. */
  get count(): number {
    return this.#entries.length - this.#start;
  }

  /** Adds the next entry. */
  add(sequence: SequenceNumber, bytes: number): void {
    this.#entries.push({ sequence, bytes });
    this.#bytes += bytes;
  }

  /** Drops the entries up to `sequence`: a manifest covers them. */
  forget(sequence: SequenceNumber): void {
    while (this.#start < this.#entries.length) {
      const entry = this.#entries[this.#start];
      if (entry.sequence > sequence) break;
      this.#bytes -= entry.bytes;
      this.#start++;
    }
    if (this.#start * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#start = 0;
  }
}
