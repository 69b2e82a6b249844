/**
 * Counts the documents of combinations of keys by small numbers, before anything else is known of
 * their values: each key's places (see `tally-keys.ts`) are numbered as they are met, and pairs of
 * numbers are found in a table without a hash.
 */

import type { Steps } from "../../base/steps.ts";
import { withRoom } from "../../base/with-room.ts";
import { eachMatch, type MatchedDocuments, matchCount } from "../documents/matched-documents.ts";
import type { KeyNumber, KeyReader } from "./group-keys.ts";
import { placeReader } from "./key-places.ts";
import {
  DOCUMENTS_PER_STEP,
  GROUPS_PER_STEP,
  PLACES_MAX,
  SUMMED_PLACES_MAX,
  type TallyListener,
} from "./tally-keys.ts";

/** Places of a table of pairs, at most: 4 MiB. */
const PAIRS_MAX = 2 ** 20;

/** What several keys are counted by. */
export interface CombinedKeys {
  readonly readers: readonly KeyReader[];
  /** The group of one number of each key. */
  numberOf(keys: readonly KeyNumber[]): number;
  /** The group of each of at most `DOCUMENTS_PER_STEP` documents. */
  read(ordinals: Uint32Array): Uint32Array;
}

/**
 * Tells how many matches have each combination, as `tallyKeys` does of one key. Documents of which
 * a value has no place, and those behind more combinations than there is room for, are told of one
 * by one.
 */
export function* tallyCombinations(
  combined: CombinedKeys,
  matching: MatchedDocuments,
  listener: TallyListener,
): Steps<boolean> {
  const keys = combined.readers.map(localKeys);
  if (!keys.every((key) => key !== undefined)) return false;
  const matches = matchCount(matching);
  const placeCount = keys.reduce((sum, { size }) => sum + size, 0);
  if (PLACES_MAX * matches < placeCount) return false;
  const { sums } = listener;
  const groupsMax = sums === undefined ? PAIRS_MAX : Math.min(matches, SUMMED_PLACES_MAX);
  const groups = new LocalGroups(keys, groupsMax);
  sums?.begin(groupsMax + 1);
  const visit = (ordinals: Uint32Array): void => {
    const numbers = groups.count(ordinals);
    if (numbers === undefined) listener.addEach(combined.read(ordinals), ordinals);
    else sums?.add(numbers, ordinals);
  };
  yield* eachMatch(matching, visit, DOCUMENTS_PER_STEP);
  for (let number = 1; number < groups.size; number++) {
    const count = groups.countOf(number);
    if (count === 0) continue;
    const group = combined.numberOf(groups.keysOf(number));
    listener.add(group, count);
    sums?.end(number, group);
    if (number % GROUPS_PER_STEP === 0) yield;
  }
  return true;
}

/** The combinations that were met in a segment, numbered from 1 on. */
class LocalGroups {
  readonly #keys: readonly LocalKeys[];
  /** Of all keys but the first: the number of those before it with that of its own. */
  readonly #pairs: readonly LocalPairs[];
  readonly #groupsMax: number;
  #counts = new Uint32Array(1024);
  readonly #numbers = new Uint32Array(DOCUMENTS_PER_STEP);
  readonly #next = new Uint32Array(DOCUMENTS_PER_STEP);

  constructor(keys: readonly LocalKeys[], groupsMax: number) {
    this.#keys = keys;
    this.#pairs = keys.slice(1).map(() => new LocalPairs());
    this.#groupsMax = groupsMax;
  }

  /** Above all numbers. */
  get size(): number {
    return this.#pairs[this.#pairs.length - 1].size;
  }

  /**
   * Counts documents, and writes their numbers, which are used again; undefined if nothing was
   * counted, as one has no place or there is no room.
   */
  count(ordinals: Uint32Array): Uint32Array | undefined {
    const numbers = this.#numbers;
    const next = this.#next;
    if (!this.#keys[0].read(ordinals, numbers)) return undefined;
    for (const [i, pairs] of this.#pairs.entries()) {
      const key = this.#keys[i + 1];
      if (!key.read(ordinals, next)) return undefined;
      const before = i === 0 ? this.#keys[0].numberCount : this.#pairs[i - 1].size;
      if (!pairs.reserve(before, key.numberCount)) return undefined;
      pairs.join(numbers, next, ordinals.length);
    }
    if (this.size > this.#groupsMax) return undefined;
    const counts = withRoom(this.#counts, this.size);
    this.#counts = counts;
    for (let i = 0; i < ordinals.length; i++) counts[numbers[i]]++;
    return numbers;
  }

  countOf(number: number): number {
    return this.#counts[number] ?? 0;
  }

  /** One for each key. */
  keysOf(number: number): KeyNumber[] {
    const keys: KeyNumber[] = [];
    let rest = number;
    for (let i = this.#keys.length - 1; i > 0; i--) {
      const pairs = this.#pairs[i - 1];
      keys[i] = this.#keys[i].keyOf(pairs.secondOf(rest));
      rest = pairs.firstOf(rest);
    }
    keys[0] = this.#keys[0].keyOf(rest);
    return keys;
  }
}

/** Numbers pairs of small numbers from 1 on, by a table with a place for each pair. */
class LocalPairs {
  /** By the first number, then by the second one; 0 of pairs that were not met. */
  #table = new Uint32Array(0);
  #rows = 0;
  /** A power of two. */
  #columns = 1;
  /** By number, the first and the second one. */
  readonly #met: number[] = [0, 0];

  /** Above all numbers. */
  get size(): number {
    return this.#met.length >>> 1;
  }

  /** Makes room for first and second numbers below these; tells whether there is so much. */
  reserve(rows: number, columns: number): boolean {
    if (rows <= this.#rows && columns <= this.#columns) return true;
    const newRows = Math.max(this.#rows, powerOfTwo(rows));
    const newColumns = Math.max(this.#columns, powerOfTwo(columns));
    if (newRows * newColumns > PAIRS_MAX) return false;
    const table = new Uint32Array(newRows * newColumns);
    for (let row = 0; row < this.#rows; row++) {
      const start = row * this.#columns;
      table.set(this.#table.subarray(start, start + this.#columns), row * newColumns);
    }
    this.#table = table;
    this.#rows = newRows;
    this.#columns = newColumns;
    return true;
  }

  /** Turns `first` into the numbers of the pairs, for which room was made. */
  join(first: Uint32Array, second: Uint32Array, count: number): void {
    const table = this.#table;
    const columns = this.#columns;
    for (let i = 0; i < count; i++) {
      const place = first[i] * columns + second[i];
      const number = table[place];
      first[i] = number === 0 ? this.#number(place) : number;
    }
  }

  #number(place: number): number {
    const number = this.size;
    this.#table[place] = number;
    this.#met.push(Math.floor(place / this.#columns), place % this.#columns);
    return number;
  }

  firstOf(number: number): number {
    return this.#met[2 * number];
  }

  secondOf(number: number): number {
    return this.#met[2 * number + 1];
  }
}

function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
}

/** The values of a key that were met in a segment, numbered from 1 on. */
interface LocalKeys {
  /** Places of its table. */
  readonly size: number;
  /** Above all numbers. */
  readonly numberCount: number;
  /** Writes the number of each document's value; tells whether all have a place. */
  read(ordinals: Uint32Array, into: Uint32Array): boolean;
  keyOf(number: number): KeyNumber;
}

/** Undefined where values have no places, or documents several. */
function localKeys(reader: KeyReader): LocalKeys | undefined {
  if (reader.form === "elements") return undefined;
  const table = reader.dictionary ?? reader.small;
  if (table === undefined) return undefined;
  const { size } = table;
  const readPlaces = placeReader(reader, size);
  // Behind the table are the places of documents without a value, and of those that have none.
  const numbers = new Uint32Array(size + 2);
  const places = [size + 1];
  return {
    size,
    get numberCount() {
      return places.length;
    },
    read(ordinals, into) {
      readPlaces(ordinals, into);
      for (let i = 0; i < ordinals.length; i++) {
        const place = into[i];
        let number = numbers[place];
        if (number === 0) {
          if (place > size) return false;
          number = places.push(place) - 1;
          numbers[place] = number;
        }
        into[i] = number;
      }
      return true;
    },
    keyOf: (number) => (places[number] === size ? 0 : table.numberOf(places[number])),
  };
}
