import { promisify } from "node:util";
import {
  constants,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";
import { DatabaseError } from "../base/errors.ts";
import { COMPRESS_INLINE_BYTES_MAX } from "../base/limits.ts";

/** Level 1: ingest must not wait for more. */
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const SAMPLES = 4;
const SAMPLE_BYTES = 16 * 1024;
/** Larger inputs are tried on samples first. */
const SAMPLED_BYTES_MIN = 4 * SAMPLES * SAMPLE_BYTES;
/**
 * Compression must save this share. Vectors of floats shrink by about a tenth, for which ingest of
 * them would run at the speed of the compressor; text shrinks to less than a half.
 */
const SAVED_SHARE_MIN = 1 / 5;

const compressInPool = promisify(zstdCompress);
const decompressInPool = promisify(zstdDecompress);

/**
 * Compresses with zstd, or returns undefined if that saves too little. Above
 * `COMPRESS_INLINE_BYTES_MAX` the work is done in a thread of the pool.
 */
export async function compress(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length >= SAMPLED_BYTES_MIN && !savesEnough(sampleOf(bytes))) return undefined;
  const compressed =
    bytes.length <= COMPRESS_INLINE_BYTES_MAX
      ? zstdCompressSync(bytes, OPTIONS)
      : await compressInPool(bytes, OPTIONS);
  return compressed.length <= bytes.length * (1 - SAVED_SHARE_MIN) ? compressed : undefined;
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

/** Joins pieces from all over, so that text after vectors, or before, is not overlooked. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLES * SAMPLE_BYTES);
  const step = Math.floor((bytes.length - SAMPLE_BYTES) / (SAMPLES - 1));
  for (let piece = 0; piece < SAMPLES; piece++) {
    const at = piece * step;
    sample.set(bytes.subarray(at, at + SAMPLE_BYTES), piece * SAMPLE_BYTES);
  }
  return sample;
}

function savesEnough(sample: Uint8Array): boolean {
  return zstdCompressSync(sample, OPTIONS).length <= sample.length * (1 - SAVED_SHARE_MIN);
}
