/**
 * Unpacks LZ4, which Node and browsers do not: blocks, frames of them as Arrow has them, and the
 * blocks with lengths that Hadoop writes (lz4_Block_format.md and lz4_Frame_format.md of LZ4 1.10).
 * Checksums are not compared. Throws if the bytes are not in one of these formats.
 */

import { GIB } from "../../base/byte-sizes.ts";

/** Bytes that are unpacked at once; a damaged length must not take all memory. */
const UNPACKED_BYTES_MAX = GIB;

const FRAME_MAGIC = 0x184d2204;
/** A match has at least so many bytes; its length counts from there. */
const MATCH_BYTES_MIN = 4;
/** A length of 4 bits that continues in the next byte. */
const LONG_LENGTH = 15;

/** Unpacks one block of `length` bytes. */
export function unpackLz4Block(packed: Uint8Array, length: number): Uint8Array {
  const output = outputOf(length);
  if (length === 0) return output;
  if (unpackBlock(packed, output, 0) !== length) throw new Error("an LZ4 block has another length");
  return output;
}

/** Unpacks a frame whose blocks have `length` bytes together. */
export function unpackLz4Frame(packed: Uint8Array, length: number): Uint8Array {
  const view = viewOf(packed);
  if (view.getUint32(0, true) !== FRAME_MAGIC) throw new Error("an LZ4 frame has another start");
  const flags = view.getUint8(4);
  if (flags >> 6 !== 1) throw new Error("an LZ4 frame has another version");
  const checksumBytes = (flags & 0x10) === 0 ? 0 : 4;
  const sizeBytes = (flags & 0x08) === 0 ? 0 : 8;
  const dictionaryBytes = (flags & 0x01) === 0 ? 0 : 4;
  const output = outputOf(length);
  let written = 0;
  let at = 7 + sizeBytes + dictionaryBytes;
  for (;;) {
    const size = view.getUint32(at, true);
    if (size === 0) break;
    at += 4;
    // The highest bit says that the block is stored as it is.
    const bytes = size & 0x7fffffff;
    const block = take(packed, at, bytes);
    if (size >>> 31 === 1) {
      output.set(block, written);
      written += bytes;
    } else written = unpackBlock(block, output, written);
    at += bytes + checksumBytes;
  }
  if (written !== length) throw new Error("an LZ4 frame has another length");
  return output;
}

/** Unpacks blocks that have both of their lengths before them, or one block without. */
export function unpackHadoopLz4(packed: Uint8Array, length: number): Uint8Array {
  const view = viewOf(packed);
  const output = outputOf(length);
  let written = 0;
  let at = 0;
  while (at + 8 <= packed.length) {
    const unpackedBytes = view.getUint32(at);
    const packedBytes = view.getUint32(at + 4);
    const isBlock = at + 8 + packedBytes <= packed.length && written + unpackedBytes <= length;
    if (!isBlock) break;
    const block = take(packed, at + 8, packedBytes);
    written = unpackBlock(block, output.subarray(0, written + unpackedBytes), written);
    at += 8 + packedBytes;
  }
  const isWhole = at === packed.length && written === length;
  return isWhole ? output : unpackLz4Block(packed, length);
}

/** Unpacks a block to `output` from `start` on, and returns where it ends. */
function unpackBlock(packed: Uint8Array, output: Uint8Array, start: number): number {
  let from = 0;
  let to = start;
  const longLength = (length: number): number => {
    if (length !== LONG_LENGTH) return length;
    let sum = length;
    let byte: number;
    do {
      if (from >= packed.length) throw new Error("an LZ4 block is cut off");
      byte = packed[from++];
      sum += byte;
    } while (byte === 0xff);
    return sum;
  };
  while (from < packed.length) {
    const token = packed[from++];
    const literals = longLength(token >> 4);
    output.set(take(packed, from, literals), to);
    from += literals;
    to += literals;
    // The last sequence has literals alone.
    if (from === packed.length) return to;
    const distance = packed[from] | (packed[from + 1] << 8);
    from += 2;
    const length = longLength(token & 15) + MATCH_BYTES_MIN;
    if (distance === 0 || distance > to || to + length > output.length) {
      throw new Error("an LZ4 block points outside of its text");
    }
    copyMatch(output, { to, distance, length });
    to += length;
  }
  throw new Error("an LZ4 block is cut off");
}

/** A match may reach into what it writes itself: then it repeats. */
function copyMatch(
  output: Uint8Array,
  { to, distance, length }: Readonly<Record<"to" | "distance" | "length", number>>,
): void {
  if (distance >= length) {
    output.copyWithin(to, to - distance, to - distance + length);
    return;
  }
  for (let i = 0; i < length; i++) output[to + i] = output[to + i - distance];
}

function take(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (at + length > bytes.length) throw new Error("an LZ4 block is cut off");
  return bytes.subarray(at, at + length);
}

function outputOf(length: number): Uint8Array {
  if (length < 0 || length > UNPACKED_BYTES_MAX) throw new Error("an LZ4 length is out of range");
  return new Uint8Array(length);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
