/**
 * Counts the documents of one key by places of a small table, before anything else is known of its
 * values: the codes of a dictionary, bools, and small integers.
 */

import { must } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { hasBit } from "../../codec/bitmap.ts";
import { eachMatch, type MatchedDocuments, matchCount } from "../documents/matched-documents.ts";
import { ELEMENTS_PER_PART, eachElementPart, type VisitElements } from "./element-parts.ts";
import type {
  CodedKeys,
  ElementKeyReader,
  KeyReader,
  SingleKeyReader,
  SmallKeys,
} from "./group-keys.ts";
import { placeReader } from "./key-places.ts";

/** Documents that are looked at between two pauses. */
export const DOCUMENTS_PER_STEP = 4096;
/** Places for each match, at most: those of which no document is are looked at, too. */
export const PLACES_MAX = 8;
/** Places that have sums, at most: some 24 bytes for each sum of each (ADR 58). */
export const SUMMED_PLACES_MAX = 65_536;
/** Groups that are told of between two pauses, in about a microsecond each. */
export const GROUPS_PER_STEP = 256;

/** Who hears of groups in one segment; those of one key are its numbers. */
export interface TallyListener {
  /** So many documents are of this group. */
  add(group: number, count: number): void;
  /** One document is of each of these, the i-th of the i-th; both are used again. */
  addEach(groups: Uint32Array, ordinals: Uint32Array): void;
  /** Undefined where documents are only counted. */
  readonly sums: TallySums | undefined;
}

/** Sums of what is told of. */
export interface TallySums {
  /** Begins with so many places. */
  begin(size: number): void;
  /** Adds documents to the sums of their places. */
  add(places: Uint32Array, ordinals: Uint32Array): void;
  /** Adds what a place has to the sums of its group, which `TallyListener.add` was told of. */
  end(place: number, group: number): void;
}

/**
 * Tells how many matches have each key. Does nothing and gives false where another way is faster:
 * without such values, and if the table has many more places than there are matches.
 */
export function* tallyKeys(
  reader: KeyReader,
  matching: MatchedDocuments,
  listener: TallyListener,
): Steps<boolean> {
  const table = reader.dictionary ?? (reader.form === "single" ? reader.small : undefined);
  if (table === undefined || PLACES_MAX * matchCount(matching) < table.size) return false;
  const { sums } = listener;
  if (sums !== undefined && table.size > SUMMED_PLACES_MAX) return false;
  // Behind the table are the places of documents without a value, and of those that have none.
  const tally = new Uint32Array(table.size + 2);
  sums?.begin(tally.length);
  if (reader.form === "elements") {
    const codes = must(reader.dictionary, "elements without codes");
    const visit =
      sums === undefined
        ? elementCounter(reader, codes, tally)
        : elementSummer(reader, codes, { tally, sums });
    yield* eachElementPart(
      { matching, offsets: reader.offsets, perStep: DOCUMENTS_PER_STEP },
      visit,
    );
  } else {
    const visit =
      sums === undefined
        ? counterOf(reader, tally, listener)
        : singleSummer(reader, tally.length - 2, { tally, listener, sums });
    yield* eachMatch(matching, visit, DOCUMENTS_PER_STEP);
  }
  let told = 0;
  for (let place = 0; place <= table.size; place++) {
    if (tally[place] === 0) continue;
    const key = place < table.size ? table.numberOf(place) : 0;
    listener.add(key, tally[place]);
    sums?.end(place, key);
    if (++told % GROUPS_PER_STEP === 0) yield;
  }
  return true;
}

/** Counts documents of a reader that has a table. */
function counterOf(
  reader: SingleKeyReader,
  tally: Uint32Array,
  listener: TallyListener,
): (ordinals: Uint32Array) => void {
  const { dictionary } = reader;
  if (dictionary !== undefined) return valueCounter(reader, dictionary, tally);
  return smallCounter(reader, must(reader.small, "no table"), { tally, listener });
}

/** Tells of values that have no place at once. */
function smallCounter(
  { present, read }: SingleKeyReader,
  small: SmallKeys,
  { tally, listener }: { readonly tally: Uint32Array; readonly listener: TallyListener },
): (ordinals: Uint32Array) => void {
  const given = new Uint32Array(DOCUMENTS_PER_STEP);
  const others = new Uint32Array(DOCUMENTS_PER_STEP);
  const keys = new Uint32Array(DOCUMENTS_PER_STEP);
  return (ordinals) => {
    let documents = ordinals;
    if (present !== undefined) {
      let count = 0;
      for (let i = 0; i < ordinals.length; i++) {
        if (hasBit(present, ordinals[i])) given[count++] = ordinals[i];
      }
      tally[small.size] += ordinals.length - count;
      documents = given.subarray(0, count);
    }
    const otherCount = small.tally(documents, tally, others);
    if (otherCount === 0) return;
    const apart = others.subarray(0, otherCount);
    read(apart, keys);
    listener.addEach(keys.subarray(0, otherCount), apart);
  };
}

function valueCounter(
  { present }: SingleKeyReader,
  { codes, size }: CodedKeys,
  tally: Uint32Array,
): (ordinals: Uint32Array) => void {
  if (present === undefined) {
    return (ordinals) => {
      for (let i = 0; i < ordinals.length; i++) tally[codes[ordinals[i]]]++;
    };
  }
  return (ordinals) => {
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i];
      tally[hasBit(present, ordinal) ? codes[ordinal] : size]++;
    }
  };
}

/** An element counts once per document; a missing array is one null key, an empty one none. */
function elementCounter(
  { present, offsets }: ElementKeyReader,
  { codes, size }: CodedKeys,
  tally: Uint32Array,
): VisitElements {
  /** By code: the last document that was seen with it, plus 1. */
  const seen = new Uint32Array(size);
  return (ordinals, start, stop) => {
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i];
      if (!hasBit(present, ordinal)) {
        tally[size]++;
        continue;
      }
      const end = Math.min(stop, offsets[ordinal + 1]);
      for (let element = Math.max(start, offsets[ordinal]); element < end; element++) {
        const code = codes[element];
        if (seen[code] === ordinal + 1) continue;
        seen[code] = ordinal + 1;
        tally[code]++;
      }
    }
  };
}

interface Tallied {
  readonly tally: Uint32Array;
  readonly sums: TallySums;
}

/** Tells of values that have no place at once. */
function singleSummer(
  reader: SingleKeyReader,
  size: number,
  { tally, listener, sums }: Tallied & { readonly listener: TallyListener },
): (ordinals: Uint32Array) => void {
  const elsewhere = size + 1;
  const readPlaces = placeReader(reader, size);
  const places = new Uint32Array(DOCUMENTS_PER_STEP);
  const others = new Uint32Array(DOCUMENTS_PER_STEP);
  const keys = new Uint32Array(DOCUMENTS_PER_STEP);
  return (ordinals) => {
    readPlaces(ordinals, places);
    for (let i = 0; i < ordinals.length; i++) tally[places[i]]++;
    sums.add(places, ordinals);
    // All that a dictionary has, has a place.
    if (reader.dictionary !== undefined) return;
    let otherCount = 0;
    for (let i = 0; i < ordinals.length; i++) {
      if (places[i] === elsewhere) others[otherCount++] = ordinals[i];
    }
    if (otherCount === 0) return;
    const apart = others.subarray(0, otherCount);
    reader.read(apart, keys);
    listener.addEach(keys.subarray(0, otherCount), apart);
  };
}

/** As `elementCounter` counts. */
function elementSummer(
  { present, offsets }: ElementKeyReader,
  { codes, size }: CodedKeys,
  { tally, sums }: Tallied,
): VisitElements {
  /** By code: the last document that was seen with it, plus 1. */
  const seen = new Uint32Array(size);
  const places = new Uint32Array(ELEMENTS_PER_PART);
  const documents = new Uint32Array(ELEMENTS_PER_PART);
  let count = 0;
  const add = (place: number, ordinal: number): void => {
    tally[place]++;
    places[count] = place;
    documents[count++] = ordinal;
  };
  return (ordinals, start, stop) => {
    count = 0;
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i];
      if (!hasBit(present, ordinal)) {
        add(size, ordinal);
        continue;
      }
      const end = Math.min(stop, offsets[ordinal + 1]);
      for (let element = Math.max(start, offsets[ordinal]); element < end; element++) {
        const code = codes[element];
        if (seen[code] === ordinal + 1) continue;
        seen[code] = ordinal + 1;
        add(code, ordinal);
      }
    }
    sums.add(places, documents.subarray(0, count));
  };
}
