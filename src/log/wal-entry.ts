/**
 * Layout of a WAL entry: the payload of a frame (codec/frame.ts) of kind "WAL entry". Integers are
 * little-endian. Version 1:
 *
 *     offset  size  meaning
 *          0     8  generation of the namespace
 *          8     8  sequence number
 *         16    16  nonce, new for each attempt to commit: tells one's own entry from another's
 *         32     8  time of the commit by the writer's clock, milliseconds since the Unix epoch
 *         40     -  varint: number of records; then for each record:
 *                     1  kind
 *                     -  varint: length in bytes
 *                     -  bytes
 *
 * Generation and sequence number repeat the object's key, so that an entry under a wrong key is
 * found.
 */

import { assert } from "../base/assert.ts";
import { type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { ByteReader, ByteWriter } from "../codec/bytes.ts";
import { decodeFrame, encodeFrame } from "../codec/frame.ts";
import { type NamespaceGeneration, walKey } from "../storage/object-keys.ts";

/** Length of an entry's nonce: enough to never repeat. */
export const WAL_NONCE_BYTES = 16;

const VERSION = 1;

/** One thing that an entry commits; the log does not look into it. */
export interface WalRecord {
  /** 0 to 255; whoever writes the records keeps the list. */
  readonly kind: number;
  readonly bytes: Uint8Array;
}

/** Records that became durable together, at one sequence number. */
export interface WalEntry {
  readonly generation: number;
  readonly sequence: SequenceNumber;
  readonly nonce: Uint8Array;
  /** By the writer's clock: may go back from entry to entry. */
  readonly timeMs: number;
  readonly records: readonly WalRecord[];
}

/** Encodes an entry as the object at `walKey(at, entry.sequence)`. */
export function encodeWalEntry(entry: WalEntry, at: NamespaceGeneration): Promise<Uint8Array> {
  assert(entry.nonce.length === WAL_NONCE_BYTES, `nonce of ${entry.nonce.length} bytes`);
  const head = new ByteWriter();
  head.u64(BigInt(entry.generation));
  head.u64(BigInt(entry.sequence));
  head.raw(entry.nonce);
  head.u64(BigInt(Math.max(0, Math.round(entry.timeMs))));
  head.varint(entry.records.length);
  const parts: Uint8Array[] = [head.finish()];
  for (const { kind, bytes } of entry.records) {
    const recordHead = new ByteWriter(16);
    recordHead.u8(kind);
    recordHead.varint(bytes.length);
    parts.push(recordHead.finish(), bytes);
  }
  return encodeFrame({
    kind: "WAL entry",
    object: walKey(at, entry.sequence),
    version: VERSION,
    parts,
    compression: "if smaller",
  });
}

/**
 * Decodes the object read at `walKey(at, sequence)`; records are views of it where it was not
 * compressed. Throws `corrupt`, `too_new` or `too_old`, naming the key.
 */
export async function decodeWalEntry(
  object: Uint8Array,
  at: NamespaceGeneration,
  sequence: SequenceNumber,
): Promise<WalEntry> {
  const key = walKey(at, sequence);
  const expected = { kind: "WAL entry", object: key, oldest: VERSION, newest: VERSION } as const;
  const { payload } = await decodeFrame(object, expected);
  const reader = new ByteReader(payload, key);
  const generation = reader.u64();
  const number = reader.u64();
  if (generation !== BigInt(at.generation) || number !== BigInt(sequence)) {
    throw reader.fault(`it holds entry ${number} of generation ${generation}`);
  }
  const nonce = reader.raw(WAL_NONCE_BYTES);
  const timeMs = Number(reader.u64());
  const count = reader.varint();
  const records: WalRecord[] = [];
  for (let index = 0; index < count; index++) {
    const kind = reader.u8();
    records.push({ kind, bytes: reader.bytes() });
  }
  reader.end();
  return { generation: at.generation, sequence, nonce, timeMs, records };
}

/** Returns the sequence number that follows. */
export function nextSequence(sequence: SequenceNumber): SequenceNumber {
  return sequenceNumber(sequence + 1);
}
