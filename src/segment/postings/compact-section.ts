/**
 * A section of posting lists, end to end, each as `list-layout.ts` draws: two bytes for an ordinal
 * and one or two for its number. A directory says where each list begins, in units; so a list is
 * one range of the section, and is searched where it lies.
 */

import type { Steps } from "../../base/steps.ts";
import { checkOffsets } from "../../codec/columns-check.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionEntry, SectionKind, SectionPlan } from "../format/segment-layout.ts";
import { ListLayout, PAGE_ORDINALS, UNIT_BYTES } from "./list-layout.ts";
import { fillGaps, type IndexRange, OrdinalList } from "./ordinal-list.ts";
import type { PostingBuffer, PostingDirectory, PostingLists } from "./posting-section.ts";
import { touchLists } from "./touch-lists.ts";

/** How the numbers of postings are kept. */
export interface NumberForm {
  /** Of each: 1 or 2. */
  readonly bytes: number;
  /** Writes the numbers of a range to the start of `target`. */
  encode(numbers: Uint32Array, range: IndexRange, target: Uint8Array): void;
  /** Writes the numbers that those bytes are to the start of `numbers`. */
  decode(bytes: Uint8Array, numbers: Uint32Array): void;
}

/** Which section lists are in, and in which form. */
export interface CompactForm {
  readonly kind: SectionKind;
  readonly numbers: NumberForm;
}

/** Postings that one step writes. */
const STEP_POSTINGS = 16_384;
/** Lists that one step plans. */
const STEP_LISTS = 65_536;

/** A section that is planned, and where each list begins in it. */
export interface CompactPlan {
  readonly starts: Uint32Array;
  readonly section: SectionPlan;
}

/** Plans the section of some lists in a segment of so many documents. */
export function* planCompact(
  attribute: string,
  lists: PostingLists,
  { kind, numbers }: CompactForm,
  documentCount: number,
): Steps<CompactPlan> {
  const layout = new ListLayout(documentCount, numbers.bytes);
  const starts = new Uint32Array(lists.starts.length);
  for (let code = 0; code + 1 < starts.length; code++) {
    if (code % STEP_LISTS === STEP_LISTS - 1) yield;
    starts[code + 1] = starts[code] + layout.units(lists.starts[code + 1] - lists.starts[code]);
  }
  const bytes = starts[starts.length - 1] * UNIT_BYTES;
  const writeTo = (target: Uint8Array) => writeLists(lists, { layout, numbers, starts }, target);
  return { starts, section: { kind, attribute, bytes, writeTo } };
}

interface WrittenForm {
  readonly layout: ListLayout;
  readonly numbers: NumberForm;
  /** In units. */
  readonly starts: Uint32Array;
}

function* writeLists(
  lists: PostingLists,
  { layout, numbers, starts }: WrittenForm,
  target: Uint8Array,
): Steps<void> {
  let worked = 0;
  for (let code = 0; code + 1 < starts.length; code++) {
    const range = { start: lists.starts[code], end: lists.starts[code + 1] };
    const count = range.end - range.start;
    const parts = layout.parts(count);
    const from = target.byteOffset + starts[code] * UNIT_BYTES;
    const units = new Uint16Array(target.buffer, from, starts[code + 1] - starts[code]);
    // The byte behind the last number, if one is left over.
    units[units.length - 1] = 0;
    writeOrdinals(lists.ordinals, range, units, { ...parts, pageCount: layout.pageCount });
    numbers.encode(
      lists.numbers,
      range,
      new Uint8Array(target.buffer, from + parts.numbers * UNIT_BYTES, count * numbers.bytes),
    );
    worked += count + 1;
    if (worked < STEP_POSTINGS) continue;
    worked = 0;
    yield;
  }
}

function writeOrdinals(
  ordinals: Uint32Array,
  { start, end }: IndexRange,
  units: Uint16Array,
  { hasPages, lows, pageCount }: { hasPages: boolean; lows: number; pageCount: number },
): void {
  for (let i = start; i < end; i++) units[lows + i - start] = ordinals[i];
  if (hasPages) {
    for (let i = start; i < end; i++) units[i - start] = ordinals[i] >>> 16;
  } else if (lows > 0) {
    let at = start;
    for (let page = 0; page < pageCount; page++) {
      while (at < end && ordinals[at] >>> 16 === page) at++;
      units[2 * page] = at - start;
      units[2 * page + 1] = (at - start) >>> 16;
    }
  }
}

/** A posting list where it lies. */
export interface CompactList {
  readonly ordinals: OrdinalList;
  /** As their form says; at a multiple of two bytes. */
  readonly numbers: Uint8Array;
}

/** The lists of a section, read by range. */
export class CompactLists {
  readonly #source: AttributeSections["source"];
  readonly #entry: SectionEntry;
  readonly #layout: ListLayout;
  readonly #numbers: NumberForm;
  readonly #documentCount: number;
  readonly #starts: Uint32Array;

  /** `starts`: where each list begins, in units. Reads nothing; throws `corrupt` without a section. */
  constructor(sections: AttributeSections, { kind, numbers }: CompactForm, starts: Uint32Array) {
    const entry = sections.entry(kind);
    if (entry === undefined) {
      throw corrupt("posting lists", `those of \`${sections.attribute}\` are missing`);
    }
    this.#source = sections.source;
    this.#entry = entry;
    this.#layout = new ListLayout(sections.documentCount, numbers.bytes);
    this.#numbers = numbers;
    this.#documentCount = sections.documentCount;
    this.#starts = starts;
  }

  get listCount(): number {
    return this.#starts.length - 1;
  }

  /** Postings of a list; reads none. */
  postingCount(code: number): number {
    return this.#layout.count(this.#starts[code + 1] - this.#starts[code]);
  }

  /** A list by its code. Throws `BytesMissing`. */
  read(code: number): CompactList {
    const { bytes } = this.#place(code);
    const { buffer, byteOffset } = bytes;
    const layout = this.#layout;
    const count = layout.count(bytes.length / UNIT_BYTES);
    const { hasPages, lows, numbers } = layout.parts(count);
    const lowHalves = new Uint16Array(buffer, byteOffset + lows * UNIT_BYTES, count);
    const pageStarts = new Int32Array(layout.pageCount + 1);
    if (lows === 0) pageStarts[1] = count;
    else {
      const head = new Uint16Array(buffer, byteOffset, lows);
      if (hasPages) setStarts(pageStarts, head);
      else setEnds(pageStarts, head);
    }
    const numbersAt = byteOffset + numbers * UNIT_BYTES;
    return {
      ordinals: new OrdinalList(lowHalves, pageStarts),
      numbers: new Uint8Array(buffer, numbersAt, count * layout.numberBytes),
    };
  }

  /** Decodes a list into a buffer; returns how many postings it has. Throws `BytesMissing`. */
  decode(code: number, buffer: PostingBuffer): number {
    const { ordinals, numbers } = this.read(code);
    buffer.reserve(ordinals.length);
    ordinals.copyTo(buffer.ordinals);
    this.#numbers.decode(numbers, buffer.numbers);
    return ordinals.length;
  }

  /** Looks at all lists, as queries do. Throws one `BytesMissing`. */
  touchAll(): void {
    touchLists(this.#source, this.#entry, { starts: this.#starts, unitBytes: UNIT_BYTES });
  }

  /** Throws `corrupt` unless all lists are there, and their ordinals ascend within the segment. */
  check({ strings }: Pick<PostingDirectory, "strings">): void {
    const starts = this.#starts;
    checkOffsets(strings.offsets, this.listCount, strings.bytes.length);
    checkOffsets(starts, this.listCount, undefined);
    if (starts[this.listCount] * UNIT_BYTES > this.#entry.bytes) {
      throw corrupt("posting lists", "some are missing");
    }
    for (let code = 0; code < this.listCount; code++) {
      const reason = this.#faultOf(code);
      if (reason !== undefined) throw corrupt("posting lists", `list ${code} ${reason}`);
    }
  }

  /** What is wrong with a list, if anything. */
  #faultOf(code: number): string | undefined {
    const units = this.#units(code);
    const layout = this.#layout;
    const count = layout.count(units.length);
    if (count === 0 || layout.units(count) !== units.length) return "is of no length of a list";
    const { hasPages, lows, numbers } = layout.parts(count);
    const starts = new Int32Array(layout.pageCount + 1);
    if (lows === 0) starts[1] = count;
    else if (!hasPages) setEnds(starts, units.subarray(0, lows));
    if (!hasPages && starts[layout.pageCount] !== count) return "does not end with its last page";
    let last = -1;
    for (let i = 0, page = 0; i < count; i++) {
      while (!hasPages && starts[page + 1] <= i) page++;
      if (hasPages) page = units[i];
      const ordinal = page * PAGE_ORDINALS + units[lows + i];
      if (ordinal <= last || ordinal >= this.#documentCount) return "does not fit the documents";
      last = ordinal;
    }
    if (!hasPages && starts.some((start, page) => page > 0 && start < starts[page - 1])) {
      return "has pages that end before others";
    }
    const usedBytes = count * layout.numberBytes;
    const isPadded = usedBytes % UNIT_BYTES !== 0;
    if (isPadded && units[numbers + Math.floor(usedBytes / UNIT_BYTES)] >>> 8 !== 0) {
      return "has a byte that means nothing";
    }
    return undefined;
  }

  #units(code: number): Uint16Array {
    const { bytes } = this.#place(code);
    return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / UNIT_BYTES);
  }

  #place(code: number): { readonly bytes: Uint8Array } {
    const start = this.#starts[code];
    const end = this.#starts[code + 1];
    if (start === end) return { bytes: new Uint8Array(0) };
    const { offset } = this.#entry;
    return this.#source.place(offset + start * UNIT_BYTES, offset + end * UNIT_BYTES);
  }
}

/** Sets the starts of pages from the page of each posting. */
function setStarts(pageStarts: Int32Array, pages: Uint16Array): void {
  for (let i = 0; i < pages.length; i++) pageStarts[pages[i] + 1] = i + 1;
  fillGaps(pageStarts);
}

/** Sets the starts of pages from where each ends. */
function setEnds(pageStarts: Int32Array, ends: Uint16Array): void {
  for (let page = 0; page + 1 < pageStarts.length; page++) {
    pageStarts[page + 1] = ends[2 * page] | (ends[2 * page + 1] << 16);
  }
}
