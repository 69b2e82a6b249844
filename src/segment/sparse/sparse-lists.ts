/** Posting lists of sparse vectors. */

import type { AttributeSections } from "../format/attribute-sections.ts";
import { CompactLists, type NumberForm } from "../postings/compact-section.ts";
import type { OrdinalList } from "../postings/ordinal-list.ts";
import type { PostingBuffer, PostingDirectory, StoredLists } from "../postings/posting-section.ts";

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

/** Posting lists of an attribute, the numbers being weights. */
export class SparseLists implements StoredLists {
  readonly #directory: PostingDirectory;
  readonly #lists: CompactLists;

  /** Opens lists by their directory; reads nothing. */
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

  /** A list by its code. Throws `BytesMissing`. */
  read(code: number): SparsePostings {
    const { ordinals, numbers } = this.#lists.read(code);
    return { ordinals, weights: weightsIn(numbers) };
  }

  decode(code: number, buffer: PostingBuffer): number {
    return this.#lists.decode(code, buffer);
  }

  /** Looks at all lists, as queries do. Throws one `BytesMissing`. */
  touchAll(): void {
    this.#lists.touchAll();
  }

  /** Throws `corrupt` unless lists from a store fit each other and the documents. */
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
