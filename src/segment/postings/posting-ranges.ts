/** Parts of posting lists, read where they are. */

import type { ByteSource } from "../format/byte-source.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionEntry } from "../segment-format.ts";

const WORD_BYTES = 4;

/** The two sections that hold an attribute's postings. */
export class PostingRanges {
  readonly #source: ByteSource;
  readonly #ordinals: SectionEntry;
  readonly #numbers: SectionEntry;

  constructor(source: ByteSource, ordinals: SectionEntry, numbers: SectionEntry) {
    this.#source = source;
    this.#ordinals = ordinals;
    this.#numbers = numbers;
  }

  /** The postings from `start` to before `end`. Throws `NotResident`, for both arrays at once. */
  read(start: number, end: number): { ordinals: Uint32Array; numbers: Uint32Array } {
    const source = this.#source;
    const [ordinals, numbers] = attemptAll([
      () => words(source, this.#ordinals, { start, end }),
      () => words(source, this.#numbers, { start, end }),
    ]);
    return { ordinals, numbers };
  }
}

function words(
  source: ByteSource,
  section: SectionEntry,
  { start, end }: { readonly start: number; readonly end: number },
): Uint32Array {
  if (start === end) return new Uint32Array(0);
  const from = section.offset + start * WORD_BYTES;
  const { bytes } = source.place(from, from + (end - start) * WORD_BYTES);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, end - start);
}
