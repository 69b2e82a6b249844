/** Bodies as the SDK takes and gives them. */

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { MIB, OBJECT_BYTES_MAX } from "../../base/byte-sizes.ts";
import { DatabaseError } from "../../base/errors.ts";
import { nextTurn } from "../../base/next-turn.ts";
import type { Pieces } from "../../base/pieces.ts";

/** Bytes of a streamed body that are hashed at once: some milliseconds of a thread. */
const S3_HASH_BYTES = 4 * MIB;

/** An answer's body: what the SDK calls a blob, which is a stream of the connection in Node. */
export interface S3Answer {
  /** For messages. */
  readonly key: string;
  readonly body: unknown;
  /** What the head says; absent where the service does not know it beforehand. */
  readonly contentLength: number | undefined;
}

/**
 * Reads a body to its end into memory of its own. Throws when the connection ends before, or when
 * there are fewer or more bytes than announced.
 */
export async function readS3Body({ key, body, contentLength }: S3Answer): Promise<Uint8Array> {
  if (contentLength !== undefined && contentLength > OBJECT_BYTES_MAX) {
    if (body instanceof Readable) body.destroy(); // Else it would keep its connection.
    const what = `it has ${contentLength} bytes, but objects have at most ${OBJECT_BYTES_MAX}`;
    throw new DatabaseError("corrupt", `cannot read ${key}: ${what}`);
  }
  if (body === undefined) return complete(new Uint8Array(0), 0, contentLength);
  const parts = body as AsyncIterable<Uint8Array>;
  if (contentLength === undefined) return readUnknownLength(parts);
  const bytes = new Uint8Array(contentLength);
  let at = 0;
  for await (const part of parts) {
    if (at + part.length > contentLength) throw lengthError(at + part.length, contentLength);
    bytes.set(part, at);
    at += part.length;
  }
  return complete(bytes, at, contentLength);
}

async function readUnknownLength(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.length;
    if (bytes > OBJECT_BYTES_MAX) throw lengthError(bytes, OBJECT_BYTES_MAX);
    read.push(part);
  }
  return new Uint8Array(Buffer.concat(read));
}

function complete(bytes: Uint8Array, filled: number, announced: number | undefined): Uint8Array {
  if (announced !== undefined && filled !== announced) throw lengthError(filled, announced);
  return bytes;
}

/** A range of bytes as HTTP names it: by its first and its last byte. */
export interface LastByteRange {
  readonly start: number;
  readonly last: number;
}

/**
 * Checks that an answer with `bytes` bytes is of the range that was asked for, as far as the object
 * goes. Throws if it is of another one: a proxy may have mixed up answers.
 */
export function checkContentRange(
  contentRange: string,
  bytes: number,
  asked: LastByteRange | undefined,
): void {
  const parts = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(contentRange);
  const [start, last, total] = (parts ?? []).slice(1).map(Number);
  const wantedLast = Math.min(asked?.last ?? Number.NaN, Number.isNaN(total) ? last : total - 1);
  if (start === asked?.start && last === wantedLast && bytes === last - start + 1) return;
  const wanted = asked === undefined ? "no range" : `bytes ${asked.start}-${asked.last}`;
  throw new Error(`the answer is of ${contentRange}, and ${wanted} were asked for`);
}

function lengthError(bytes: number, announced: number): Error {
  return new Error(`the body has ${bytes} bytes, and ${announced} were announced`);
}

/** The pieces as a stream, for bodies that are too large to be copied together. */
export function streamOf(pieces: Pieces): Readable {
  const views = pieces.map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  return Readable.from(views, { objectMode: false });
}

/**
 * SHA-256 of all pieces in hex: what a signature covers where a stream is sent. Lets the thread do
 * other things after each `S3_HASH_BYTES`.
 */
export async function sha256Of(pieces: Pieces): Promise<string> {
  const hash = createHash("sha256");
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += S3_HASH_BYTES) {
      hash.update(piece.subarray(start, start + S3_HASH_BYTES));
      await nextTurn();
    }
  }
  return hash.digest("hex");
}

/** The bytes from `start` to before `end` of all pieces, copied out of shared memory. */
export function copyOf(pieces: Pieces, start: number, end: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(end - start);
  let at = 0;
  for (const piece of pieces) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, piece.length);
    if (from < to) copy.set(piece.subarray(from, to), at + from - start);
    at += piece.length;
  }
  return copy;
}
