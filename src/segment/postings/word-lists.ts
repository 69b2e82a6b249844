/**
 * Posting lists in two sections of words, as format version 1 has them: the ordinals of all lists,
 * u32 each, end to end, and the numbers, u32 each. A directory says where each list begins in both.
 */

import { checkOffsets } from "../../codec/columns-check.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { ByteSource } from "../format/byte-source.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionEntry, SectionKind } from "../format/segment-layout.ts";
import type { PostingBuffer, PostingDirectory } from "./posting-section.ts";
import { touchLists } from "./touch-lists.ts";

const WORD_BYTES = 4;

/** Kinds of the sections that hold the lists. */
export interface WordKinds {
  readonly ordinals: SectionKind;
  readonly numbers: SectionKind;
}

/** The lists of two sections, read by range. */
export class WordLists {
  readonly #source: ByteSource;
  readonly #documentCount: number;
  readonly #ordinals: SectionEntry;
  readonly #numbers: SectionEntry;
  readonly #starts: Uint32Array;

  /** `starts`: where each list begins. Reads nothing; throws `corrupt` without a section. */
  constructor(sections: AttributeSections, kinds: WordKinds, starts: Uint32Array) {
    const ordinals = sections.entry(kinds.ordinals);
    const numbers = sections.entry(kinds.numbers);
    if (ordinals === undefined || numbers === undefined) {
      throw corrupt("posting lists", `those of \`${sections.attribute}\` are missing`);
    }
    this.#source = sections.source;
    this.#documentCount = sections.documentCount;
    this.#ordinals = ordinals;
    this.#numbers = numbers;
    this.#starts = starts;
  }

  get listCount(): number {
    return this.#starts.length - 1;
  }

  /** Postings of a list; reads none. */
  postingCount(code: number): number {
    return this.#starts[code + 1] - this.#starts[code];
  }

  /** A list by its code. Throws `BytesMissing`, for both arrays at once. */
  read(code: number): { readonly ordinals: Uint32Array; readonly numbers: Uint32Array } {
    const range = { start: this.#starts[code], end: this.#starts[code + 1] };
    const [ordinals, numbers] = attemptAll([
      () => readWords(this.#source, this.#ordinals, range),
      () => readWords(this.#source, this.#numbers, range),
    ]);
    return { ordinals, numbers };
  }

  /** Copies a list into a buffer; returns how many postings it has. Throws `BytesMissing`. */
  decode(code: number, buffer: PostingBuffer): number {
    const { ordinals, numbers } = this.read(code);
    buffer.reserve(ordinals.length);
    buffer.ordinals.set(ordinals);
    buffer.numbers.set(numbers);
    return ordinals.length;
  }

  /** Looks at all lists, as queries do. Throws one `BytesMissing`. */
  touchAll(): void {
    const lists = { starts: this.#starts, unitBytes: WORD_BYTES };
    attemptAll([
      () => touchLists(this.#source, this.#ordinals, lists),
      () => touchLists(this.#source, this.#numbers, lists),
    ]);
  }

  /** Throws `corrupt` unless all lists are there, and their ordinals ascend within the segment. */
  check({ strings }: Pick<PostingDirectory, "strings">): void {
    checkOffsets(strings.offsets, this.listCount, strings.bytes.length);
    checkOffsets(this.#starts, this.listCount, undefined);
    const bytes = this.#starts[this.listCount] * WORD_BYTES;
    if (bytes > this.#ordinals.bytes || bytes > this.#numbers.bytes) {
      throw corrupt("posting lists", "some are missing");
    }
    for (let code = 0; code < this.listCount; code++) {
      let last = -1;
      for (const ordinal of this.read(code).ordinals) {
        if (ordinal <= last || ordinal >= this.#documentCount) {
          throw corrupt("posting lists", `list ${code} does not fit the documents`);
        }
        last = ordinal;
      }
    }
  }
}

/** The words from `start` to before `end` of a section. Throws `BytesMissing`. */
export function readWords(
  source: ByteSource,
  section: SectionEntry,
  { start, end }: { readonly start: number; readonly end: number },
): Uint32Array {
  if (start === end) return new Uint32Array(0);
  const from = section.offset + start * WORD_BYTES;
  const { bytes } = source.place(from, from + (end - start) * WORD_BYTES);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, end - start);
}
