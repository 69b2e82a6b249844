/** Parts of posting lists, read where they are. */

import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { ByteSource } from "../format/byte-source.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionEntry } from "../format/segment-layout.ts";
import type { PostingDirectory, PostingKinds, PostingLists } from "./posting-section.ts";
import { touchLists } from "./touch-lists.ts";

const WORD_BYTES = 4;

/** The two sections that hold an attribute's postings. */
export class PostingRanges {
  readonly #source: ByteSource;
  readonly #ordinals: SectionEntry;
  readonly #numbers: SectionEntry;

  /** Reads nothing. Throws `corrupt` if one of the two sections is not there. */
  constructor(sections: AttributeSections, kinds: PostingKinds) {
    const ordinals = sections.entry(kinds.ordinals);
    const numbers = sections.entry(kinds.numbers);
    if (ordinals === undefined || numbers === undefined) {
      throw corrupt("posting lists", `those of \`${sections.attribute}\` are missing`);
    }
    this.#source = sections.source;
    this.#ordinals = ordinals;
    this.#numbers = numbers;
  }

  /** The postings from `start` to before `end`. Throws `BytesMissing`, for both arrays at once. */
  read(start: number, end: number): { ordinals: Uint32Array; numbers: Uint32Array } {
    const source = this.#source;
    const [ordinals, numbers] = attemptAll([
      () => readWords(source, this.#ordinals, { start, end }),
      () => readWords(source, this.#numbers, { start, end }),
    ]);
    return { ordinals, numbers };
  }

  /** Looks at all lists of a directory, as queries do. Throws one `BytesMissing`. */
  touchAll({ starts }: Pick<PostingDirectory, "starts">): void {
    attemptAll([
      () => touchLists(this.#source, this.#ordinals, starts),
      () => touchLists(this.#source, this.#numbers, starts),
    ]);
  }

  /** All lists of a directory. Throws `BytesMissing`. */
  readAll(directory: PostingDirectory): PostingLists {
    const { starts } = directory;
    return { ...directory, ...this.read(0, starts[starts.length - 1]) };
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
