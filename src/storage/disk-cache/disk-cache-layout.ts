/**
 * The files of the disk cache. The cache is a row of sets, each of which is one sparse file with 16
 * slots. A slot holds up to 16 blocks of one region of one object; the hash of object and region
 * says which set it is in. So there is no index to keep or to rebuild, and nothing to agree upon
 * between processes: whoever reads finds blocks that are whole, or none. Two that write to one set
 * at the same time may lose what one of them wrote; so tombstones, which another thread reads than
 * segments, have sets of their own: the first sixteenth, rounded up. Integers are little-endian.
 * Version 1:
 *
 *     offset  size       meaning
 *          0  16 × 256   heads of the slots
 *      4,096  16 × 1 MiB the slots: 16 blocks of 64 KiB, at their places in the region
 *
 *     a slot's head:
 *          0     4  "TRWD"
 *          4     2  version of this layout
 *          6     2  zero
 *          8    16  first bytes of the SHA-256 of the object's key
 *         24     4  number of the region in the object
 *         28     4  zero
 *         32     8  when it was used last, in milliseconds since the Unix epoch; may be late
 *         40  16×8  of each block: its length, or 2^32 - 1 if it is not there; its checksum
 *        168    84  zero
 *        252     4  CRC-32 of all of the above
 *
 * A block is shorter than 64 KiB only where the object ends in it, and empty only where it ends
 * before. Its checksum is the CRC-32 of the object's hash, of the block's number in the object and
 * of its bytes: two writers that mixed their blocks in one slot are found out.
 */

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { FORMAT_VERSIONS } from "../../base/format-versions.ts";
import { isTombstoneObject } from "../object-keys.ts";
import type { ObjectKey } from "../object-store.ts";

/** How stale the note of a cached region's last use may be: one small write in this time. */
export const DISK_CACHE_TOUCH_MS = 600_000;

/** Bytes of a block: what is read, checked and kept as one. */
export const BLOCK_BYTES = 65_536;
/** Blocks of a region. */
export const REGION_BLOCKS = 16;
/** Bytes of an object that one slot is for. */
export const REGION_BYTES = REGION_BLOCKS * BLOCK_BYTES;
/** Slots of a set; among them the one to be overwritten is chosen. */
export const SLOT_COUNT = 16;
/** Bytes of a slot's head. */
export const SLOT_HEAD_BYTES = 256;
/** Bytes of all heads of a set, at the start of its file. */
export const SET_HEAD_BYTES = SLOT_COUNT * SLOT_HEAD_BYTES;
/** Greatest size of a set's file. */
export const SET_BYTES = SET_HEAD_BYTES + SLOT_COUNT * REGION_BYTES;

const MAGIC = "TRWD";
const VERSION = FORMAT_VERSIONS["disk cache"].newest;
const ID_AT = 8;
const ID_BYTES = 16;
const REGION_AT = 24;
const USED_AT = 32;
const BLOCKS_AT = 40;
const CRC_AT = SLOT_HEAD_BYTES - 4;
const ABSENT = 0xffff_ffff;

/** A region of an object, and where it is kept. */
export interface RegionPlace {
  /** First bytes of the hash of the object's key, in hex. */
  readonly id: string;
  readonly region: number;
  readonly set: number;
}

/** What a slot's head says of one block. */
export interface BlockMark {
  readonly length: number;
  readonly checksum: number;
}

/** What a slot's head says. */
export interface SlotHead {
  readonly id: string;
  readonly region: number;
  readonly usedMs: number;
  /** `REGION_BLOCKS` of them. */
  readonly blocks: readonly (BlockMark | undefined)[];
}

/** How the key of an object is written down. */
export function objectId(key: string): string {
  return createHash("sha256")
    .update(key, "utf8")
    .digest("hex")
    .slice(0, 2 * ID_BYTES);
}

/** A run of sets. */
export interface SetRange {
  readonly first: number;
  readonly count: number;
}

/** The sets for the objects with some key, in a cache of so many. */
export function setsFor(key: ObjectKey, setCount: number): SetRange {
  if (setCount === 1) return { first: 0, count: 1 };
  const forTombstones = Math.ceil(setCount / 16);
  if (isTombstoneObject(key)) return { first: 0, count: forTombstones };
  return { first: forTombstones, count: setCount - forTombstones };
}

/** Where a region is kept in some sets. */
export function regionPlace(id: string, region: number, sets: SetRange): RegionPlace {
  const hash = createHash("sha256").update(`${id} ${region}`).digest();
  return { id, region, set: sets.first + (hash.readUIntLE(0, 6) % sets.count) };
}

/** Position of a block in its set's file. */
export function blockPosition(slot: number, blockInRegion: number): number {
  return SET_HEAD_BYTES + slot * REGION_BYTES + blockInRegion * BLOCK_BYTES;
}

/** The checksum of a block, by its number in the object. */
export function blockChecksum(id: string, block: number, bytes: Uint8Array): number {
  return crc32(bytes, crc32(`${id} ${block}`));
}

/** Encodes the head of a slot. */
export function encodeSlotHead({ id, region, usedMs, blocks }: SlotHead): Uint8Array {
  const bytes = Buffer.alloc(SLOT_HEAD_BYTES);
  bytes.write(MAGIC, "latin1");
  bytes.writeUInt16LE(VERSION, 4);
  bytes.write(id, ID_AT, ID_BYTES, "hex");
  bytes.writeUInt32LE(region, REGION_AT);
  bytes.writeBigUInt64LE(BigInt(Math.max(0, Math.floor(usedMs))), USED_AT);
  for (let block = 0; block < REGION_BLOCKS; block++) {
    const at = BLOCKS_AT + 8 * block;
    bytes.writeUInt32LE(blocks[block]?.length ?? ABSENT, at);
    bytes.writeUInt32LE(blocks[block]?.checksum ?? 0, at + 4);
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_AT)), CRC_AT);
  return bytes;
}

/** Decodes the heads at the start of a set's file; undefined for a slot that is free or damaged. */
export function decodeSetHead(head: Uint8Array): (SlotHead | undefined)[] {
  return Array.from({ length: SLOT_COUNT }, (_, slot) => {
    const at = slot * SLOT_HEAD_BYTES;
    return decodeSlotHead(Buffer.from(head.subarray(at, at + SLOT_HEAD_BYTES)));
  });
}

function decodeSlotHead(bytes: Buffer): SlotHead | undefined {
  if (bytes.length < SLOT_HEAD_BYTES || bytes.toString("latin1", 0, 4) !== MAGIC) return undefined;
  const isWhole = crc32(bytes.subarray(0, CRC_AT)) === bytes.readUInt32LE(CRC_AT);
  if (!isWhole || bytes.readUInt16LE(4) !== VERSION) return undefined;
  const blocks = Array.from({ length: REGION_BLOCKS }, (_, block): BlockMark | undefined => {
    const at = BLOCKS_AT + 8 * block;
    const length = bytes.readUInt32LE(at);
    return length > BLOCK_BYTES ? undefined : { length, checksum: bytes.readUInt32LE(at + 4) };
  });
  return {
    id: bytes.toString("hex", ID_AT, ID_AT + ID_BYTES),
    region: bytes.readUInt32LE(REGION_AT),
    usedMs: Number(bytes.readBigUInt64LE(USED_AT)),
    blocks,
  };
}

/**
 * The slot to write a region to: the one that has it, else a free one, else the one that was used
 * longest ago. A slot that was used in the future, by a clock that has been set back since, says
 * nothing of its use, and would never go.
 */
export function pickSlot(
  slots: readonly (SlotHead | undefined)[],
  place: Pick<RegionPlace, "id" | "region">,
  nowMs: number,
): number {
  const own = findSlot(slots, place);
  if (own >= 0) return own;
  // Two that write to one set at the same time should not choose the same free slot.
  const start = (Number.parseInt(place.id.slice(0, 2), 16) + place.region) % slots.length;
  const free = slots.indexOf(undefined, start);
  if (free >= 0) return free;
  if (slots.includes(undefined)) return slots.indexOf(undefined);
  const used = slots.map((head) => head?.usedMs ?? 0);
  const known = used.map((usedMs) => (usedMs > nowMs + DISK_CACHE_TOUCH_MS ? -1 : usedMs));
  return known.indexOf(Math.min(...known));
}

/** The slot that has a region; -1 if none does. */
export function findSlot(
  slots: readonly (SlotHead | undefined)[],
  { id, region }: Pick<RegionPlace, "id" | "region">,
): number {
  return slots.findIndex((head) => head?.id === id && head.region === region);
}
