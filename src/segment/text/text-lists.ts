/** Posting lists of texts. */

import type { AttributeSections } from "../format/attribute-sections.ts";
import { CompactLists } from "../postings/compact-section.ts";
import type { OrdinalList } from "../postings/ordinal-list.ts";
import type { PostingBuffer, PostingDirectory, StoredLists } from "../postings/posting-section.ts";
import {
  checkGreats,
  type Frequencies,
  frequenciesOf,
  type GreatFrequencies,
} from "./frequencies.ts";
import { TEXT_LISTS } from "./text-kinds.ts";

/** The documents that have a term, and how often each has it. */
export interface Postings {
  readonly ordinals: OrdinalList;
  readonly frequencies: Frequencies;
}

/** Posting lists of an attribute, the numbers being frequencies. */
export class TextLists implements StoredLists {
  readonly #directory: PostingDirectory;
  readonly #lists: CompactLists;
  readonly #greats: GreatFrequencies;

  /** Opens lists by their directory; reads nothing. */
  constructor(sections: AttributeSections, directory: PostingDirectory, greats: GreatFrequencies) {
    this.#directory = directory;
    this.#lists = new CompactLists(sections, TEXT_LISTS, directory.starts);
    this.#greats = greats;
  }

  get listCount(): number {
    return this.#lists.listCount;
  }

  postingCount(code: number): number {
    return this.#lists.postingCount(code);
  }

  /** A list by its code. Throws `BytesMissing`. */
  read(code: number): Postings {
    const { ordinals, numbers } = this.#lists.read(code);
    return { ordinals, frequencies: frequenciesOf(this.#greats, code, numbers) };
  }

  decode(code: number, buffer: PostingBuffer): number {
    const { ordinals, frequencies } = this.read(code);
    buffer.reserve(ordinals.length);
    ordinals.copyTo(buffer.ordinals);
    frequencies.copyTo(buffer.numbers);
    return ordinals.length;
  }

  /** Looks at all lists, as queries do. Throws one `BytesMissing`. */
  touchAll(): void {
    this.#lists.touchAll();
  }

  /** Throws `corrupt` unless lists from a store fit each other and the documents. */
  check(): void {
    this.#lists.check(this.#directory);
    checkGreats(this.#greats, this.listCount, (code) => this.#lists.read(code).numbers);
  }
}
