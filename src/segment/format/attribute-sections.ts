/** The sections of one attribute in one segment, in memory or in the store. */

import { corrupt } from "../../codec/columns-packing.ts";
import type { ArenaBytes } from "../../kernel/arena.ts";
import type { ByteSource } from "./byte-source.ts";
import { attemptAll } from "./bytes-missing.ts";
import type { SectionEntry, SectionKind } from "./segment-layout.ts";

/** Packed arrays begin at a multiple of this in their buffer. */
const WORDS_ALIGNMENT = 8;

/**
 * Where an attribute's sections are, and their bytes. Keeps no bytes itself, so it stays valid when
 * the source drops some. Sections that are about no attribute are those of the attribute "".
 */
export class AttributeSections {
  readonly attribute: string;
  /** Documents of the segment. */
  readonly documentCount: number;
  readonly source: ByteSource;
  /** In the order of the directory. */
  readonly entries: readonly SectionEntry[];
  readonly #head: Uint8Array;

  /** `head` begins with the segment's head. */
  constructor(
    attribute: string,
    entries: readonly SectionEntry[],
    of: {
      readonly documentCount: number;
      readonly source: ByteSource;
      readonly head: Uint8Array;
    },
  ) {
    this.attribute = attribute;
    this.entries = entries;
    this.documentCount = of.documentCount;
    this.source = of.source;
    this.#head = of.head;
  }

  /** Where the section of a kind is; undefined if there is none. Reads nothing. */
  entry(kind: SectionKind): SectionEntry | undefined {
    // Few sections, asked for often: a loop is faster than any table.
    for (const entry of this.entries) if (entry.kind === kind) return entry;
    return undefined;
  }

  /** All bytes of a section and where they lie for kernels. Throws `BytesMissing`. */
  place(kind: SectionKind): ArenaBytes | undefined {
    const entry = this.entry(kind);
    return entry && this.source.place(entry.offset, entry.offset + entry.bytes);
  }

  /** All bytes of a section. Throws `BytesMissing`. */
  bytes(kind: SectionKind): Uint8Array | undefined {
    return this.place(kind)?.bytes;
  }

  /** All bytes of a section that lies in the head: reads nothing. Throws `corrupt` of any other. */
  headBytes(kind: SectionKind): Uint8Array | undefined {
    const entry = this.entry(kind);
    if (entry === undefined) return undefined;
    const { offset, bytes } = entry;
    if (offset + bytes > this.#head.length) throw corrupt("a segment", "its head ends early");
    const section = this.#head.subarray(offset, offset + bytes);
    // Heads that came as text are wherever their buffer has room.
    return section.byteOffset % WORDS_ALIGNMENT === 0 ? section : new Uint8Array(section);
  }

  /**
   * Bytes `start` to `end` of a section that queries read by range: a part of the whole section
   * where that is in memory, as what was read ahead is. Throws `BytesMissing` for the range.
   */
  part(kind: SectionKind, start: number, end: number): Uint8Array {
    const entry = this.entry(kind);
    if (entry === undefined || start === end) return new Uint8Array(0);
    if (this.isInMemory(kind)) return this.#whole(entry).subarray(start, end);
    return this.source.place(entry.offset + start, entry.offset + end).bytes;
  }

  /** The same, or undefined where it is not in memory; makes nobody load it. */
  peekPart(kind: SectionKind, start: number, end: number): Uint8Array | undefined {
    const entry = this.entry(kind);
    if (entry === undefined) return undefined;
    if (this.isInMemory(kind)) return this.#whole(entry).subarray(start, end);
    return this.source.peek(entry.offset + start, entry.offset + end)?.bytes;
  }

  #whole({ offset, bytes }: SectionEntry): Uint8Array {
    return this.source.place(offset, offset + bytes).bytes;
  }

  /** Tells whether all bytes of a section are in memory; makes nobody load them. */
  isInMemory(kind: SectionKind): boolean {
    const entry = this.entry(kind);
    if (entry === undefined) return false;
    return this.source.peek(entry.offset, entry.offset + entry.bytes) !== undefined;
  }

  /** Looks at all bytes of some sections. Throws one `BytesMissing` for all of them. */
  touch(kinds: readonly SectionKind[]): void {
    attemptAll(kinds.map((kind) => () => void this.place(kind)));
  }
}
