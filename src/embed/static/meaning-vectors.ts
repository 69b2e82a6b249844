/**
 * The file that `trawl/static-en` is: for each stem a weight and a vector of a few dimensions,
 * each of which has four bits. Integers are little-endian, floats are IEEE:
 *
 *     offset  size  meaning
 *          0     4  "TRSE"
 *          4     2  format version, 1
 *          6     2  dimensions, a multiple of 2
 *          8     4  stems
 *         12     4  bytes of the stems' spellings
 *         16     4  CRC-32 of the payload as stored
 *         20     4  CRC-32 of bytes 0 to 20
 *         24        payload, compressed with zstd; the file ends with it. Uncompressed it has:
 *                   16 f32, the levels that codes stand for;
 *                   the stems' spellings in the order of UTF-8's bytes, each as
 *                     u8 bytes in common with the one before, u8 further bytes, these bytes;
 *                   a u8 for each stem, its weight in parts of 255;
 *                   codes, a row of dimensions / 2 bytes for each stem, the lower half of a byte
 *                     being the even dimension's
 */

import { promisify } from "node:util";
import { constants, crc32, zstdCompress, zstdDecompress } from "node:zlib";
import { assert } from "../../base/assert.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { DatabaseError } from "../../base/errors.ts";

const MAGIC = 0x45535254; // "TRSE" as a little-endian u32.
const VERSION = 1;
const HEADER_BYTES = 24;
/** Uncompressed bytes; our choice: four times what the table of 2026 has. */
const PAYLOAD_BYTES_MAX = 12 * MIB;
/** Levels of a code. */
export const LEVELS = 16;
/** Weights are whole parts of it. */
const WEIGHT_PARTS = 255;
const SPELLING_BYTES_MAX = 255;
const COMPRESSION_LEVEL = 19;

/** A table in memory. */
export interface MeaningVectors {
  readonly dimensions: number;
  /** Place of each stem's row. */
  readonly places: ReadonlyMap<string, number>;
  /** How much each stem counts, by its place: 0 to 1. */
  readonly weights: Float32Array;
  /** What each code stands for; 16. */
  readonly levels: Float32Array;
  /** Two codes a byte, row by row. */
  readonly codes: Uint8Array;
}

/** Builds the file's bytes; stems must be in the order of their UTF-8 bytes, and so the rows. */
export async function encodeMeaningVectors(table: MeaningVectors): Promise<Uint8Array> {
  const { dimensions, places, weights, levels, codes } = table;
  const count = places.size;
  assert(
    levels.length === LEVELS && dimensions % 2 === 0,
    "a table has 16 levels, even dimensions",
  );
  assert(codes.length === (count * dimensions) / 2 && weights.length === count, "a row a stem");
  const spellings = encodeSpellings([...places.keys()]);
  const payload = Buffer.concat([
    new Uint8Array(Float32Array.from(levels).buffer),
    spellings,
    Uint8Array.from(weights, (weight) => Math.round(weight * WEIGHT_PARTS)),
    codes,
  ]);
  const params = { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL };
  const stored = await promisify(zstdCompress)(payload, { params });
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  header.setUint32(0, MAGIC, true);
  header.setUint16(4, VERSION, true);
  header.setUint16(6, dimensions, true);
  header.setUint32(8, count, true);
  header.setUint32(12, spellings.length, true);
  header.setUint32(16, crc32(stored), true);
  header.setUint32(20, crc32(new Uint8Array(header.buffer, 0, 20)), true);
  return Buffer.concat([new Uint8Array(header.buffer), stored]);
}

/** Reads the file. Throws `corrupt` for damage, and `too_new` for a version that is not known. */
export async function decodeMeaningVectors(file: Uint8Array): Promise<MeaningVectors> {
  if (file.length < HEADER_BYTES) throw damaged(`it has ${file.length} bytes`);
  const header = new DataView(file.buffer, file.byteOffset, HEADER_BYTES);
  if (header.getUint32(0, true) !== MAGIC) throw damaged("it does not begin with TRSE");
  if (header.getUint32(20, true) !== crc32(file.subarray(0, 20))) {
    throw damaged("its header does not match its checksum");
  }
  const version = header.getUint16(4, true);
  if (version !== VERSION) {
    throw new DatabaseError("too_new", `${FILE} has version ${version}, known is ${VERSION}`);
  }
  const stored = file.subarray(HEADER_BYTES);
  if (header.getUint32(16, true) !== crc32(stored)) {
    throw damaged("its payload does not match its checksum");
  }
  const dimensions = header.getUint16(6, true);
  const count = header.getUint32(8, true);
  const spellingBytes = header.getUint32(12, true);
  const bytes = 4 * LEVELS + spellingBytes + count + (count * dimensions) / 2;
  if (bytes > PAYLOAD_BYTES_MAX) throw damaged(`its header speaks of ${bytes} bytes`);
  const payload = await promisify(zstdDecompress)(stored, { maxOutputLength: bytes });
  if (payload.length !== bytes) throw damaged(`its payload has ${payload.length} bytes`);
  const weightsAt = 4 * LEVELS + spellingBytes;
  const weights = payload.subarray(weightsAt, weightsAt + count);
  return {
    dimensions,
    levels: new Float32Array(Uint8Array.from(payload.subarray(0, 4 * LEVELS)).buffer),
    places: decodeSpellings(payload.subarray(4 * LEVELS, weightsAt), count),
    weights: Float32Array.from(weights, (parts) => parts / WEIGHT_PARTS),
    codes: Uint8Array.from(payload.subarray(weightsAt + count)),
  };
}

function encodeSpellings(stems: readonly string[]): Uint8Array {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let before = new Uint8Array();
  for (const stem of stems) {
    const bytes = encoder.encode(stem);
    assert(bytes.length <= SPELLING_BYTES_MAX, `stem ${stem} is too long`);
    assert(Buffer.compare(before, bytes) < 0, `stem ${stem} is out of order`);
    const differing = bytes.findIndex((byte, i) => byte !== before[i]);
    const shared = differing < 0 ? bytes.length : differing;
    pieces.push(Uint8Array.of(shared, bytes.length - shared), bytes.subarray(shared));
    before = bytes;
  }
  return Buffer.concat(pieces);
}

function decodeSpellings(bytes: Uint8Array, count: number): Map<string, number> {
  const decoder = new TextDecoder();
  const places = new Map<string, number>();
  const spelling = new Uint8Array(2 * SPELLING_BYTES_MAX);
  let at = 0;
  for (let place = 0; place < count; place++) {
    const [shared, rest] = [bytes[at], bytes[at + 1]];
    if (!(at + 2 + rest <= bytes.length)) throw damaged("its stems end early");
    spelling.set(bytes.subarray(at + 2, at + 2 + rest), shared);
    places.set(decoder.decode(spelling.subarray(0, shared + rest)), place);
    at += 2 + rest;
  }
  if (at !== bytes.length || places.size !== count) throw damaged("its stems make no sense");
  return places;
}

const FILE = "the table of trawl/static-en";

function damaged(what: string): DatabaseError {
  return new DatabaseError("corrupt", `${FILE} is damaged: ${what}; install Trawl again`);
}
