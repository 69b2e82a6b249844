/**
 * Posting lists: for each of some sorted strings the ordinals that have it, ascending, and a number
 * for each: a frequency, or the bits of a weight. While they are built they are plain arrays; in a
 * segment the lists are in a section of their own (`compact-section.ts`), so that a reader needs
 * only those that it asks for, and a directory is packed (`columns-packing.ts`) into another:
 *
 * - strings: offsets and bytes (`term-section.ts`);
 * - starts: where each list begins (count + 1).
 */

import type { Steps } from "../../base/steps.ts";
import {
  type ArrayPacker,
  type ArrayUnpacker,
  bytesOf,
  copyInSteps,
} from "../../codec/columns-packing.ts";
import { mergeSorted, type SortedStrings, StringCollector } from "./term-section.ts";

/** Which lists there are, and where: in what depends on who holds it. */
export interface PostingDirectory {
  readonly strings: SortedStrings;
  readonly starts: Uint32Array;
}

/** All posting lists of an attribute, end to end. */
export interface PostingLists extends PostingDirectory {
  readonly ordinals: Uint32Array;
  readonly numbers: Uint32Array;
}

/** Posting lists of a segment by code. */
export interface StoredLists {
  readonly listCount: number;
  /** Postings of a list; reads none. */
  postingCount(code: number): number;
  /** Writes a list to a buffer; returns how many postings it has. Throws `BytesMissing`. */
  decode(code: number, buffer: PostingBuffer): number;
}

/** The postings of one list at a time. */
export class PostingBuffer {
  ordinals = new Uint32Array(POSTINGS_KEPT);
  numbers = new Uint32Array(POSTINGS_KEPT);

  /** Makes room for so many; what was there may be lost. */
  reserve(count: number): void {
    if (count <= this.ordinals.length) return;
    const length = Math.max(count, 2 * this.ordinals.length);
    this.ordinals = new Uint32Array(length);
    this.numbers = new Uint32Array(length);
  }
}

/** One input of a merge. */
export interface PostingPart {
  readonly strings: SortedStrings;
  readonly lists: StoredLists;
  /** New ordinal by old one; `DELETED` for documents that are dropped. Rises from part to part. */
  readonly newOrdinals: Uint32Array;
}

/** Postings that are added between two calls of `makeRoom`, at most, without copying in one go. */
const POSTINGS_AHEAD = 65_536;
/** Postings that one step of a build takes. */
const STEP_POSTINGS = 16_384;
/** Postings that a collector keeps room for between two uses. */
const POSTINGS_KEPT = 4096;
/** Codes that it keeps room for: as many as a table of terms gives again. */
const CODES_KEPT = 1 << 18;

/** Mark of a document that does not live on. */
export const DELETED = 0xffff_ffff;

/** Adds a directory of posting lists to a packer. */
export function packPostings(packer: ArrayPacker, lists: PostingDirectory): void {
  packer.array(lists.strings.offsets);
  packer.array(lists.strings.bytes);
  packer.array(lists.starts);
}

/** Reads what `packPostings` added. */
export function unpackPostings(unpacker: ArrayUnpacker): PostingDirectory {
  const strings = { offsets: unpacker.u32(), bytes: unpacker.u8() };
  return { strings, starts: unpacker.u32() };
}

/**
 * Joins posting lists; strings without a live document are dropped. Where new ordinals do not rise
 * within a part, lists are sorted.
 */
export function* mergePostings(parts: readonly PostingPart[]): Steps<PostingLists> {
  let capacity = 0;
  for (const { lists } of parts) {
    for (let code = 0; code < lists.listCount; code++) capacity += lists.postingCount(code);
    yield;
  }
  const ordinals = new Uint32Array(capacity);
  const numbers = new Uint32Array(capacity);
  const tables = parts.map((part) => part.strings);
  const buffer = new PostingBuffer();
  const strings = new StringCollector();
  const starts: number[] = [0];
  let at = 0;
  yield* mergeSorted(tables, (merged) => {
    const before = at;
    let looked = 1;
    for (let m = 0; m < merged.tableCount; m++) {
      const { lists, newOrdinals } = parts[merged.tables[m]];
      const count = lists.decode(merged.codes[merged.tables[m]], buffer);
      looked += count;
      for (let i = 0; i < count; i++) {
        const ordinal = newOrdinals[buffer.ordinals[i]];
        if (ordinal === DELETED) continue;
        ordinals[at] = ordinal;
        numbers[at++] = buffer.numbers[i];
      }
    }
    if (at > before) {
      strings.add(tables[merged.tables[0]], merged.codes[merged.tables[0]]);
      starts.push(at);
    }
    return looked;
  });
  const lists = {
    strings: strings.finish(),
    starts: Uint32Array.from(starts),
    ordinals: ordinals.subarray(0, at),
    numbers: numbers.subarray(0, at),
  };
  return parts.every(({ newOrdinals }) => isRising(newOrdinals)) ? lists : sortPostings(lists);
}

function isRising(newOrdinals: Uint32Array): boolean {
  let last = -1;
  for (const ordinal of newOrdinals) {
    if (ordinal === DELETED) continue;
    if (ordinal < last) return false;
    last = ordinal;
  }
  return true;
}

/** Sorts each list by ordinal: all postings by document, then each document's back to its lists. */
function sortPostings({ strings, starts, ordinals, numbers }: PostingLists): PostingLists {
  const documentCount = ordinals.reduce((most, ordinal) => Math.max(most, ordinal), -1) + 1;
  const ends = new Uint32Array(documentCount + 1);
  for (const ordinal of ordinals) ends[ordinal + 1]++;
  for (let o = 0; o < documentCount; o++) ends[o + 1] += ends[o];
  const next = ends.slice(0, documentCount);
  const codes = new Uint32Array(ordinals.length);
  const values = new Uint32Array(ordinals.length);
  for (let code = 0; code + 1 < starts.length; code++) {
    for (let i = starts[code]; i < starts[code + 1]; i++) {
      const at = next[ordinals[i]]++;
      codes[at] = code;
      values[at] = numbers[i];
    }
  }
  const sorted = {
    ordinals: new Uint32Array(ordinals.length),
    numbers: new Uint32Array(ordinals.length),
  };
  const to = starts.slice();
  for (let o = 0; o < documentCount; o++) {
    for (let i = ends[o]; i < ends[o + 1]; i++) {
      const at = to[codes[i]]++;
      sorted.ordinals[at] = o;
      sorted.numbers[at] = values[i];
    }
  }
  return { strings, starts, ...sorted };
}

/** Strings of postings, by the codes that a collector is given for them. */
export interface PostingKeys {
  stringOf(code: number): string;
  codeOf(key: string): number;
}

/**
 * Collects postings in the order of their documents, then sorts them into lists. Ready for the next
 * ones after `finish`: single documents are indexed without new buffers.
 */
export class PostingCollector {
  /** Codes that have postings, in the order of the first ones. */
  #codes = new Uint32Array(POSTINGS_KEPT);
  #codeCount = 0;
  /** One more than the greatest of them. */
  #codeEnd = 0;
  /**
   * By code: index of the last posting, which more of the same document are added to. What is of
   * no posting, or of another code's, is left from earlier ones.
   */
  #last = new Uint32Array(POSTINGS_KEPT);
  #postingCodes = new Uint32Array(POSTINGS_KEPT);
  #ordinals = new Uint32Array(POSTINGS_KEPT);
  #numbers = new Uint32Array(POSTINGS_KEPT);
  #count = 0;

  /** Adds `number` to the posting of a key in a document; ordinals never fall from call to call. */
  add(code: number, ordinal: number, number: number): void {
    const at = this.#count;
    if (at === this.#ordinals.length) this.#growPostings();
    if (code >= this.#last.length) this.#last = grown(this.#last, code);
    const last = this.#last[code];
    if (last < at && this.#postingCodes[last] === code) {
      if (this.#ordinals[last] === ordinal) {
        this.#numbers[last] += number;
        return;
      }
    } else {
      if (this.#codeCount === this.#codes.length) {
        this.#codes = grown(this.#codes, this.#codeCount);
      }
      this.#codes[this.#codeCount++] = code;
      if (code >= this.#codeEnd) this.#codeEnd = code + 1;
    }
    this.#last[code] = at;
    this.#postingCodes[at] = code;
    this.#ordinals[at] = ordinal;
    this.#numbers[at] = number;
    this.#count = at + 1;
  }

  /** Makes room for the next ones, in steps where that takes long: not while others are added. */
  *makeRoom(): Steps<void> {
    if (isShort(this.#codes, this.#codeCount)) this.#codes = yield* doubled(this.#codes);
    if (isShort(this.#last, this.#codeEnd)) this.#last = yield* doubled(this.#last);
    if (!isShort(this.#ordinals, this.#count)) return;
    this.#postingCodes = yield* doubled(this.#postingCodes);
    this.#ordinals = yield* doubled(this.#ordinals);
    this.#numbers = yield* doubled(this.#numbers);
  }

  /** The lists by `sort` of the keys, which `encode` turns into bytes. */
  *finish(
    keys: PostingKeys,
    sort: (keys: readonly string[]) => Steps<string[]>,
    encode: (sorted: readonly string[]) => SortedStrings,
  ): Steps<PostingLists> {
    const unsorted: string[] = [];
    for (let i = 0; i < this.#codeCount; i++) {
      if (i % STEP_POSTINGS === STEP_POSTINGS - 1) yield;
      unsorted.push(keys.stringOf(this.#codes[i]));
    }
    const sorted = yield* sort(unsorted);
    const starts = new Uint32Array(sorted.length + 1);
    // The last postings are not needed any more: their place takes the ranks.
    const ranks = this.#last;
    for (let rank = 0; rank < sorted.length; rank++) {
      if (rank % STEP_POSTINGS === 0) yield;
      ranks[keys.codeOf(sorted[rank])] = rank;
    }
    const count = this.#count;
    for (let i = 0; i < count; i++) {
      if (i % STEP_POSTINGS === 0) yield;
      starts[ranks[this.#postingCodes[i]] + 1]++;
    }
    for (let rank = 0; rank < sorted.length; rank++) {
      if (rank % STEP_POSTINGS === 0) yield;
      starts[rank + 1] += starts[rank];
    }
    const next = starts.slice();
    const ordinals = new Uint32Array(count);
    const numbers = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      if (i % STEP_POSTINGS === 0) yield;
      const at = next[ranks[this.#postingCodes[i]]]++;
      ordinals[at] = this.#ordinals[i];
      numbers[at] = this.#numbers[i];
    }
    this.#reset();
    return { strings: encode(sorted), starts, ordinals, numbers };
  }

  #reset(): void {
    this.#codeCount = 0;
    this.#codeEnd = 0;
    this.#count = 0;
    if (this.#codes.length > CODES_KEPT) this.#codes = new Uint32Array(POSTINGS_KEPT);
    if (this.#last.length > CODES_KEPT) this.#last = new Uint32Array(POSTINGS_KEPT);
    if (this.#ordinals.length <= POSTINGS_KEPT) return;
    this.#postingCodes = new Uint32Array(POSTINGS_KEPT);
    this.#ordinals = new Uint32Array(POSTINGS_KEPT);
    this.#numbers = new Uint32Array(POSTINGS_KEPT);
  }

  #growPostings(): void {
    this.#postingCodes = grown(this.#postingCodes, this.#count);
    this.#ordinals = grown(this.#ordinals, this.#count);
    this.#numbers = grown(this.#numbers, this.#count);
  }
}

/** True when more may be added to a long array between two calls of `makeRoom` than fits in it. */
function isShort({ length }: Uint32Array, used: number): boolean {
  return length >= POSTINGS_AHEAD && length - used <= POSTINGS_AHEAD;
}

function* doubled(array: Uint32Array): Steps<Uint32Array<ArrayBuffer>> {
  const target = new Uint32Array(2 * array.length);
  yield* copyInSteps(bytesOf(array), bytesOf(target));
  return target;
}

/** The array with room for an element at `index`. */
function grown(array: Uint32Array, index: number): Uint32Array<ArrayBuffer> {
  const target = new Uint32Array(2 * Math.max(array.length, index + 1));
  target.set(array);
  return target;
}
