/**
 * Positions of terms, beside their posting lists, for phrases: where each posting's document has
 * the term, ascending. A position is how many tokens are before a token, dropped ones included; the
 * elements of an array follow each other, `ELEMENT_GAP` apart, but for whole tokens. In two
 * sections: one of u32 words, where the positions of each list begin in the other section, in bytes
 * (count + 1), and one of bytes. Those of a list of k postings:
 *
 * | bytes            | meaning                                                                |
 * |------------------|------------------------------------------------------------------------|
 * | all but the last | a run for each posting, end to end                                     |
 * | 4·(⌈k/64⌉ − 1)   | u32: where the runs of each 64 postings but the first begin, in bytes  |
 * |                  | from the first one; not aligned                                        |
 *
 * A run has as many numbers as the frequency of its posting says: the first position, then each
 * less the one before it. Numbers are in groups of seven bits, the lowest first; all bytes of one
 * but its last have the highest bit set. What a run is does not depend on its document's ordinal.
 */

import { checkOffsets } from "../../codec/columns-check.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { byteSection, wordSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import { touchLists } from "../postings/touch-lists.ts";
import type { Frequencies } from "./frequencies.ts";
import { TEXT_POSITIONS } from "./text-kinds.ts";
import type { TextLists } from "./text-lists.ts";
import type { CodeRange } from "./text-pages.ts";

/**
 * Positions between the last token of an element and the first one of the next that has any: a
 * sequence that spans fewer crosses no elements. A number of up to 127 takes one byte.
 */
export const ELEMENT_GAP = 64;

/** Postings whose runs have one place: 4 bytes for each 64, and 32 runs are passed in the mean. */
export const RUN_POSTINGS = 64;

/** Positions are less than a value has bytes, and `ELEMENT_GAP` more for each of its elements. */
const POSITION_MAX = 2 ** 31 - 1;

/** The highest bit of a byte: more of the number follows. */
export const MORE = 0x80;

const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;

/** Positions of all lists of an attribute. */
export interface ListPositions {
  /** Where those of each list begin in `bytes` (count + 1). */
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Reads positions by lists. Throws `BytesMissing`. */
export interface PositionReader {
  /** Looks at where the positions of all lists with some codes begin. */
  touch(codes: CodeRange): void;
  /** The positions of a list as bytes, of which it is known where those of `among` begin. */
  positions(code: number, among: CodeRange): Uint8Array;
}

/** Bytes behind the runs of a list. */
export function placeBytes(postingCount: number): number {
  return WORD_BYTES * Math.max(0, Math.ceil(postingCount / RUN_POSTINGS) - 1);
}

/** Bytes of a number of a run. */
export function numberBytes(number: number): number {
  if (number < 1 << 7) return 1;
  if (number < 1 << 14) return 2;
  if (number < 1 << 21) return 3;
  return number < 1 << 28 ? 4 : 5;
}

/** Writes the place of runs, which is not aligned. */
export function writePlace(bytes: Uint8Array, at: number, place: number): void {
  bytes[at] = place;
  bytes[at + 1] = place >>> 8;
  bytes[at + 2] = place >>> 16;
  bytes[at + 3] = place >>> 24;
}

/** Plans the sections of positions; none where there are no positions. */
export function planPositions(
  attribute: string,
  positions: ListPositions | undefined,
): SectionPlan[] {
  if (positions === undefined || positions.bytes.length === 0) return [];
  const { starts, bytes } = positions;
  return [
    wordSection(TEXT_POSITIONS.starts, attribute, starts),
    byteSection(TEXT_POSITIONS.runs, attribute, bytes),
  ];
}

/** Opens the positions of an attribute; undefined if it has none. Reads nothing. */
export function openPositions(sections: AttributeSections): PositionReader | undefined {
  if (sections.entry(TEXT_POSITIONS.starts) === undefined) return undefined;
  if (sections.entry(TEXT_POSITIONS.runs) === undefined) {
    throw corrupt("positions", `those of \`${sections.attribute}\` are missing`);
  }
  const startsOf = ({ start, end }: CodeRange): Uint32Array => {
    const words = sections.part(TEXT_POSITIONS.starts, start * WORD_BYTES, (end + 1) * WORD_BYTES);
    return new Uint32Array(words.buffer, words.byteOffset, end + 1 - start);
  };
  return {
    touch: (codes) => void startsOf(codes),
    positions: (code, among) => {
      const starts = startsOf(among);
      const at = code - among.start;
      return sections.part(TEXT_POSITIONS.runs, starts[at], starts[at + 1]);
    },
  };
}

/** The positions of all of so many lists; undefined if there are none. Throws `BytesMissing`. */
export function allPositions(
  sections: AttributeSections,
  listCount: number,
): ListPositions | undefined {
  const words = sections.bytes(TEXT_POSITIONS.starts);
  const bytes = sections.bytes(TEXT_POSITIONS.runs);
  if (words === undefined || bytes === undefined) return undefined;
  return { starts: new Uint32Array(words.buffer, words.byteOffset, listCount + 1), bytes };
}

/** Looks at the positions of so many lists, as queries do. Throws one `BytesMissing`. */
export function touchPositions(sections: AttributeSections, listCount: number): void {
  const entry = sections.entry(TEXT_POSITIONS.runs);
  const words = sections.bytes(TEXT_POSITIONS.starts);
  if (entry === undefined || words === undefined) return;
  const starts = new Uint32Array(words.buffer, words.byteOffset, listCount + 1);
  touchLists(sections.source, entry, { starts, unitBytes: 1 });
}

/** Throws `corrupt` unless positions from a store are those of as many tokens as lists have. */
export function checkPositions(sections: AttributeSections, lists: TextLists): void {
  const { listCount } = lists;
  const entry = sections.entry(TEXT_POSITIONS.starts);
  if (entry === undefined) return;
  const isShort = entry.bytes < (listCount + 1) * WORD_BYTES;
  const positions = isShort ? undefined : allPositions(sections, listCount);
  if (positions === undefined) throw corrupt("positions", "some are missing");
  const { starts, bytes } = positions;
  checkOffsets(starts, listCount, undefined);
  if (starts[listCount] > bytes.length) throw corrupt("positions", "some are missing");
  for (let code = 0; code < listCount; code++) {
    const own = bytes.subarray(starts[code], starts[code + 1]);
    if (!areRuns(own, lists.read(code).frequencies)) {
      throw corrupt("positions", `those of list ${code} are not of its postings`);
    }
  }
}

/** Whether bytes are runs of ascending positions, as many as the frequencies say. */
function areRuns(bytes: Uint8Array, frequencies: Frequencies): boolean {
  const count = frequencies.bytes.length;
  const end = bytes.length - placeBytes(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const isPlace = i % RUN_POSTINGS === 0 && i > 0;
    if (isPlace && readPlace(bytes, end + (i / RUN_POSTINGS - 1) * WORD_BYTES) !== at) return false;
    let position = -1;
    for (let left = frequencies.at(i); left > 0; left--) {
      let number = 0;
      let byte = MORE;
      for (let unit = 1; byte >= MORE; unit *= MORE) {
        if (at >= end) return false;
        byte = bytes[at++];
        number += (byte % MORE) * unit;
      }
      const next = position < 0 ? number : position + number;
      if (next <= position || next > POSITION_MAX) return false;
      position = next;
    }
  }
  return at === end;
}

/** The positions of one list. Fast where postings are asked for in their order. */
export class RunReader {
  readonly #bytes: Uint8Array;
  readonly #frequencies: Frequencies;
  /** Where the places of runs begin. */
  readonly #places: number;
  /** The posting whose run is next, and where that is. */
  #index = 0;
  #at = 0;

  constructor(bytes: Uint8Array, frequencies: Frequencies) {
    this.#bytes = bytes;
    this.#frequencies = frequencies;
    this.#places = bytes.length - placeBytes(frequencies.bytes.length);
  }

  /** Writes the positions of a posting to the start of `target`; tells how many there are. */
  read(index: number, target: Int32Array): number {
    this.#moveTo(index);
    const bytes = this.#bytes;
    const count = this.#frequencies.at(index);
    let at = this.#at;
    let position = 0;
    for (let i = 0; i < count; i++) {
      let byte = bytes[at++];
      let number = byte & (MORE - 1);
      for (let shift = 7; byte >= MORE; shift += 7) {
        byte = bytes[at++];
        number |= (byte & (MORE - 1)) << shift;
      }
      position += number;
      target[i] = position;
    }
    this.#at = at;
    this.#index = index + 1;
    return count;
  }

  #moveTo(index: number): void {
    const block = Math.floor(index / RUN_POSTINGS);
    if (index < this.#index || block * RUN_POSTINGS > this.#index) {
      this.#index = block * RUN_POSTINGS;
      const place = this.#places + (block - 1) * WORD_BYTES;
      this.#at = block === 0 ? 0 : readPlace(this.#bytes, place);
    }
    const frequencies = this.#frequencies;
    let left = 0;
    for (let i = this.#index; i < index; i++) left += frequencies.at(i);
    this.#at = passNumbers(this.#bytes, this.#at, left);
    this.#index = index;
  }
}

/** Where so many numbers from a place on end. */
export function passNumbers(bytes: Uint8Array, start: number, count: number): number {
  let at = start;
  for (let left = count; left > 0; at++) left -= 1 - (bytes[at] >>> 7);
  return at;
}

function readPlace(bytes: Uint8Array, at: number): number {
  return bytes[at] + bytes[at + 1] * 2 ** 8 + bytes[at + 2] * 2 ** 16 + bytes[at + 3] * 2 ** 24;
}
