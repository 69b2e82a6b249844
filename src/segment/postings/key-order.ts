/** The order of strings that have codes, remembered from one time to the next. */

import type { Steps } from "../../base/steps.ts";

/** Strings by code, from 0 on. */
export interface CodedStrings {
  /** How many there are; it never falls. */
  readonly size: number;
  stringOf(code: number): string;
  codeOf(text: string): number;
}

/** How strings are ordered. */
export interface StringOrder {
  sort(values: readonly string[]): Steps<string[]>;
  compare(a: string, b: string): number;
}

/** So many strings and a sixteenth of those that are ranked may be without a rank. */
const UNRANKED_MIN = 256;
const UNRANKED_SHIFT = 4;
/** Ranks are marked in the order of all, not sorted, if they are an eighth of all or more. */
const MARKED_SHIFT = 3;
/** Strings or ranks that one step looks at. */
const STEP_STRINGS = 4096;
const STEP_RANKS = 65_536;

/**
 * Sorts codes by their strings. Strings get ranks when there are enough new ones, in their turn
 * with all others, so that the same strings are compared once; few new ones are looked up.
 */
export class KeyOrder {
  readonly #strings: CodedStrings;
  readonly #order: StringOrder;
  /** Ranked codes in the order of their strings: all below their count. */
  #ordered = new Uint32Array(0);
  /** By code. */
  #ranks = new Uint32Array(0);

  constructor(strings: CodedStrings, order: StringOrder) {
    this.#strings = strings;
    this.#order = order;
  }

  stringOf(code: number): string {
    return this.#strings.stringOf(code);
  }

  /** Distinct codes in the order of their strings. */
  *sorted(codes: Uint32Array): Steps<Uint32Array> {
    const unrankedMax = UNRANKED_MIN + (this.#ordered.length >> UNRANKED_SHIFT);
    if (this.#strings.size - this.#ordered.length > unrankedMax) yield* this.#rankAll();
    const ordered = this.#ordered;
    const ranks = new Uint32Array(codes.length);
    const fresh: string[] = [];
    let rankCount = 0;
    for (let i = 0; i < codes.length; i++) {
      if (i % STEP_RANKS === STEP_RANKS - 1) yield;
      if (codes[i] < ordered.length) ranks[rankCount++] = this.#ranks[codes[i]];
      else fresh.push(this.stringOf(codes[i]));
    }
    const known = yield* this.#sortRanks(ranks.subarray(0, rankCount));
    const sorted = new Uint32Array(codes.length);
    let at = 0;
    let next = 0;
    for (const text of yield* this.#order.sort(fresh)) {
      const place = this.#placeOf(text);
      while (next < rankCount && known[next] < place) sorted[at++] = ordered[known[next++]];
      sorted[at++] = this.#strings.codeOf(text);
      if (at % STEP_STRINGS === 0) yield;
    }
    while (next < rankCount) {
      if (next % STEP_RANKS === STEP_RANKS - 1) yield;
      sorted[at++] = ordered[known[next++]];
    }
    return sorted;
  }

  *#sortRanks(ranks: Uint32Array): Steps<Uint32Array> {
    const count = this.#ordered.length;
    if (ranks.length < count >> MARKED_SHIFT) return ranks.sort();
    const marks = new Uint8Array(count);
    for (let i = 0; i < ranks.length; i++) marks[ranks[i]] = 1;
    yield;
    let at = 0;
    for (let rank = 0; rank < count; rank++) {
      if (rank % STEP_RANKS === STEP_RANKS - 1) yield;
      if (marks[rank] === 1) ranks[at++] = rank;
    }
    return ranks;
  }

  /** How many ranked strings are before one that has no rank. */
  #placeOf(text: string): number {
    let low = 0;
    let high = this.#ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#order.compare(this.stringOf(this.#ordered[middle]), text) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Gives all strings ranks. */
  *#rankAll(): Steps<void> {
    const old = this.#ordered;
    const fresh: string[] = [];
    for (let code = old.length; code < this.#strings.size; code++) {
      if (code % STEP_RANKS === STEP_RANKS - 1) yield;
      fresh.push(this.stringOf(code));
    }
    const ordered = new Uint32Array(this.#strings.size);
    let at = 0;
    let next = 0;
    for (const text of yield* this.#order.sort(fresh)) {
      while (next < old.length && this.#order.compare(this.stringOf(old[next]), text) < 0) {
        ordered[at++] = old[next++];
        if (at % STEP_STRINGS === 0) yield;
      }
      ordered[at++] = this.#strings.codeOf(text);
      if (at % STEP_STRINGS === 0) yield;
    }
    ordered.set(old.subarray(next), at);
    const ranks = new Uint32Array(ordered.length);
    for (let rank = 0; rank < ordered.length; rank++) {
      if (rank % STEP_RANKS === STEP_RANKS - 1) yield;
      ranks[ordered[rank]] = rank;
    }
    this.#ordered = ordered;
    this.#ranks = ranks;
  }
}
