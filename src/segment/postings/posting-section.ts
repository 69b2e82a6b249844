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

/**
 * Collects postings in the order of their documents, then sorts them into lists. Ready for the next
 * ones after `finish`: single documents are indexed without new buffers.
 */
export class PostingCollector {
  readonly #codes = new Map<string, number>();
  /** By code: index of the last posting, which more of the same document are added to. */
  #last = new Int32Array(POSTINGS_KEPT);
  #postingCodes = new Uint32Array(POSTINGS_KEPT);
  #ordinals = new Uint32Array(POSTINGS_KEPT);
  #numbers = new Uint32Array(POSTINGS_KEPT);
  #count = 0;

  /** Adds `number` to the posting of `key` in a document; ordinals never fall from call to call. */
  add(key: string, ordinal: number, number: number): void {
    if (this.#count === this.#ordinals.length) this.#resize(2 * this.#count);
    let code = this.#codes.get(key);
    if (code === undefined) {
      code = this.#codes.size;
      this.#codes.set(key, code);
    } else {
      const last = this.#last[code];
      if (this.#ordinals[last] === ordinal) {
        this.#numbers[last] += number;
        return;
      }
    }
    this.#last[code] = this.#count;
    this.#postingCodes[this.#count] = code;
    this.#ordinals[this.#count] = ordinal;
    this.#numbers[this.#count++] = number;
  }

  /** Makes room for the next ones, in steps where that takes long: not while others are added. */
  *makeRoom(): Steps<void> {
    const length = this.#ordinals.length;
    if (length < POSTINGS_AHEAD || length - this.#count > POSTINGS_AHEAD) return;
    const last = new Int32Array(2 * length);
    yield* copyInSteps(bytesOf(this.#last), bytesOf(last));
    this.#last = last;
    this.#postingCodes = yield* this.#doubled(this.#postingCodes);
    this.#ordinals = yield* this.#doubled(this.#ordinals);
    this.#numbers = yield* this.#doubled(this.#numbers);
  }

  /** The lists by `sort` of the keys, which `encode` turns into bytes. */
  *finish(
    sort: (keys: readonly string[]) => Steps<string[]>,
    encode: (sorted: readonly string[]) => SortedStrings,
  ): Steps<PostingLists> {
    const sorted = yield* sort([...this.#codes.keys()]);
    const starts = new Uint32Array(sorted.length + 1);
    // The last postings are not needed any more: their place takes the ranks.
    const ranks = this.#last;
    for (let rank = 0; rank < sorted.length; rank++) {
      if (rank % STEP_POSTINGS === 0) yield;
      ranks[this.#codes.get(sorted[rank]) ?? 0] = rank;
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
    this.#codes.clear();
    this.#count = 0;
    if (this.#ordinals.length > POSTINGS_KEPT) this.#resize(POSTINGS_KEPT);
    return { strings: encode(sorted), starts, ordinals, numbers };
  }

  *#doubled(array: Uint32Array): Steps<Uint32Array<ArrayBuffer>> {
    const doubled = new Uint32Array(2 * array.length);
    yield* copyInSteps(bytesOf(array), bytesOf(doubled));
    return doubled;
  }

  #resize(length: number): void {
    const count = this.#count;
    const last = new Int32Array(length);
    last.set(this.#last.subarray(0, count));
    this.#last = last;
    const copy = (array: Uint32Array) => {
      const resized = new Uint32Array(length);
      resized.set(array.subarray(0, count));
      return resized;
    };
    this.#postingCodes = copy(this.#postingCodes);
    this.#ordinals = copy(this.#ordinals);
    this.#numbers = copy(this.#numbers);
  }
}
