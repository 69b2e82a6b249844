/** Posting lists of texts, in whichever sections a segment has them. */

import type { AttributeSections } from "../format/attribute-sections.ts";
import { CompactLists } from "../postings/compact-section.ts";
import { OrdinalList } from "../postings/ordinal-list.ts";
import type { PostingBuffer, PostingDirectory, StoredLists } from "../postings/posting-section.ts";
import { WordLists } from "../postings/word-lists.ts";
import { checkGreats, Frequencies, frequenciesOf, type GreatFrequencies } from "./frequencies.ts";
import { TEXT_LISTS, WORD_TEXT_LISTS } from "./text-kinds.ts";

/** The documents that have a term, and how often each has it. */
export interface Postings {
  readonly ordinals: OrdinalList;
  readonly frequencies: Frequencies;
}

/** Posting lists of an attribute, the numbers being frequencies. */
export interface TextLists extends StoredLists {
  /** A list by its code. Throws `BytesMissing`. */
  read(code: number): Postings;
  /** Looks at all lists, as queries do. Throws one `BytesMissing`. */
  touchAll(): void;
  /** Throws `corrupt` unless lists from a store fit each other and the documents. */
  check(): void;
}

/** Opens lists by their directory; `greats` are undefined where lists are words. */
export function openTextLists(
  sections: AttributeSections,
  directory: PostingDirectory,
  greats: GreatFrequencies | undefined,
): TextLists {
  return greats === undefined
    ? new WordTextLists(sections, directory)
    : new CompactTextLists(sections, directory, greats);
}

class CompactTextLists implements TextLists {
  readonly #directory: PostingDirectory;
  readonly #lists: CompactLists;
  readonly #greats: GreatFrequencies;

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

  touchAll(): void {
    this.#lists.touchAll();
  }

  check(): void {
    this.#lists.check(this.#directory);
    checkGreats(this.#greats, this.listCount, (code) => this.#lists.read(code).numbers);
  }
}

/** Lists of format version 1: each is put into the form of the others when it is read. */
class WordTextLists implements TextLists {
  readonly #directory: PostingDirectory;
  readonly #lists: WordLists;
  readonly #documentCount: number;

  constructor(sections: AttributeSections, directory: PostingDirectory) {
    this.#directory = directory;
    this.#lists = new WordLists(sections, WORD_TEXT_LISTS, directory.starts);
    this.#documentCount = sections.documentCount;
  }

  get listCount(): number {
    return this.#lists.listCount;
  }

  postingCount(code: number): number {
    return this.#lists.postingCount(code);
  }

  read(code: number): Postings {
    const { ordinals, numbers } = this.#lists.read(code);
    return {
      ordinals: OrdinalList.from(ordinals, this.#documentCount),
      frequencies: Frequencies.from(numbers),
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
