/** Counts documents by the codes of a dictionary, before anything else is known of its values. */

import type { Steps } from "../../base/steps.ts";
import { hasBit } from "../../codec/bitmap.ts";
import { eachMatch, type MatchedDocuments, matchCount } from "../filter/matched-documents.ts";
import type {
  CodedKeys,
  ElementKeyReader,
  KeyNumber,
  KeyReader,
  SingleKeyReader,
} from "./group-keys.ts";

/** Documents, or elements of arrays at about, that are looked at between two pauses. */
const DOCUMENTS_PER_STEP = 4096;
/** Groups that are told of between two pauses, in about a microsecond each. */
const GROUPS_PER_STEP = 256;

/** A group of one key, and how many documents of the segment are in it. */
export type VisitCount = (key: KeyNumber, count: number) => void;

/**
 * Tells how many matches have each key. Does nothing and gives false where another way is faster:
 * without a dictionary, and if it has more values than there are matches.
 */
export function* tallyCodes(
  reader: KeyReader,
  matching: MatchedDocuments,
  visit: VisitCount,
): Steps<boolean> {
  const { dictionary } = reader;
  if (dictionary === undefined || matchCount(matching) < dictionary.size) return false;
  // The last one is of documents without a value.
  const tally = new Uint32Array(dictionary.size + 1);
  if (reader.form === "single") {
    yield* eachMatch(matching, valueCounter(reader, dictionary, tally), DOCUMENTS_PER_STEP);
  } else {
    const documentCount = reader.offsets.length - 1;
    const mean = reader.offsets[documentCount] / Math.max(1, documentCount);
    const perStep = Math.max(1, Math.floor(DOCUMENTS_PER_STEP / (mean + 1)));
    yield* eachMatch(matching, elementCounter(reader, dictionary, tally), perStep);
  }
  let told = 0;
  for (let code = 0; code <= dictionary.size; code++) {
    if (tally[code] === 0) continue;
    visit(code < dictionary.size ? dictionary.numberOf(code) : 0, tally[code]);
    if (++told % GROUPS_PER_STEP === 0) yield;
  }
  return true;
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
