/** Reads a text index with pages; `text-pages.ts` draws what it reads. */

import { firstFrom } from "../../base/numbers/first-from.ts";
import { ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import { bitsetReader } from "../postings/bitset-section.ts";
import { type BlockPlaces, blockReader, touchBlocksAt } from "../postings/block-section.ts";
import type { PostingDirectory } from "../postings/posting-section.ts";
import {
  lastUpTo,
  lowerBoundOf,
  type SortedStrings,
  stringCount,
} from "../postings/term-section.ts";
import { type GreatFrequencies, unpackGreats } from "./frequencies.ts";
import { TEXT_BITSETS, TEXT_BLOCKS, TEXT_LENGTHS, TEXT_PAGES, TEXT_ROOT } from "./text-kinds.ts";
import { TextLists } from "./text-lists.ts";
import {
  type CodeRange,
  type LengthsPart,
  type TextLengths,
  type TextPage,
  type TextPages,
  type TextTotals,
  totalsOf,
  WORD,
} from "./text-pages.ts";

/** What the head says of a text index with pages. */
interface TextRoot {
  readonly fingerprint: string;
  readonly totals: TextTotals;
  readonly blockPostings: number;
  readonly separators: SortedStrings;
  readonly firstCodes: Uint32Array;
  readonly pageStarts: Uint32Array;
}

function openRoot(section: Uint8Array): TextRoot {
  const unpacker = new ArrayUnpacker(section, "a text index");
  const fingerprint = unpacker.text();
  const documentCount = unpacker.word();
  const termCount = unpacker.word() + WORD * unpacker.word();
  const blockPostings = unpacker.word();
  const separators = { offsets: unpacker.u32(), bytes: unpacker.u8() };
  const totals = { documentCount, termCount };
  const firstCodes = unpacker.u32();
  const pageStarts = unpacker.u32();
  const pages = stringCount(separators);
  if (pages < 1 || firstCodes.length !== pages + 1 || pageStarts.length !== pages + 1) {
    throw corrupt("a text index", "its pages do not fit each other");
  }
  return { fingerprint, totals, blockPostings, separators, firstCodes, pageStarts };
}

/** A page as it is stored. */
interface PageParts {
  readonly directory: PostingDirectory;
  readonly blocks: BlockPlaces;
  readonly bitsets: { readonly first: number; readonly codes: Uint32Array };
  readonly greats: GreatFrequencies;
}

function openPage(section: Uint8Array, blockPostings: number): PageParts {
  const unpacker = new ArrayUnpacker(section, "a page of terms");
  const strings = { offsets: unpacker.u32(), bytes: unpacker.u8() };
  const directory = { strings, starts: unpacker.u32() };
  const blocks = { blockPostings, codes: unpacker.u32(), starts: unpacker.u32() };
  const bitsets = { first: unpacker.word(), codes: unpacker.u32() };
  return { directory, blocks, bitsets, greats: unpackGreats(unpacker) };
}

/** Opens a text index with pages; undefined if there is none. Reads nothing. */
export function openPagedText(sections: AttributeSections): PagedText | undefined {
  const root = sections.headBytes(TEXT_ROOT);
  return root === undefined ? undefined : new PagedText(sections, openRoot(root));
}

/** All pages as one, with codes of the whole index. */
export interface WholeDictionary {
  readonly directory: PostingDirectory;
  readonly blocks: BlockPlaces;
  readonly bitsets: Uint32Array;
  readonly greats: GreatFrequencies;
}

/** A text index with pages. It keeps what it has opened of pages and lengths. */
export class PagedText implements TextPages, LengthsPart {
  readonly fingerprint: string;
  readonly totals: TextTotals;
  readonly #sections: AttributeSections;
  readonly #root: TextRoot;
  readonly #pages: (TextPage | undefined)[] = [];
  #lengths: LengthsPart | undefined;

  constructor(sections: AttributeSections, root: TextRoot) {
    this.fingerprint = root.fingerprint;
    this.totals = root.totals;
    this.#sections = sections;
    this.#root = root;
  }

  get termCount(): number {
    return this.#root.firstCodes[this.#pageCount];
  }

  get lengths(): TextLengths {
    return this.#openLengths().lengths;
  }

  get presence(): Uint8Array | undefined {
    return this.#openLengths().presence;
  }

  pageOf(code: number): TextPage {
    return this.#page(firstFrom(this.#root.firstCodes, code + 1) - 1);
  }

  pageWith(term: Uint8Array): TextPage {
    return this.#page(this.#indexWith(term));
  }

  codesNear(term: Uint8Array): CodeRange {
    const { firstCodes } = this.#root;
    const p = this.#indexWith(term);
    return { start: firstCodes[p], end: firstCodes[p + 1] };
  }

  touch(start: Uint8Array, end: Uint8Array): void {
    const last = this.#indexWith(end);
    const looks: (() => void)[] = [];
    for (let p = this.#indexWith(start); p <= last; p++) looks.push(() => void this.#page(p));
    attemptAll(looks);
  }

  /** Looks at all lists, and bounds of lists, of all pages. */
  touchParts(): void {
    attemptAll(
      Array.from({ length: this.#pageCount }, (_, p) => () => {
        const page = this.#page(p);
        const { blocks } = this.#parts(p);
        attemptAll([
          () => page.lists.touchAll(),
          () => touchBlocksAt(this.#sections, TEXT_BLOCKS, blocks),
        ]);
      }),
    );
  }

  /** Joins all pages, which must be in memory. Throws `corrupt` where they do not fit the root. */
  whole(): WholeDictionary {
    const { firstCodes, pageStarts } = this.#root;
    if (firstCodes[0] !== 0 || pageStarts[0] !== 0) {
      throw corrupt("a text index", "its first page is not where it begins");
    }
    const parts = Array.from({ length: this.#pageCount }, (_, p) => this.#checkedParts(p));
    const { blockPostings } = this.#root;
    const strings = joinStrings(parts.map(({ directory }) => directory.strings));
    const codes = (pick: (part: PageParts) => Uint32Array) => this.#joinCodes(parts.map(pick));
    return {
      directory: { strings, starts: joinStarts(parts.map(({ directory }) => directory.starts)) },
      blocks: {
        blockPostings,
        codes: codes(({ blocks }) => blocks.codes),
        starts: joinStarts(parts.map(({ blocks }) => blocks.starts)),
      },
      bitsets: codes(({ bitsets }) => bitsets.codes),
      greats: {
        codes: codes(({ greats }) => greats.codes),
        indexes: joinWords(parts.map(({ greats }) => greats.indexes)),
        values: joinWords(parts.map(({ greats }) => greats.values)),
      },
    };
  }

  /** Throws `corrupt` unless what the root says is true of all pages together, and of lengths. */
  check({ directory, bitsets }: WholeDictionary): void {
    const { separators, firstCodes, totals } = this.#root;
    const { strings } = directory;
    for (let p = 0; p < this.#pageCount; p++) {
      const separator = separators.bytes.subarray(separators.offsets[p], separators.offsets[p + 1]);
      if (lowerBoundOf(strings, separator) !== firstCodes[p]) {
        throw corrupt("a text index", `the separator of page ${p} is not between its terms`);
      }
      if (this.#parts(p).bitsets.first !== firstFrom(bitsets, firstCodes[p])) {
        throw corrupt("a text index", `page ${p} does not have its bitmaps`);
      }
    }
    const { documentCount, termCount } = totalsOf(this);
    if (documentCount !== totals.documentCount || termCount !== totals.termCount) {
      throw corrupt("a text index", "its totals are not those of its texts");
    }
  }

  get #pageCount(): number {
    return this.#root.pageStarts.length - 1;
  }

  #indexWith(term: Uint8Array): number {
    return Math.max(0, lastUpTo(this.#root.separators, term));
  }

  #page(index: number): TextPage {
    const known = this.#pages[index];
    if (known !== undefined) return known;
    const sections = this.#sections;
    const { directory, blocks, bitsets, greats } = this.#parts(index);
    const page = {
      firstCode: this.#root.firstCodes[index],
      strings: directory.strings,
      lists: new TextLists(sections, directory, greats),
      blocks: blockReader(sections, TEXT_BLOCKS, blocks),
      bitsets: bitsetReader(sections, TEXT_BITSETS, bitsets),
    };
    this.#pages[index] = page;
    return page;
  }

  #parts(index: number): PageParts {
    const { pageStarts, blockPostings } = this.#root;
    const section = this.#sections.part(TEXT_PAGES, pageStarts[index], pageStarts[index + 1]);
    return openPage(section, blockPostings);
  }

  #checkedParts(index: number): PageParts {
    const { firstCodes, pageStarts } = this.#root;
    const bytes = this.#sections.entry(TEXT_PAGES)?.bytes ?? 0;
    if (pageStarts[index] >= pageStarts[index + 1] || pageStarts[index + 1] > bytes) {
      throw corrupt("a text index", `page ${index} is not there`);
    }
    const parts = this.#parts(index);
    const { directory, blocks, bitsets, greats } = parts;
    const count = firstCodes[index + 1] - firstCodes[index];
    const isWhole =
      count >= 0 &&
      stringCount(directory.strings) === count &&
      directory.starts.length === count + 1 &&
      blocks.starts.length === blocks.codes.length + 1;
    const codes = [...blocks.codes, ...bitsets.codes, ...greats.codes];
    if (!isWhole || codes.some((code) => code >= count)) {
      throw corrupt("a text index", `page ${index} does not have its terms`);
    }
    return parts;
  }

  #joinCodes(parts: readonly Uint32Array[]): Uint32Array {
    const { firstCodes } = this.#root;
    return joinWords(parts.map((codes, p) => codes.map((code) => code + firstCodes[p])));
  }

  #openLengths(): LengthsPart {
    if (this.#lengths !== undefined) return this.#lengths;
    const section = this.#sections.bytes(TEXT_LENGTHS);
    if (section === undefined) throw corrupt("a text index", "its lengths are missing");
    const unpacker = new ArrayUnpacker(section, "lengths of texts");
    const lengths = unpacker.word() === 1 ? unpacker.u8() : unpacker.u32();
    this.#lengths = { lengths, presence: unpacker.word() === 1 ? unpacker.u8() : undefined };
    return this.#lengths;
  }
}

function joinWords(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Joins starts, of which each part but the first begins where the one before ends. */
function joinStarts(parts: readonly Uint32Array[]): Uint32Array {
  parts.forEach((starts, p) => {
    if (p > 0 && starts[0] !== parts[p - 1].at(-1)) {
      throw corrupt("a text index", `page ${p} does not follow the one before`);
    }
  });
  return joinWords(parts.map((starts, p) => (p === 0 ? starts : starts.subarray(1))));
}

function joinStrings(parts: readonly SortedStrings[]): SortedStrings {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
  let at = 0;
  const offsets = parts.map((part) => {
    const from = at;
    bytes.set(part.bytes, from);
    at += part.bytes.length;
    return part.offsets.map((offset) => offset + from);
  });
  return { offsets: joinStarts(offsets), bytes };
}
