import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import {
  constants,
  createZstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";
import { KIB, MIB } from "../base/byte-sizes.ts";
import { DatabaseError } from "../base/errors.ts";
import { joinPieces, type Pieces, piecesBytes } from "../base/pieces.ts";

/** Smaller payloads are never compressed: it takes longer than the bytes are worth. */
export const COMPRESS_BYTES_MIN = 4 * KIB;
/** Payload that is compressed in the calling thread, in about 0.1 ms; more goes to the pool. */
export const COMPRESS_INLINE_BYTES_MAX = 64 * KIB;
/** Bytes of a compressed payload that come from the pool at once. */
const COMPRESS_PIECE_BYTES = 1 * MIB;

/** Level 1: ingest must not wait for more. */
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Samples of a large input, spread over all of it: a quarter of its bytes at most. */
const SAMPLES = 16;
const SAMPLE_BYTES = 4 * KIB;
/** Larger inputs are tried on samples first. */
const SAMPLED_BYTES_MIN = 4 * SAMPLES * SAMPLE_BYTES;
/**
 * Compression must save this share. Vectors of floats shrink by about a tenth, for which ingest of
 * them would run at the speed of the compressor; text shrinks to less than a half.
 */
const SAVED_SHARE_MIN = 1 / 5;

const decompressInPool = promisify(zstdDecompress);

/**
 * Compresses with zstd, or returns undefined if that saves too little. Above
 * `COMPRESS_INLINE_BYTES_MAX` the work is done in threads of the pool, and the pieces are never
 * joined; they must not change meanwhile.
 */
export async function compress(pieces: Pieces): Promise<Pieces | undefined> {
  const bytes = piecesBytes(pieces);
  if (bytes < COMPRESS_BYTES_MIN) return undefined;
  if (bytes >= SAMPLED_BYTES_MIN && !savesEnough(sampleOf(pieces, bytes))) return undefined;
  const compressed =
    bytes <= COMPRESS_INLINE_BYTES_MAX
      ? [zstdCompressSync(joinPieces(pieces), OPTIONS)]
      : await compressInPool(pieces);
  return piecesBytes(compressed) <= bytes * (1 - SAVED_SHARE_MIN) ? compressed : undefined;
}

async function compressInPool(pieces: Pieces): Promise<Pieces> {
  const compressor = createZstdCompress({ ...OPTIONS, chunkSize: COMPRESS_PIECE_BYTES });
  const compressed: Uint8Array[] = [];
  await pipeline(Readable.from(pieces), compressor, async (output) => {
    for await (const piece of output) compressed.push(piece as Uint8Array);
  });
  return compressed;
}

/**
 * Undoes `compress`. `rawBytes` is the length that must come out: no more is ever allocated, and
 * any other is `corrupt`, naming `object`.
 */
export async function decompress(
  compressed: Uint8Array,
  rawBytes: number,
  object: string,
): Promise<Uint8Array> {
  const fault = (what: string, cause?: unknown) =>
    new DatabaseError("corrupt", `cannot read ${object}: ${what}`, { cause });
  let raw: Uint8Array;
  try {
    const options = { maxOutputLength: Math.max(1, rawBytes) };
    raw =
      rawBytes <= COMPRESS_INLINE_BYTES_MAX
        ? zstdDecompressSync(compressed, options)
        : await decompressInPool(compressed, options);
  } catch (cause) {
    throw fault("its compressed bytes are damaged", cause);
  }
  if (raw.length !== rawBytes) throw fault(`${raw.length} bytes unpacked, ${rawBytes} expected`);
  return new Uint8Array(raw.buffer, raw.byteOffset, raw.length); // A Buffer's `slice` would share.
}

/**
 * Joins pieces from all over, so that text after vectors, or before, is not overlooked. Each comes
 * from the middle of its share: columns of ids, which are short and shrink to nothing, would
 * otherwise speak for a fraction of everything just because they come first.
 */
function sampleOf(pieces: Pieces, bytes: number): Uint8Array {
  const sample = new Uint8Array(SAMPLES * SAMPLE_BYTES);
  const share = Math.floor(bytes / SAMPLES);
  const margin = (share - SAMPLE_BYTES) >> 1;
  let start = 0;
  for (const piece of pieces) {
    for (let part = 0; part < SAMPLES; part++) {
      // The sampled range, cut to this piece.
      const first = part * share + margin;
      const from = Math.max(start, first);
      const to = Math.min(start + piece.length, first + SAMPLE_BYTES);
      if (from >= to) continue;
      const taken = piece.subarray(from - start, to - start);
      sample.set(taken, part * SAMPLE_BYTES + from - first);
    }
    start += piece.length;
  }
  return sample;
}

function savesEnough(sample: Uint8Array): boolean {
  return zstdCompressSync(sample, OPTIONS).length <= sample.length * (1 - SAVED_SHARE_MIN);
}
