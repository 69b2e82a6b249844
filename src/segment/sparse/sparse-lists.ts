/** Posting lists of sparse vectors, in whichever sections a segment has them. */

import type { AttributeSections } from "../format/attribute-sections.ts";
import { CompactLists, type NumberForm } from "../postings/compact-section.ts";
import { OrdinalList } from "../postings/ordinal-list.ts";
import type { PostingBuffer, PostingDirectory, StoredLists } from "../postings/posting-section.ts";
import { WordLists } from "../postings/word-lists.ts";

/** The documents with a weight for a dimension, and the weights. */
export interface SparsePostings {
  readonly ordinals: OrdinalList;
  readonly weights: Float16Array;
}

/** Numbers of postings, which are the bits of f32 while lists are built, as f16: so vectors have them. */
const WEIGHT_FORM: NumberForm = {
  bytes: Float16Array.BYTES_PER_ELEMENT,
  encode: (numbers, { start, end }, target) =>
    weightsIn(target).set(floatsIn(numbers.subarray(start, end))),
  decode: (bytes, numbers) => floatsIn(numbers).set(weightsIn(bytes)),
};

/** Kind of the section of inverted sparse vectors without their postings. */
export const SPARSE_SECTION = 50;
/** The section of their posting lists. */
export const SPARSE_LISTS = { kind: 51, numbers: WEIGHT_FORM } as const;
/** Kinds of the sections that bound those. */
export const SPARSE_BLOCKS = { directory: 30, words: 31 } as const;

/** The same of format version 1: numbers are the bits of f32. */
export const WORD_SPARSE_SECTION = 7;
/** Kinds of the sections of posting lists of format version 1. */
export const WORD_SPARSE_LISTS = { ordinals: 11, numbers: 12 } as const;

/** Posting lists of an attribute, the numbers being weights. */
export interface SparseLists extends StoredLists {
  /** A list by its code. Throws `BytesMissing`. */
  read(code: number): SparsePostings;
  /** Looks at all lists, as queries do. Throws one `BytesMissing`. */
  touchAll(): void;
  /** Throws `corrupt` unless lists from a store fit each other and the documents. */
  check(): void;
}

/** Opens lists by the directory of one of the two kinds of section. */
export function openSparseLists(
  sections: AttributeSections,
  directory: PostingDirectory,
  { isVersion1 }: { readonly isVersion1: boolean },
): SparseLists {
  return isVersion1
    ? new WordSparseLists(sections, directory)
    : new CompactSparseLists(sections, directory);
}

class CompactSparseLists implements SparseLists {
  readonly #directory: PostingDirectory;
  readonly #lists: CompactLists;

  constructor(sections: AttributeSections, directory: PostingDirectory) {
    this.#directory = directory;
    this.#lists = new CompactLists(sections, SPARSE_LISTS, directory.starts);
  }

  get listCount(): number {
    return this.#lists.listCount;
  }

  postingCount(code: number): number {
    return this.#lists.postingCount(code);
  }

  read(code: number): SparsePostings {
    const { ordinals, numbers } = this.#lists.read(code);
    return { ordinals, weights: weightsIn(numbers) };
  }

  decode(code: number, buffer: PostingBuffer): number {
    return this.#lists.decode(code, buffer);
  }

  touchAll(): void {
    this.#lists.touchAll();
  }

  check(): void {
    this.#lists.check(this.#directory);
  }
}

/** Lists of format version 1: each is put into the form of the others when it is read. */
class WordSparseLists implements SparseLists {
  readonly #directory: PostingDirectory;
  readonly #lists: WordLists;
  readonly #documentCount: number;

  constructor(sections: AttributeSections, directory: PostingDirectory) {
    this.#directory = directory;
    this.#lists = new WordLists(sections, WORD_SPARSE_LISTS, directory.starts);
    this.#documentCount = sections.documentCount;
  }

  get listCount(): number {
    return this.#lists.listCount;
  }

  postingCount(code: number): number {
    return this.#lists.postingCount(code);
  }

  read(code: number): SparsePostings {
    const { ordinals, numbers } = this.#lists.read(code);
    return {
      ordinals: OrdinalList.from(ordinals, this.#documentCount),
      weights: new Float16Array(floatsIn(numbers)),
    };
  }

  decode(code: number, buffer: PostingBuffer): number {
    return this.#lists.decode(code, buffer);
  }

  touchAll(): void {
    this.#lists.touchAll();
  }

  check(): void {
    this.#lists.check(this.#directory);
  }
}

function weightsIn({ buffer, byteOffset, byteLength }: Uint8Array): Float16Array {
  return new Float16Array(buffer, byteOffset, byteLength / Float16Array.BYTES_PER_ELEMENT);
}

function floatsIn({ buffer, byteOffset, length }: Uint32Array): Float32Array {
  return new Float32Array(buffer, byteOffset, length);
}
