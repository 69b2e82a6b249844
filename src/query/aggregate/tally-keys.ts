/**
 * Counts the documents of one key by places of a small table, before anything else is known of its
 * values: the codes of a dictionary, bools, and small integers.
 */

import { must } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { hasBit } from "../../codec/bitmap.ts";
import { eachMatch, type MatchedDocuments, matchCount } from "../filter/matched-documents.ts";
import type {
  CodedKeys,
  ElementKeyReader,
  KeyNumber,
  KeyReader,
  SingleKeyReader,
  SmallKeys,
} from "./group-keys.ts";

/** Documents, or elements of arrays at about, that are looked at between two pauses. */
const DOCUMENTS_PER_STEP = 4096;
/** Places for each match, at most: those of which no document is are looked at, too. */
const PLACES_MAX = 8;
/** Groups that are told of between two pauses, in about a microsecond each. */
const GROUPS_PER_STEP = 256;

/** Who hears of groups of one key in one segment. */
export interface TallyListener {
  /** So many documents have this key. */
  add(key: KeyNumber, count: number): void;
  /** One document has each of these, which are used again. */
  addEach(keys: Uint32Array): void;
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
  // The last one is of documents without a value.
  const tally = new Uint32Array(table.size + 1);
  yield* eachMatch(matching, counterOf(reader, tally, listener), documentsPerStep(reader));
  let told = 0;
  for (let place = 0; place <= table.size; place++) {
    if (tally[place] === 0) continue;
    listener.add(place < table.size ? table.numberOf(place) : 0, tally[place]);
    if (++told % GROUPS_PER_STEP === 0) yield;
  }
  return true;
}

/** Counts documents of a reader that has a table. */
function counterOf(
  reader: KeyReader,
  tally: Uint32Array,
  listener: TallyListener,
): (ordinals: Uint32Array) => void {
  const { dictionary } = reader;
  if (reader.form === "elements") {
    return elementCounter(reader, must(dictionary, "elements without codes"), tally);
  }
  if (dictionary !== undefined) return valueCounter(reader, dictionary, tally);
  return smallCounter(reader, must(reader.small, "no table"), { tally, listener });
}

function documentsPerStep(reader: KeyReader): number {
  if (reader.form === "single") return DOCUMENTS_PER_STEP;
  const documentCount = reader.offsets.length - 1;
  const mean = reader.offsets[documentCount] / Math.max(1, documentCount);
  return Math.max(1, Math.floor(DOCUMENTS_PER_STEP / (mean + 1)));
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
  const floats = new Float64Array(DOCUMENTS_PER_STEP);
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
    read(others.subarray(0, otherCount), keys, floats);
    listener.addEach(keys.subarray(0, otherCount));
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
): (ordinals: Uint32Array) => void {
  /** By code: the last document that was seen with it, plus 1. */
  const seen = new Uint32Array(size);
  return (ordinals) => {
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i];
      if (!hasBit(present, ordinal)) {
        tally[size]++;
        continue;
      }
      const end = offsets[ordinal + 1];
      for (let element = offsets[ordinal]; element < end; element++) {
        const code = codes[element];
        if (seen[code] === ordinal + 1) continue;
        seen[code] = ordinal + 1;
        tally[code]++;
      }
    }
  };
}
