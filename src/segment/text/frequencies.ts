/**
 * Frequencies of terms in a byte each. One of 255 or more is great: its byte is 255, and it is
 * listed with the text index as well, as a code, an index into that list and the frequency (u32
 * each, three arrays), ascending by the first two. A great frequency takes 255 words of one text,
 * so there are few.
 */

import { firstFrom } from "../../base/numbers/first-from.ts";
import type { Steps } from "../../base/steps.ts";
import { type ArrayPacker, type ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { NumberForm } from "../postings/compact-section.ts";
import type { PostingLists } from "../postings/posting-section.ts";

/** The least frequency that is listed. */
const GREAT = 255;
/** An index behind all postings. */
const NO_GREAT = 0x7fff_ffff;
/** Postings that one step looks at. */
const STEP_POSTINGS = 65_536;

/** Great frequencies of all lists of an attribute. */
export interface GreatFrequencies {
  readonly codes: Uint32Array;
  readonly indexes: Uint32Array;
  readonly values: Uint32Array;
}

/** Frequencies as bytes of a list. */
export const FREQUENCY_FORM: NumberForm = {
  bytes: 1,
  encode(numbers, { start, end }, target) {
    for (let i = start; i < end; i++) target[i - start] = Math.min(numbers[i], GREAT);
  },
  decode: (bytes, numbers) => numbers.set(bytes),
};

/** The frequencies of a list. */
export class Frequencies {
  /** Of those that are not great. */
  readonly bytes: Uint8Array;
  /** Where great ones are, ascending. */
  readonly greatAt: Uint32Array;
  readonly greats: Uint32Array;

  constructor(bytes: Uint8Array, greatAt: Uint32Array, greats: Uint32Array) {
    this.bytes = bytes;
    this.greatAt = greatAt;
    this.greats = greats;
  }

  /** The frequency at an index. */
  at(index: number): number {
    const byte = this.bytes[index];
    return byte < GREAT ? byte : this.greats[firstFrom(this.greatAt, index)];
  }

  /** Index of the first great one from an index on; one behind all postings if there is none. */
  nextGreat(index: number): number {
    const { greatAt } = this;
    if (greatAt.length === 0) return NO_GREAT;
    return greatAt[firstFrom(greatAt, index)] ?? NO_GREAT;
  }

  /** Writes all of them to the start of `target`. */
  copyTo(target: Uint32Array): void {
    target.set(this.bytes);
    this.greatAt.forEach((index, g) => {
      target[index] = this.greats[g];
    });
  }
}

/** Lists the great ones. */
export function* collectGreats({ starts, numbers }: PostingLists): Steps<GreatFrequencies> {
  const codes: number[] = [];
  const indexes: number[] = [];
  const values: number[] = [];
  let code = 0;
  for (let i = 0; i < numbers.length; i++) {
    if (i % STEP_POSTINGS === STEP_POSTINGS - 1) yield;
    if (numbers[i] < GREAT) continue;
    while (starts[code + 1] <= i) code++;
    codes.push(code);
    indexes.push(i - starts[code]);
    values.push(numbers[i]);
  }
  const arrays = [codes, indexes, values].map((array) => Uint32Array.from(array));
  return { codes: arrays[0], indexes: arrays[1], values: arrays[2] };
}

/** Adds great frequencies to a packer. */
export function packGreats(packer: ArrayPacker, greats: GreatFrequencies): void {
  packer.array(greats.codes);
  packer.array(greats.indexes);
  packer.array(greats.values);
}

/** Reads what `packGreats` added. */
export function unpackGreats(unpacker: ArrayUnpacker): GreatFrequencies {
  return { codes: unpacker.u32(), indexes: unpacker.u32(), values: unpacker.u32() };
}

/** The frequencies of a list of which only bytes are known. */
export function frequenciesOf(
  { codes, indexes, values }: GreatFrequencies,
  code: number,
  bytes: Uint8Array,
): Frequencies {
  if (codes.length === 0) return new Frequencies(bytes, codes, values);
  const start = firstFrom(codes, code);
  const end = firstFrom(codes, code + 1);
  return new Frequencies(bytes, indexes.subarray(start, end), values.subarray(start, end));
}

/**
 * Throws `corrupt` unless great frequencies from a store are those of the lists, whose bytes
 * `bytesOf` returns, and no frequency is 0.
 */
export function checkGreats(
  { codes, indexes, values }: GreatFrequencies,
  listCount: number,
  bytesOf: (code: number) => Uint8Array,
): void {
  let g = 0;
  for (let code = 0; code < listCount; code++) {
    const bytes = bytesOf(code);
    for (let i = 0; i < bytes.length; i++) {
      if (bytes[i] === 0) throw corrupt("frequencies", `list ${code} has one of 0`);
      if (bytes[i] < GREAT) continue;
      const isListed = codes[g] === code && indexes[g] === i && values[g] >= GREAT;
      if (!isListed) throw corrupt("frequencies", `a great one of list ${code} is not listed`);
      g++;
    }
  }
  const counts = [codes, indexes, values].map(({ length }) => length);
  if (counts.some((count) => count !== g)) throw corrupt("frequencies", "some are of no list");
}
