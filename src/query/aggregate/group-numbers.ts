/** Finds the groups of documents, a part of them at a time. */

import type { Steps } from "../../base/steps.ts";
import { WordTable } from "../../base/tables/word-table.ts";
import { withRoom } from "../../base/with-room.ts";
import { hasBit } from "../../codec/bitmap.ts";
import type { ScalarValue } from "../../model/value.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import {
  eachMatch,
  MATCHES_PER_STEP,
  type MatchedDocuments,
} from "../documents/matched-documents.ts";
import type { GroupNode } from "../operator/plan.ts";
import { ELEMENTS_PER_PART, eachElementPart, type VisitElements } from "./element-parts.ts";
import {
  type ElementKeyReader,
  KEY_NUMBERS_MAX,
  KeyInterner,
  type KeyNumber,
  type KeyReader,
  keyReader,
  type SingleKeyReader,
  tooManyKeys,
} from "./group-keys.ts";
import { type CombinedKeys, tallyCombinations } from "./tally-combinations.ts";
import { DOCUMENTS_PER_STEP, type TallyListener, tallyKeys } from "./tally-keys.ts";

/** Number of a combination of keys, the same in all segments; not all numbers are a group's. */
export type GroupNumber = number;

/** Takes the groups of documents; both arrays have a place for each and are used again. */
export type VisitGroups = (groups: Uint32Array, ordinals: Uint32Array) => void;

/** The matches of one segment. */
interface MatchesOf {
  readonly view: SegmentView;
  readonly matching: MatchedDocuments;
}

/** The combinations of some keys. */
export class GroupNumbers {
  readonly #interners: readonly KeyInterner[];
  /** Of all keys but the first: the number of those before it with that of its own. */
  readonly #pairs: readonly PairNumbers[];

  constructor(nodes: readonly GroupNode[]) {
    this.#interners = nodes.map((node) => new KeyInterner(node));
    this.#pairs = nodes.slice(1).map(() => new PairNumbers());
  }

  /** Above all numbers so far. */
  get size(): number {
    return (this.#pairs.at(-1) ?? this.#interners.at(-1))?.size ?? 1;
  }

  /** Of one value for each key. */
  numberOf(values: readonly (ScalarValue | null)[]): GroupNumber {
    const keys = values.map((value, i) => {
      return value === null ? 0 : this.#interners[i].numberOf(value);
    });
    return this.#numberOf(keys);
  }

  #numberOf(keys: readonly KeyNumber[]): GroupNumber {
    let group = keys[0] ?? 0;
    for (let i = 1; i < keys.length; i++) group = this.#pairs[i - 1].numberOf(group, keys[i]);
    return group;
  }

  /** One for each key. */
  valuesOf(group: GroupNumber): (ScalarValue | null)[] {
    const values: (ScalarValue | null)[] = [];
    let rest = group;
    for (let i = this.#interners.length - 1; i >= 0; i--) {
      values[i] = this.#interners[i].valueOf(this.#keyOf(rest, i));
      if (i > 0) rest = this.#pairs[i - 1].beforeOf(rest);
    }
    return values;
  }

  /** The order of groups: by their keys' values, ascending, null first. */
  compare(a: GroupNumber, b: GroupNumber): number {
    return this.#compareUpTo(a, b, this.#interners.length - 1);
  }

  /** By the keys up to an index, of groups of those. */
  #compareUpTo(a: GroupNumber, b: GroupNumber, index: number): number {
    if (a === b) return 0;
    if (index > 0) {
      const pairs = this.#pairs[index - 1];
      const order = this.#compareUpTo(pairs.beforeOf(a), pairs.beforeOf(b), index - 1);
      if (order !== 0) return order;
    }
    return this.#interners[index].compare(this.#keyOf(a, index), this.#keyOf(b, index));
  }

  /** The last key of a group of the keys up to an index. */
  #keyOf(group: GroupNumber, index: number): KeyNumber {
    return index === 0 ? group : this.#pairs[index - 1].keyOf(group);
  }

  /** Tells how many matches each group has, as `tallyKeys` and `tallyCombinations` do. */
  *tally(
    nodes: readonly GroupNode[],
    { view, matching }: MatchesOf,
    listener: TallyListener,
  ): Steps<boolean> {
    const readers = nodes.map((node, i) => keyReader(node, view, this.#interners[i]));
    if (readers.length === 1) return yield* tallyKeys(readers[0], matching, listener);
    let read: ((ordinals: Uint32Array) => Uint32Array) | undefined;
    const combined: CombinedKeys = {
      readers,
      numberOf: (keys) => this.#numberOf(keys),
      read: (ordinals) => {
        read ??= this.#combined(readers, DOCUMENTS_PER_STEP);
        return read(ordinals);
      },
    };
    return yield* tallyCombinations(combined, matching, listener);
  }

  /** Calls `visit` with the groups of all matches; at most one key is of elements. */
  *each(
    nodes: readonly GroupNode[],
    { view, matching }: MatchesOf,
    visit: VisitGroups,
  ): Steps<void> {
    const readers = nodes.map((node, i) => keyReader(node, view, this.#interners[i]));
    const ofElements = readers.findIndex(({ form }) => form === "elements");
    if (ofElements < 0) {
      const read = this.#combined(readers, MATCHES_PER_STEP);
      yield* eachMatch(matching, (ordinals) => visit(read(ordinals), ordinals));
      return;
    }
    const reader = readers[ofElements] as ElementKeyReader;
    const parts = { matching, offsets: reader.offsets, perStep: MATCHES_PER_STEP };
    if (readers.length === 1) {
      yield* eachElementPart(parts, elementVisitor(reader, visit));
      return;
    }
    const given = new Uint32Array(ELEMENTS_PER_PART);
    const single: SingleKeyReader = {
      form: "single",
      read: (ordinals, into) => into.set(given.subarray(0, ordinals.length)),
    };
    const read = this.#combined(readers.with(ofElements, single), ELEMENTS_PER_PART);
    const visitKeys: VisitGroups = (keys, ordinals) => {
      given.set(keys);
      visit(read(ordinals), ordinals);
    };
    yield* eachElementPart(parts, elementVisitor(reader, visitKeys));
  }

  /** Reads the groups of at most so many documents that have one of each key. */
  #combined(
    readers: readonly KeyReader[],
    countMax: number,
  ): (ordinals: Uint32Array) => Uint32Array {
    const groups = new Uint32Array(countMax);
    const keys = new Uint32Array(countMax);
    return (ordinals) => {
      readers[0].read(ordinals, groups);
      for (let i = 1; i < readers.length; i++) {
        readers[i].read(ordinals, keys);
        const pairs = this.#pairs[i - 1];
        for (let j = 0; j < ordinals.length; j++) groups[j] = pairs.numberOf(groups[j], keys[j]);
      }
      return groups.subarray(0, ordinals.length);
    };
  }
}

/** Numbers pairs of numbers, from 1 on. */
class PairNumbers {
  readonly #numbers = new WordTable();
  /** By number. */
  readonly #pairs: number[] = [0];

  numberOf(before: number, key: number): number {
    const known = this.#numbers.add(key, before, this.#pairs.length);
    if (known !== 0) return known;
    if (this.#pairs.length === KEY_NUMBERS_MAX) throw tooManyKeys();
    return this.#pairs.push(before * KEY_NUMBERS_MAX + key) - 1;
  }

  /** Above all numbers. */
  get size(): number {
    return this.#pairs.length;
  }

  beforeOf(number: number): number {
    return Math.floor(this.#pairs[number] / KEY_NUMBERS_MAX);
  }

  keyOf(number: number): KeyNumber {
    return this.#pairs[number] % KEY_NUMBERS_MAX;
  }
}

/**
 * Visits the distinct elements of documents of one segment. One counts once per document; a missing
 * array is one null key, an empty one none.
 */
function elementVisitor(
  { present, offsets, read }: ElementKeyReader,
  visit: VisitGroups,
): VisitElements {
  /** By key: the last document that was seen with it, plus 1. */
  let seen = new Uint32Array(ELEMENTS_PER_PART);
  const owners = new Uint32Array(ELEMENTS_PER_PART);
  const elements = new Uint32Array(ELEMENTS_PER_PART);
  const keys = new Uint32Array(ELEMENTS_PER_PART);
  const visitMissing = (documents: Uint32Array): void => {
    let count = 0;
    for (let i = 0; i < documents.length; i++) {
      if (!hasBit(present, documents[i])) owners[count++] = documents[i];
    }
    if (count > 0) visit(keys.fill(0, 0, count).subarray(0, count), owners.subarray(0, count));
  };
  return (documents, start, stop) => {
    visitMissing(documents);
    let count = 0;
    for (let i = 0; i < documents.length; i++) {
      const ordinal = documents[i];
      if (!hasBit(present, ordinal)) continue;
      const end = Math.min(stop, offsets[ordinal + 1]);
      for (let element = Math.max(start, offsets[ordinal]); element < end; element++) {
        owners[count] = ordinal;
        elements[count++] = element;
      }
    }
    read(elements.subarray(0, count), keys);
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const key = keys[i];
      const mark = owners[i] + 1;
      if (key >= seen.length) seen = withRoom(seen, key + 1);
      if (seen[key] === mark) continue;
      seen[key] = mark;
      keys[kept] = key;
      owners[kept++] = owners[i];
    }
    visit(keys.subarray(0, kept), owners.subarray(0, kept));
  };
}
