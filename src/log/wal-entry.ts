/**
 * Layout of a WAL entry: the payload of a frame (codec/frame.ts) of kind "WAL entry". Integers are
 * little-endian. Version 1:
 *
 *     offset  size  meaning
 *          0     8  generation of the namespace
 *          8     8  sequence number
 *         16    16  nonce, new for each attempt to commit: identifies the attempt;
 *                   begins with the id of its writer (log/writer-id.ts), which no reader needs
 *         32     8  time of the commit by the writer's clock, milliseconds since the Unix epoch
 *         40     4  number of records
 *         44     4  zero
 *         48  16·n  for each record:
 *                     0  4  kind
 *                     4  4  zero
 *                     8  8  length in bytes
 *          -     -  the records one after another, each padded with zeros to a multiple of 16 bytes
 *
 * A record so begins at a multiple of 16 of the object, too, as columns do that are read in place.
 * Generation and sequence number repeat the object's key, so that an entry under a wrong key is
 * found.
 */

import { assert } from "../base/assert.ts";
import { FORMAT_VERSIONS } from "../base/format-versions.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { type Pieces, piecesBytes } from "../base/pieces.ts";
import { type SliceOptions, Slices } from "../base/slices.ts";
import { ByteReader, ByteWriter } from "../codec/bytes.ts";
import { ARRAY_ALIGNMENT, alignUp } from "../codec/columns-packing.ts";
import { decodeFrame, encodeFramePieces } from "../codec/frame.ts";
import { NONCE_BYTES } from "../storage/create-object.ts";
import type { NumberedFamily } from "../storage/numbered-objects.ts";
import {
  type NamespaceGeneration,
  parseWalKey,
  walKey,
  walPrefix,
} from "../storage/object-keys.ts";

const VERSIONS = FORMAT_VERSIONS["WAL entry"];
const HEAD_BYTES = 48;
const RECORD_HEAD_BYTES = 16;

/** One thing that an entry commits; the log does not look into it. */
export interface WalRecord {
  /** 0 to 255; whoever writes the records keeps the list. */
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** A record to be written. */
export interface NewWalRecord {
  readonly kind: number;
  /** Must not change until they are written. */
  readonly pieces: Pieces;
}

/** Records that became durable together, at one sequence number. */
export interface WalEntry {
  readonly generation: number;
  readonly sequence: SequenceNumber;
  readonly nonce: Uint8Array;
  /** By the writer's clock: may go back from entry to entry. */
  readonly timeMs: number;
}

/** An entry with what it committed. */
export interface StoredWalEntry extends WalEntry {
  readonly records: readonly WalRecord[];
}

/** Encodes an entry as the object at `walKey(generation, entry.sequence)`. */
export function encodeWalEntry(
  entry: WalEntry,
  records: readonly NewWalRecord[],
  generation: NamespaceGeneration,
  slices?: Slices,
): Promise<Pieces> {
  assert(entry.nonce.length === NONCE_BYTES, `nonce of ${entry.nonce.length} bytes`);
  const head = new ByteWriter(HEAD_BYTES + RECORD_HEAD_BYTES * records.length);
  head.u64(BigInt(entry.generation));
  head.u64(BigInt(entry.sequence));
  head.raw(entry.nonce);
  head.u64(BigInt(Math.max(0, Math.round(entry.timeMs))));
  head.u32(records.length);
  head.u32(0);
  const parts: Uint8Array[] = [];
  for (const { kind, pieces } of records) {
    const bytes = piecesBytes(pieces);
    head.u32(kind);
    head.u32(0);
    head.u64(BigInt(bytes));
    parts.push(...pieces, new Uint8Array(paddingOf(bytes)));
  }
  return encodeFramePieces({
    kind: "WAL entry",
    object: walKey(generation, entry.sequence),
    version: VERSIONS.newest,
    parts: [head.finish(), ...parts],
    compression: "if smaller",
    slices,
  });
}

/**
 * Decodes the object read at `walKey(generation, sequence)`; records are views of it where it was
 * not compressed. Throws `corrupt`, `too_new` or `too_old`, naming the key.
 */
export async function decodeWalEntry(
  object: Uint8Array,
  generation: NamespaceGeneration,
  sequence: SequenceNumber,
  slices?: Slices,
): Promise<StoredWalEntry> {
  const key = walKey(generation, sequence);
  const expected = { kind: "WAL entry", object: key, ...VERSIONS } as const;
  const { payload } = await decodeFrame(object, expected, slices);
  const reader = new ByteReader(payload, key);
  const generationNumber = reader.u64();
  const number = reader.u64();
  if (generationNumber !== BigInt(generation.generation) || number !== BigInt(sequence)) {
    throw reader.fault(`it holds entry ${number} of generation ${generationNumber}`);
  }
  const nonce = reader.raw(NONCE_BYTES);
  const timeMs = Number(reader.u64());
  const count = reader.u32();
  reader.u32();
  const heads = new ByteReader(reader.raw(RECORD_HEAD_BYTES * count), key);
  const records: WalRecord[] = [];
  for (let index = 0; index < count; index++) {
    const kind = heads.u32();
    heads.u32();
    const bytes = reader.raw(Number(heads.u64()));
    records.push({ kind, bytes });
    reader.raw(paddingOf(bytes.length));
  }
  reader.end();
  return { generation: generation.generation, sequence, nonce, timeMs, records };
}

/** The entries of one log, by their sequence numbers. Those that are read are checked in slices. */
export function walFamily(
  generation: NamespaceGeneration,
  slicing?: SliceOptions,
): NumberedFamily<StoredWalEntry> {
  return {
    prefix: walPrefix(generation),
    keyOf: (number) => walKey(generation, sequenceNumber(number)),
    numberOf: (key) => parseWalKey(generation, key),
    decode: (object, number) =>
      decodeWalEntry(object, generation, sequenceNumber(number), slicing && new Slices(slicing)),
  };
}

/** Zeros behind a record of a length. */
function paddingOf(bytes: number): number {
  return alignUp(bytes, ARRAY_ALIGNMENT) - bytes;
}

/** Returns the sequence number that follows. */
export function nextSequence(sequence: SequenceNumber): SequenceNumber {
  return sequenceNumber(sequence + 1);
}
