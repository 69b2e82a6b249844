/**
 * Long runs of taken slots in a hash table of ids. Linear probing under a hash without a seed has
 * them where a client chose ids of one slot, or of slots close to each other. Building and
 * searching such a table must not take time in proportion to the square of a run.
 */

import type { IdKeys } from "../view/id-keys.ts";

/**
 * Slots that are probed one by one; a power of two. Unless clients choose ids by their hash, next
 * to no search in a half-full table is longer.
 */
export const PROBES_MAX = 64;

/**
 * Finds free slots of a table that is being filled: a disjoint-set forest with path compression
 * (Tarjan 1975), which skips the slots that earlier searches found taken. O(log n) amortized.
 */
export class FreeSlots {
  readonly #slots: Uint32Array;
  /** By slot: the number of slots from there on that are known to be taken. */
  readonly #skips: Uint32Array;

  constructor(slots: Uint32Array) {
    this.#slots = slots;
    this.#skips = new Uint32Array(slots.length);
  }

  /** The first free slot from `start` on, around the end of the table. There is one. */
  from(start: number): number {
    const [slots, skips] = [this.#slots, this.#skips];
    const mask = slots.length - 1;
    let end = start;
    while (slots[end] !== 0) end = (end + Math.max(1, skips[end])) & mask;
    for (let slot = start; slot !== end; ) {
      const next = (slot + Math.max(1, skips[slot])) & mask;
      skips[slot] = (end - slot) & mask;
      slot = next;
    }
    return end;
  }
}

/** Binary search in the runs of a table. Each run is sorted when it is searched first. */
export class LongRuns {
  readonly #keys: IdKeys;
  readonly #slots: Uint32Array;
  /** By slot / `PROBES_MAX`: the ordinals of the run that the slot is in, in the order of keys. */
  readonly #runs: (Uint32Array | undefined)[];

  constructor(keys: IdKeys, slots: Uint32Array) {
    this.#keys = keys;
    this.#slots = slots;
    this.#runs = new Array(slots.length / PROBES_MAX).fill(undefined);
  }

  /**
   * The ordinal of an id in the run that has the `PROBES_MAX` slots up to `last`; -1 if it is not
   * there. A run of n ids is sorted in O(n log n) and then searched in O(log n).
   */
  find(last: number, keys: IdKeys, index: number): number {
    // Among so many slots, one is a multiple of that number.
    const block = Math.floor(last / PROBES_MAX);
    const run = this.#runs[block] ?? this.#sort(block);
    let low = 0;
    let high = run.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#keys.compare(run[middle], keys, index);
      if (order === 0) return run[middle];
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  #sort(block: number): Uint32Array {
    const [keys, slots] = [this.#keys, this.#slots];
    const mask = slots.length - 1;
    let start = block * PROBES_MAX;
    while (slots[(start - 1) & mask] !== 0) start = (start - 1) & mask;
    let count = 0;
    while (slots[(start + count) & mask] !== 0) count++;
    const run = new Uint32Array(count);
    for (let i = 0; i < count; i++) run[i] = slots[(start + i) & mask] - 1;
    run.sort((a, b) => keys.compare(a, keys, b));
    for (let i = 0; i < count; i++) {
      const slot = (start + i) & mask;
      if (slot % PROBES_MAX === 0) this.#runs[slot / PROBES_MAX] = run;
    }
    return run;
  }
}
