/** Decompressed bytes of a file or a pipe, from any offset on; who opens them is elsewhere. */

import { MIB } from "../../base/byte-sizes.ts";

/** How a file is packed, told by its first bytes and not by its name. */
export type Packing = "none" | "gzip" | "zstd";

/** Bytes of a file that are looked at before its rows are read; a table's header is among them. */
const HEAD_BYTES = MIB;

/** Where text is read from. */
export interface ByteSource {
  /** What users call it: a path, or `-` for standard input. */
  readonly name: string;
  /** Bytes of the file as it lies there up to an offset of the text; an estimate if it is packed. */
  bytesAt(offset: number): number;
  /** The first bytes of the text, a MiB if there are so many. */
  head(): Promise<Uint8Array>;
  /** The bytes from an offset of the decompressed text on. */
  open(offset: number): AsyncIterable<Uint8Array>;
}

/** How a file is packed that begins so. */
export function packingOf(head: Uint8Array): Packing {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  const isZstd = head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;
  return isZstd ? "zstd" : "none";
}

/** Estimates the packed bytes before an offset of the text, from the bytes read of both. */
export function packedBytesAt(
  offset: number,
  read: { readonly packedBytes: number; readonly textBytes: number },
): number {
  if (read.textBytes === 0) return 0;
  return Math.round(read.packedBytes * Math.min(1, offset / read.textBytes));
}

/** Passes chunks on, and reports the length of each. */
export async function* countBytes(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

/** Reads until there is a head, which the rest does not repeat. */
export async function cutHead(
  rest: AsyncIterator<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly rest: AsyncIterator<Uint8Array> }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const next = await rest.next();
    if (next.done === true) break;
    chunks.push(next.value);
    bytes += next.value.length;
  }
  return { head: Buffer.concat(chunks), rest };
}

/** What comes behind so many bytes. */
export async function* skipBytes(
  chunks: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left >= chunk.length) {
      left -= chunk.length;
      continue;
    }
    yield left === 0 ? chunk : chunk.subarray(left);
    left = 0;
  }
}
