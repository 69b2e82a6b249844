/**
 * Posting lists: for each of some sorted strings the ordinals that have it, ascending, and a number
 * for each: a frequency, or the bits of a weight. While they are built they are plain arrays; in a
 * segment the lists are in a section of their own (`compact-section.ts`), so that a reader needs
 * only those that it asks for, and a directory is packed (`columns-packing.ts`) into another:
 *
 * - strings: offsets and bytes (`term-section.ts`);
 * - starts: where each list begins (count + 1).
 */

import { copyInSteps } from "../../base/pieces.ts";
import type { Steps } from "../../base/steps.ts";
import { withRoom } from "../../base/with-room.ts";
import { type ArrayPacker, type ArrayUnpacker, bytesOf } from "../../codec/columns-packing.ts";
import type { KeyOrder } from "./key-order.ts";
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

/** Lists of a collector. */
export interface CollectedLists extends PostingLists {
  /** The code by which the postings of each list were added. */
  readonly codes: Uint32Array;
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

/** Is told of lists while they are joined, before they are sorted. */
export interface MergeObserver {
  /** A list of a part comes next, of so many postings, those of deleted documents among them. */
  add(part: number, code: number, postings: PostingBuffer, count: number): void;
  /** The lists that came since the last end are one, which is not dropped. */
  end(): void;
}

/**
 * Joins posting lists; strings without a live document are dropped. Where new ordinals do not rise
 * within a part, lists are sorted.
 */
export function* mergePostings(
  parts: readonly PostingPart[],
  observer?: MergeObserver,
): Steps<PostingLists> {
  let capacity = 0;
  for (const { lists } of parts) {
    for (let code = 0; code < lists.listCount; code++) {
      capacity += lists.postingCount(code);
      if (code % STEP_POSTINGS === STEP_POSTINGS - 1) yield;
    }
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
      const code = merged.codes[merged.tables[m]];
      const count = lists.decode(code, buffer);
      observer?.add(merged.tables[m], code, buffer, count);
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
      observer?.end();
    }
    return looked;
  });
  const lists = {
    strings: yield* strings.finish(),
    starts: Uint32Array.from(starts),
    ordinals: ordinals.subarray(0, at),
    numbers: numbers.subarray(0, at),
  };
  return areRising(parts) ? lists : sortPostings(lists);
}

/** Tells whether new ordinals rise within each part, so that joined lists are in their order. */
export function areRising(parts: readonly Pick<PostingPart, "newOrdinals">[]): boolean {
  return parts.every(({ newOrdinals }) => isRising(newOrdinals));
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

/** A record of a collector, of four words for each code. */
const RECORD = 4;
/**
 * Words of a record: the stamp of the last document with the code; the index of its posting; then
 * how many postings the code has, and at last where its next one goes.
 */
const STAMP = 0;
const LAST = 1;
const COUNT = 2;
/** Stamps are used up when few are left for the documents of a build. */
const STAMPS_MAX = 2 ** 31;

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
  /** Records by code. One whose stamp is below `#firstStamp` is of earlier documents. */
  #records = new Uint32Array(RECORD * POSTINGS_KEPT);
  /** The stamp of document 0. */
  #firstStamp = 1;
  /** By posting. */
  #postingCodes = new Uint32Array(POSTINGS_KEPT);
  #ordinals = new Uint32Array(POSTINGS_KEPT);
  #numbers = new Uint32Array(POSTINGS_KEPT);
  #count = 0;

  /** Adds `number` to the posting of a code in a document; ordinals never fall from call to call. */
  add(code: number, ordinal: number, number: number): void {
    const record = RECORD * code;
    if (record >= this.#records.length) {
      this.#records = withRoom(this.#records, record + RECORD);
    }
    const records = this.#records;
    const stamp = this.#firstStamp + ordinal;
    const last = records[record + STAMP];
    if (last === stamp) {
      this.#numbers[records[record + LAST]] += number;
      return;
    }
    const at = this.#count;
    if (at === this.#ordinals.length) this.#growPostings();
    if (last < this.#firstStamp) this.#addCode(code);
    records[record + STAMP] = stamp;
    records[record + LAST] = at;
    records[record + COUNT]++;
    this.#postingCodes[at] = code;
    this.#ordinals[at] = ordinal;
    this.#numbers[at] = number;
    this.#count = at + 1;
  }

  /** Makes room for the next ones, in steps where that takes long: not while others are added. */
  *makeRoom(): Steps<void> {
    if (isShort(this.#codes, this.#codeCount)) this.#codes = yield* doubled(this.#codes);
    const recordEnd = RECORD * (this.#codeEnd + POSTINGS_AHEAD);
    if (recordEnd > this.#records.length && this.#codeEnd > POSTINGS_AHEAD) {
      this.#records = yield* doubled(this.#records);
    }
    if (!isShort(this.#ordinals, this.#count)) return;
    this.#postingCodes = yield* doubled(this.#postingCodes);
    this.#ordinals = yield* doubled(this.#ordinals);
    this.#numbers = yield* doubled(this.#numbers);
  }

  /** The lists in the order of their keys, which `encode` turns into bytes. */
  *finish(
    keys: KeyOrder,
    encode: (sorted: readonly string[]) => Steps<SortedStrings>,
  ): Steps<CollectedLists> {
    const codes = yield* keys.sorted(this.#codes.subarray(0, this.#codeCount));
    const sorted: string[] = [];
    const starts = new Uint32Array(codes.length + 1);
    const records = this.#records;
    for (let rank = 0; rank < codes.length; rank++) {
      if (rank % STEP_POSTINGS === STEP_POSTINGS - 1) yield;
      sorted.push(keys.stringOf(codes[rank]));
      const record = RECORD * codes[rank];
      starts[rank + 1] = starts[rank] + records[record + COUNT];
      records[record + COUNT] = starts[rank];
    }
    const count = this.#count;
    const ordinals = new Uint32Array(count);
    const numbers = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      if (i % STEP_POSTINGS === STEP_POSTINGS - 1) yield;
      const at = records[RECORD * this.#postingCodes[i] + COUNT]++;
      ordinals[at] = this.#ordinals[i];
      numbers[at] = this.#numbers[i];
    }
    this.#reset();
    return { strings: yield* encode(sorted), starts, ordinals, numbers, codes };
  }

  #addCode(code: number): void {
    if (this.#codeCount === this.#codes.length) {
      this.#codes = withRoom(this.#codes, this.#codeCount + 1);
    }
    this.#codes[this.#codeCount++] = code;
    if (code >= this.#codeEnd) this.#codeEnd = code + 1;
    this.#records[RECORD * code + COUNT] = 0;
  }

  #reset(): void {
    if (this.#count > 0) this.#firstStamp += this.#ordinals[this.#count - 1] + 1;
    if (this.#firstStamp > STAMPS_MAX || this.#records.length > RECORD * CODES_KEPT) {
      const length = Math.min(this.#records.length, RECORD * POSTINGS_KEPT);
      this.#records = new Uint32Array(length);
      this.#firstStamp = 1;
    }
    this.#codeCount = 0;
    this.#codeEnd = 0;
    this.#count = 0;
    if (this.#codes.length > POSTINGS_KEPT) this.#codes = new Uint32Array(POSTINGS_KEPT);
    if (this.#ordinals.length <= POSTINGS_KEPT) return;
    this.#postingCodes = new Uint32Array(POSTINGS_KEPT);
    this.#ordinals = new Uint32Array(POSTINGS_KEPT);
    this.#numbers = new Uint32Array(POSTINGS_KEPT);
  }

  #growPostings(): void {
    this.#postingCodes = withRoom(this.#postingCodes, this.#count + 1);
    this.#ordinals = withRoom(this.#ordinals, this.#count + 1);
    this.#numbers = withRoom(this.#numbers, this.#count + 1);
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
