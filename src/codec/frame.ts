/**
 * The frame around every object. Integers are little-endian. The header is the same in all versions
 * of all kinds, so that any server can say what it cannot read:
 *
 *     offset  size  meaning
 *          0     4  "TRFR"
 *          4     1  kind of object (FRAME_KINDS)
 *          5     1  flags; bit 0: the payload is compressed with zstd
 *          6     2  format version of the payload, from 1 on, counted per kind
 *          8     8  length of the payload as stored
 *         16     8  length of the payload uncompressed
 *         24     4  CRC-32 of the payload as stored
 *         28     4  CRC-32 of bytes 0 to 28 and the object's key, so that a wrong key is found
 *         32        payload; the object ends with it
 *
 * Checked in this order: magic, header checksum, kind, version, lengths, payload checksum. So
 * `too_new` and `too_old` are said only of headers that are whole, and everything else that is
 * wrong is `corrupt`. Development versions before 0.2.0 wrote the same header with "TRWL": such an
 * object is `too_old`, whatever its version.
 */

import { crc32 } from "node:zlib";
import { assert } from "../base/assert.ts";
import { MIB, OBJECT_BYTES_MAX } from "../base/byte-sizes.ts";
import { DatabaseError } from "../base/errors.ts";
import { DEVELOPMENT_FORMAT, readableVersions } from "../base/format-versions.ts";
import {
  joinPieces,
  joinSmallPieces,
  PIECE_BYTES_MIN,
  type Pieces,
  piecesBytes,
} from "../base/pieces.ts";
import type { Slices } from "../base/slices.ts";
import { runSteps, type Steps } from "../base/steps.ts";
import { compress, decompress } from "./compression.ts";

/** Length of the header in bytes. */
export const FRAME_HEADER_BYTES = 32;

/** Bytes that one step sums up: under a millisecond. */
const STEP_BYTES = 2 * MIB;

/** Kinds of objects with their numbers on disk, which never change. */
export const FRAME_KINDS = {
  "WAL entry": 1,
  manifest: 2,
  segment: 3,
  tombstones: 4,
  backup: 5,
  "API key": 16,
  "key revocation": 17,
  "key changes": 18,
  "key uses": 19,
} as const;

/** One of the kinds of objects. */
export type FrameKind = keyof typeof FRAME_KINDS;

/** What a reader accepts. */
export interface FrameExpectation {
  readonly kind: FrameKind;
  /** Key of the object. */
  readonly object: string;
  /** Oldest version that is read; older ones are `too_old`. */
  readonly oldest: number;
  /** Newest version that is read; newer ones are `too_new`. */
  readonly newest: number;
}

/** What a header says. */
export interface FrameHeader {
  readonly version: number;
  readonly compressed: boolean;
  readonly storedBytes: number;
  readonly rawBytes: number;
  readonly payloadCrc: number;
}

/** What to put into a frame. */
export interface FrameContent {
  readonly kind: FrameKind;
  /** Key under which the object will be. */
  readonly object: string;
  readonly version: number;
  /** The payload. */
  readonly parts: Pieces;
  /** `never` keeps payloads readable by range. */
  readonly compression: "if smaller" | "never";
  /** Runs long work in slices; without it all is done at once. */
  readonly slices?: Slices | undefined;
}

/** Contents of an opened frame. */
interface OpenedFrame {
  readonly version: number;
  /** A view of the object where it was not compressed. */
  readonly payload: Uint8Array;
}

const MAGIC = 0x52465254; // "TRFR" as a little-endian u32.
const DEVELOPMENT_MAGIC = 0x4c575254; // "TRWL".
const COMPRESSED_FLAG = 1;
const HEADER_CRC_AT = FRAME_HEADER_BYTES - 4;

/** Builds the bytes of an object. Large payloads are compressed outside of this thread. */
export async function encodeFrame(content: FrameContent): Promise<Uint8Array> {
  return joinPieces(await encodeFramePieces(content));
}

/**
 * Builds the bytes of an object in pieces: large parts are not copied, so they must not change
 * until the pieces are written.
 */
export async function encodeFramePieces(content: FrameContent): Promise<Pieces> {
  const rawBytes = piecesBytes(content.parts);
  assert(rawBytes <= OBJECT_BYTES_MAX - FRAME_HEADER_BYTES, `payload of ${rawBytes} bytes`);
  const compressed = content.compression === "never" ? undefined : await compress(content.parts);
  const payload = compressed ?? content.parts;
  const header = new Uint8Array(FRAME_HEADER_BYTES);
  const payloadCrc = await crcOf(payload, content.slices);
  const isCompressed = compressed !== undefined;
  writeHeader(header, payload, { ...content, rawBytes, payloadCrc, compressed: isCompressed });
  return runIn(content.slices, joinSmallPieces([header, ...payload], PIECE_BYTES_MIN));
}

/**
 * Checks a whole object and returns its payload. Throws `corrupt`, `too_new` or `too_old`. `slices`
 * runs long work; without it all is done at once.
 */
export async function decodeFrame(
  bytes: Uint8Array,
  expected: FrameExpectation,
  slices?: Slices,
): Promise<OpenedFrame> {
  const header = decodeFrameHeader(bytes, expected);
  const stored = bytes.subarray(FRAME_HEADER_BYTES);
  if (stored.length !== header.storedBytes) {
    const what = `payload has ${stored.length} bytes, header says ${header.storedBytes}`;
    throw frameError("corrupt", expected, what);
  }
  if ((await crcOf([stored], slices)) !== header.payloadCrc) {
    throw frameError("corrupt", expected, "payload does not match its checksum");
  }
  const { version, rawBytes } = header;
  if (!header.compressed) return { version, payload: stored };
  return { version, payload: await decompress(stored, rawBytes, expected.object) };
}

/** Checks the first `FRAME_HEADER_BYTES` of an object, for those who read the rest by range. */
export function decodeFrameHeader(bytes: Uint8Array, expected: FrameExpectation): FrameHeader {
  const corrupt = (what: string) => frameError("corrupt", expected, what);
  if (bytes.length < FRAME_HEADER_BYTES) {
    throw corrupt(`object has ${bytes.length} bytes, a header has ${FRAME_HEADER_BYTES}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, FRAME_HEADER_BYTES);
  const magic = view.getUint32(0, true);
  if (magic !== MAGIC && magic !== DEVELOPMENT_MAGIC) throw corrupt("it does not begin with TRFR");
  if (headerCrc(bytes, expected.object) !== view.getUint32(HEADER_CRC_AT, true)) {
    throw corrupt("header is damaged, or the object belongs under another key");
  }
  if (magic === DEVELOPMENT_MAGIC) throw frameError("too_old", expected, DEVELOPMENT_FORMAT);
  const kind = view.getUint8(4);
  if (kind !== FRAME_KINDS[expected.kind]) {
    throw corrupt(`kind ${kind}, a ${expected.kind} has ${FRAME_KINDS[expected.kind]}`);
  }
  const version = view.getUint16(6, true);
  checkVersion(version, expected);

  const flags = view.getUint8(5);
  const storedBytes = Number(view.getBigUint64(8, true));
  const rawBytes = Number(view.getBigUint64(16, true));
  const compressed = flags === COMPRESSED_FLAG;
  if (!compressed && flags !== 0) throw corrupt(`unknown flags ${flags}`);
  if (rawBytes > OBJECT_BYTES_MAX || (!compressed && rawBytes !== storedBytes)) {
    throw corrupt(`lengths ${storedBytes} and ${rawBytes} make no sense`);
  }
  return { version, compressed, storedBytes, rawBytes, payloadCrc: view.getUint32(24, true) };
}

function checkVersion(version: number, expected: FrameExpectation): void {
  const { oldest, newest } = expected;
  if (version >= oldest && version <= newest) return;
  const code = version > newest ? "too_new" : "too_old";
  const readable = readableVersions(expected);
  throw frameError(code, expected, `format version ${version}, this server reads ${readable}`);
}

function frameError(
  code: "corrupt" | "too_new" | "too_old",
  { kind, object }: FrameExpectation,
  what: string,
): DatabaseError {
  return new DatabaseError(code, `cannot read ${kind} ${object}: ${what}`);
}

function writeHeader(
  target: Uint8Array,
  payload: Pieces,
  header: {
    readonly kind: FrameKind;
    readonly object: string;
    readonly version: number;
    readonly rawBytes: number;
    readonly payloadCrc: number;
    readonly compressed: boolean;
  },
): void {
  const view = new DataView(target.buffer, target.byteOffset, FRAME_HEADER_BYTES);
  view.setUint32(0, MAGIC, true);
  view.setUint8(4, FRAME_KINDS[header.kind]);
  view.setUint8(5, header.compressed ? COMPRESSED_FLAG : 0);
  view.setUint16(6, header.version, true);
  view.setBigUint64(8, BigInt(piecesBytes(payload)), true);
  view.setBigUint64(16, BigInt(header.rawBytes), true);
  view.setUint32(24, header.payloadCrc, true);
  view.setUint32(HEADER_CRC_AT, headerCrc(target, header.object), true);
}

async function crcOf(pieces: Pieces, slices: Slices | undefined): Promise<number> {
  return runIn(slices, crcInSteps(pieces));
}

async function runIn<T>(slices: Slices | undefined, steps: Steps<T>): Promise<T> {
  return slices === undefined ? runSteps(steps) : slices.run(steps);
}

function* crcInSteps(pieces: Pieces): Steps<number> {
  let crc = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) {
      if (at > 0) yield;
      crc = crc32(piece.subarray(at, at + STEP_BYTES), crc);
    }
  }
  return crc;
}

function headerCrc(object: Uint8Array, key: string): number {
  return crc32(key, crc32(object.subarray(0, HEADER_CRC_AT)));
}
