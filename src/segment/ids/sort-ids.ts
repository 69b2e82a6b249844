/** Ids in their order: numbers by size, UUIDs and strings by bytes. */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import type { ColumnData } from "../../model/columns.ts";
import { ID_BYTES_MAX } from "../../model/contract-limits.ts";
import { UUID_BYTES } from "../../model/uuid.ts";
import { sortOrdinals } from "../columns/sort-words.ts";

/** Ids that one step looks at: some ten nanoseconds each. */
const STEP_IDS = 16_384;
/** Bytes of each id that are sorted by at a time. */
const WORD_PAIR_BYTES = 8;
/**
 * Ids that agree in those are compared with each other if they are so few: in half a millisecond,
 * where to count digits takes some tenths of one however few they are.
 */
const COMPARED_MAX = 1024;

/** Orders two ids by their ordinals: negative if the first is less; 0 if they are equal. */
export type CompareIds = (a: number, b: number) => number;

/** Compares ids without decoding them. */
export function idComparison(ids: ColumnData): CompareIds {
  if (ids.kind === "u64") {
    const words = idWords(ids.values);
    return (a, b) => words[2 * a + 1] - words[2 * b + 1] || words[2 * a] - words[2 * b];
  }
  const { bytes, startOf } = idBytes(ids);
  return (a, b) => {
    const [start, end] = [startOf(a), startOf(a + 1)];
    const [otherStart, otherEnd] = [startOf(b), startOf(b + 1)];
    const length = Math.min(end - start, otherEnd - otherStart);
    for (let i = 0; i < length; i++) {
      const order = bytes[start + i] - bytes[otherStart + i];
      if (order !== 0) return order;
    }
    return end - start - (otherEnd - otherStart);
  };
}

/** Tells whether each id is greater than the one before it, as where all were written in order. */
export function* areAscending(ids: ColumnData, count: number): Steps<boolean> {
  const compare = idComparison(ids);
  for (let i = 1; i < count; i++) {
    if (compare(i - 1, i) >= 0) return false;
    if (i % STEP_IDS === 0) yield;
  }
  return true;
}

/** The ordinals of the first `count` ids in the order of those; the ordinals of one id ascend. */
export function* sortIds(ids: ColumnData, count: number): Steps<Uint32Array> {
  const ordinals = yield* countUp(count);
  if (ids.kind === "u64") {
    return yield* sortOrdinals({ words: idWords(ids.values), perValue: 2, flip: 0 }, ordinals);
  }
  yield* sortByBytes({ ...idBytes(ids), compare: idComparison(ids) }, ordinals, 0);
  return ordinals;
}

/** The numbers below `count`. */
function* countUp(count: number): Steps<Uint32Array> {
  const numbers = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    numbers[i] = i;
    if (i % STEP_IDS === 0) yield;
  }
  return numbers;
}

function idWords(values: BigUint64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
}

/** Where the bytes of ids are, which lie end to end. */
interface IdBytes {
  readonly bytes: Uint8Array;
  readonly startOf: (ordinal: number) => number;
}

function idBytes(ids: ColumnData): IdBytes {
  if (ids.kind === "uuid") return { bytes: ids.bytes, startOf: (ordinal) => ordinal * UUID_BYTES };
  assert(ids.kind === "string", `no ids are of kind ${ids.kind}`);
  const { bytes, offsets } = ids;
  return { bytes, startOf: (ordinal) => offsets[ordinal] };
}

/**
 * Sorts ordinals in place, whose ids agree in the bytes before `known`: by the next eight bytes in
 * which some differ, and those that agree in these by what comes behind them.
 */
function* sortByBytes(
  ids: IdBytes & { readonly compare: CompareIds },
  ordinals: Uint32Array,
  known: number,
): Steps<void> {
  if (ordinals.length <= COMPARED_MAX || known >= ID_BYTES_MAX) {
    ordinals.sort(ids.compare);
    return;
  }
  const from = yield* commonBytes(ids, ordinals, known);
  const words = yield* wordsFrom(ids, ordinals, from);
  const positions = yield* countUp(ordinals.length);
  const order = yield* sortOrdinals({ words, perValue: 2, flip: 0 }, positions);
  const unsorted = ordinals.slice();
  for (let i = 0; i < order.length; i++) {
    ordinals[i] = unsorted[order[i]];
    if (i % STEP_IDS === 0) yield;
  }
  const agree = (a: number, b: number): boolean =>
    words[2 * a] === words[2 * b] && words[2 * a + 1] === words[2 * b + 1];
  let sorted = 0;
  for (let start = 0, end = 1; start < order.length; start = end, end++) {
    while (end < order.length && agree(order[start], order[end])) end++;
    if (end - start > 1) {
      yield* sortByBytes(ids, ordinals.subarray(start, end), from + WORD_PAIR_BYTES);
    }
    // An order of single ids takes nanoseconds, of a thousand half a millisecond.
    sorted += end - start > 1 ? WORD_PAIR_BYTES * (end - start) : 1;
    if (sorted < STEP_IDS) continue;
    sorted = 0;
    yield;
  }
}

/** Bytes in which all of these ids agree, of which `known` is at least so many. */
function* commonBytes(
  { bytes, startOf }: IdBytes,
  ordinals: Uint32Array,
  known: number,
): Steps<number> {
  const first = startOf(ordinals[0]);
  let common = startOf(ordinals[0] + 1) - first;
  for (let i = 1; i < ordinals.length && common > known; i++) {
    const start = startOf(ordinals[i]);
    common = Math.min(common, startOf(ordinals[i] + 1) - start);
    let at = known;
    while (at < common && bytes[start + at] === bytes[first + at]) at++;
    common = at;
    if (i % STEP_IDS === 0) yield;
  }
  return Math.max(common, known);
}

/** Eight bytes of each id as words whose order is theirs; what is shorter ends in zeros. */
function* wordsFrom(
  { bytes, startOf }: IdBytes,
  ordinals: Uint32Array,
  from: number,
): Steps<Uint32Array> {
  const words = new Uint32Array(2 * ordinals.length);
  for (let i = 0; i < ordinals.length; i++) {
    if (i % STEP_IDS === STEP_IDS - 1) yield;
    const start = startOf(ordinals[i]) + from;
    const end = Math.min(startOf(ordinals[i] + 1), start + WORD_PAIR_BYTES);
    for (let at = start; at < end; at++) {
      const place = at - start;
      words[2 * i + (place < 4 ? 1 : 0)] |= bytes[at] << (24 - 8 * (place & 3));
    }
  }
  return words;
}
