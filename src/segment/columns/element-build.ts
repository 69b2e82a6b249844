/** Builds sorted elements (`element-section.ts`) of arrays of numbers or of a dictionary's codes. */

import type { Steps } from "../../base/steps.ts";
import { bitmapWords, setBit } from "../../codec/bitmap.ts";
import type { ElementArrays, ElementKeys } from "./element-section.ts";
import {
  isSameWords,
  type SortableData,
  type SortWords,
  sortOrdinals,
  sortWords,
} from "./sort-words.ts";
import { FENCE_ENTRIES, firstEntries, isPresent } from "./sorted-build.ts";
import { evenly } from "./sorted-entries.ts";

/** Parts of a segment's elements, at most: so many bitmaps a range joins, in some 10 µs each (ADR 58). */
const PARTS_MAX = 64;
/**
 * Entries of a part where elements have none of their own: an eighth of the documents, so that its
 * bitmap takes a quarter of its ordinals' bytes, and what of it is read one by one is as much as of
 * single values.
 */
const PARTS_PER_DOCUMENT = 8;

/** Entries that one step looks at. */
const STEP_ENTRIES = 65_536;

/** The elements of an attribute. */
export interface ElementValues {
  /** By element, as the offsets count them. */
  readonly data: SortableData;
  readonly offsets: Uint32Array;
  readonly presence: Uint8Array | undefined;
  /** Documents of the segment. */
  readonly count: number;
  /** Codes that the elements may have; 2 of bools, undefined of numbers. */
  readonly codeCount: number | undefined;
}

/** Entries in order. */
export interface ElementEntries {
  readonly by: SortWords;
  /** An element of each entry. */
  readonly positions: Uint32Array;
  /** Its document. */
  readonly ordinals: Uint32Array;
}

/** Sorts elements; undefined if there are none, or a float is no number. */
export function* buildElements(values: ElementValues): Steps<ElementArrays | undefined> {
  const entries = yield* sortedEntries(values);
  if (entries === undefined) return undefined;
  const { ordinals } = entries;
  const { isExact, starts, keys } = yield* keysOf(values, entries);
  const isSmall = starts.length <= PARTS_MAX;
  const bitmapsOfAll = starts.length * bitmapWords(values.count);
  const hasOrdinals = !isExact || !isSmall || bitmapsOfAll > ordinals.length;
  const entryCount = ordinals.length;
  const partEnds = hasOrdinals ? evenEnds(entryCount, values.count) : endsOf(starts, entryCount);
  return {
    isExact,
    hasOrdinals,
    entryCount,
    keys,
    starts,
    partEnds,
    ordinals: hasOrdinals ? ordinals : new Uint32Array(0),
    bitmaps: yield* partBitmaps(partEnds, ordinals, values.count),
  };
}

/** The end of each element's entries. */
export function endsOf(starts: Uint32Array, entryCount: number): Uint32Array {
  return Uint32Array.from(starts, (_, i) => (i + 1 < starts.length ? starts[i + 1] : entryCount));
}

function evenEnds(entryCount: number, count: number): Uint32Array {
  const least = Math.ceil(entryCount / PARTS_MAX);
  return endsOf(
    evenly(entryCount, Math.max(least, Math.ceil(count / PARTS_PER_DOCUMENT))),
    entryCount,
  );
}

/** All entries in order; undefined if there are none, or a float is no number. */
export function* sortedEntries(values: ElementValues): Steps<ElementEntries | undefined> {
  const by = yield* sortWords(values.data);
  const { present, ordinalOf } = yield* presentElements(values);
  if (by === undefined || present.length === 0) return undefined;
  const positions = yield* sortOrdinals(by, present);
  const ordinals = new Uint32Array(positions.length);
  let count = 0;
  for (let i = 0; i < positions.length; i++) {
    if (i % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
    const ordinal = ordinalOf[positions[i]];
    // Elements of one document that are the same follow each other.
    const isAgain =
      count > 0 &&
      ordinals[count - 1] === ordinal &&
      isSameWords(by, positions[count - 1], positions[i]);
    if (isAgain) continue;
    positions[count] = positions[i];
    ordinals[count++] = ordinal;
  }
  return { by, positions: positions.subarray(0, count), ordinals: ordinals.subarray(0, count) };
}

/** The elements of documents that have a value, ascending, and the document of each. */
function* presentElements({ offsets, presence, count }: ElementValues): Steps<{
  readonly present: Uint32Array;
  readonly ordinalOf: Uint32Array;
}> {
  const ordinalOf = new Uint32Array(offsets[count]);
  const present = new Uint32Array(offsets[count]);
  let at = 0;
  let worked = 0;
  for (let o = 0; o < count; o++) {
    worked += 1 + offsets[o + 1] - offsets[o];
    if (worked > STEP_ENTRIES) {
      worked = 0;
      yield;
    }
    if (!isPresent(presence, o)) continue;
    for (let e = offsets[o]; e < offsets[o + 1]; e++) {
      ordinalOf[e] = o;
      present[at++] = e;
    }
  }
  return { present: present.subarray(0, at), ordinalOf };
}

/** What entries are found by. */
interface FoundBy {
  readonly isExact: boolean;
  readonly keys: ElementKeys;
  readonly starts: Uint32Array;
}

function* keysOf(
  { data, codeCount }: ElementValues,
  { by, positions }: ElementEntries,
): Steps<FoundBy> {
  if (codeCount !== undefined) {
    return { isExact: true, keys: undefined, starts: yield* codeStarts(by, positions, codeCount) };
  }
  const firsts = yield* firstEntries(by, positions);
  const starts = firsts ?? evenly(positions.length, FENCE_ENTRIES);
  return {
    isExact: firsts !== undefined,
    keys: yield* elementKeys(data, positions, starts),
    starts,
  };
}

/** The first entry of each code, or where it would be. */
export function* codeStarts(
  { words }: SortWords,
  positions: Uint32Array,
  codeCount: number,
): Steps<Uint32Array> {
  const starts = new Uint32Array(codeCount);
  let code = 0;
  for (let i = 0; i < positions.length; i++) {
    if (i % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
    while (code < words[positions[i]]) starts[++code] = i;
  }
  while (++code < codeCount) starts[code] = positions.length;
  return starts;
}

/** The elements of some entries; undefined of codes and bools, whose keys nobody keeps. */
export function* elementKeys(
  { kind, values }: SortableData,
  positions: Uint32Array,
  starts: Uint32Array,
): Steps<ElementKeys> {
  switch (kind) {
    case "i64": {
      const keys = new BigInt64Array(starts.length);
      yield* eachStart(starts, (i) => {
        keys[i] = values[positions[starts[i]]];
      });
      return keys;
    }
    case "u64": {
      const keys = new BigUint64Array(starts.length);
      yield* eachStart(starts, (i) => {
        keys[i] = values[positions[starts[i]]];
      });
      return keys;
    }
    case "f64": {
      const keys = new Float64Array(starts.length);
      yield* eachStart(starts, (i) => {
        keys[i] = values[positions[starts[i]]];
      });
      return keys;
    }
    default:
      return undefined;
  }
}

/** Keys that one step makes, each from anywhere in a column. */
const STEP_KEYS = 8192;

function* eachStart(starts: Uint32Array, visit: (index: number) => void): Steps<void> {
  for (let i = 0; i < starts.length; i++) {
    if (i % STEP_KEYS === STEP_KEYS - 1) yield;
    visit(i);
  }
}

/** The bitmaps of parts over so many documents. */
export function* partBitmaps(
  partEnds: Uint32Array,
  ordinals: Uint32Array,
  count: number,
): Steps<Uint32Array> {
  const words = bitmapWords(count);
  const bitmaps = new Uint32Array(partEnds.length * words);
  let entry = 0;
  for (let part = 0; part < partEnds.length; part++) {
    const bitmap = bitmaps.subarray(part * words, (part + 1) * words);
    while (entry < partEnds[part]) {
      const end = Math.min(entry + STEP_ENTRIES, partEnds[part]);
      for (; entry < end; entry++) setBit(bitmap, ordinals[entry]);
      yield;
    }
  }
  return bitmaps;
}
