/**
 * The sections of ids. One is packed (`columns-packing.ts`): the ids' data. The other is an
 * open-addressing hash table from id to ordinal, u32 each: ordinal + 1, or 0 if free; a power of
 * two of slots, at most half full. It is not there if there are few documents, which are then
 * compared one by one.
 */

import { assert } from "../../base/assert.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import { buildIds } from "../../codec/columns-builder.ts";
import { packData, unpackData } from "../../codec/columns-codec.ts";
import {
  ArrayPacker,
  ArrayUnpacker,
  bytesOf,
  copyInSteps,
  corrupt,
} from "../../codec/columns-packing.ts";
import { idAttributeType } from "../../codec/columns-value.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { ColumnData } from "../../model/columns.ts";
import { UUID_BYTES } from "../../model/uuid.ts";
import type { DocumentId } from "../../model/value.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import { planIdOrder } from "./id-order-section.ts";

/**
 * Kinds of the sections; both without an attribute. Ids are the first section of a segment, their
 * hash table, if there is one, the second.
 */
export const ID_SECTIONS = { ids: 1, slots: 8 } as const;

/** Up to this many documents comparing all ids is as fast as hashing, and needs no table. */
const UNHASHED_COUNT_MAX = 4;
/** Ids that one step of a build takes: in a large table each is a place that no cache has. */
const STEP_IDS = 4096;
const NO_SLOTS = new Uint32Array(0);

/** Ids that can be hashed and compared without being decoded. */
export interface IdKeys {
  readonly count: number;
  /** 32 bits, the same for equal ids of one type. */
  hash(index: number): number;
  /** `other` is of the same id type. */
  equals(index: number, other: IdKeys, otherIndex: number): boolean;
}

/** Makes keys of the first `count` ids. */
export function idKeys(ids: ColumnData, count: number): IdKeys {
  if (ids.kind === "string") return new StringKeys(ids.offsets, ids.bytes, count);
  if (ids.kind === "u64") {
    const { buffer, byteOffset } = ids.values;
    return new WordKeys(new Uint32Array(buffer, byteOffset, 2 * count), 2, count);
  }
  assert(ids.kind === "uuid", `no ids are of kind ${ids.kind}`);
  const bytes = ids.bytes.byteOffset % 4 === 0 ? ids.bytes : Uint8Array.from(ids.bytes);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, (UUID_BYTES / 4) * count);
  return new WordKeys(words, UUID_BYTES / 4, count);
}

/** Ids made ready for looking them up in many segments. */
export interface HashedIds {
  readonly ids: readonly DocumentId[];
  readonly keys: IdKeys;
  readonly hashes: Uint32Array;
}

/** Makes ids ready; they are of the type. */
export function hashIds(idType: IdType, ids: readonly DocumentId[]): HashedIds {
  const keys = idKeys(buildIds(idType, ids), ids.length);
  return { ids, keys, hashes: runSteps(hashKeys(keys)) };
}

/** Hashes of all keys, for looking the same ids up in several segments. */
export function* hashKeys(keys: IdKeys): Steps<Uint32Array> {
  const hashes = new Uint32Array(keys.count);
  for (let i = 0; i < hashes.length; i++) {
    if (i % STEP_IDS === 0) yield;
    hashes[i] = keys.hash(i);
  }
  return hashes;
}

/** Opens the section of ids themselves. */
export function openIds(block: Uint8Array, idType: IdType): ColumnData {
  return unpackData(new ArrayUnpacker(block, "a section of ids"), idAttributeType(idType));
}

/** Finds ordinals by id. */
export class IdTable {
  readonly keys: IdKeys;
  readonly #slots: Uint32Array;

  /** `slots` is the section of the hash table, if there is one. */
  constructor(keys: IdKeys, slots: Uint8Array | undefined) {
    this.keys = keys;
    this.#slots =
      slots === undefined
        ? NO_SLOTS
        : new Uint32Array(slots.buffer, slots.byteOffset, slotCount(keys.count));
  }

  /** The ordinal of the id at `index` of `keys`, whose hash is `hash`; -1 if it is not here. */
  find(keys: IdKeys, index: number, hash: number): number {
    const own = this.keys;
    const slots = this.#slots;
    if (slots.length === 0) {
      for (let o = 0; o < own.count; o++) if (own.equals(o, keys, index)) return o;
      return -1;
    }
    const mask = slots.length - 1;
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (own.equals(slots[slot] - 1, keys, index)) return slots[slot] - 1;
    }
    return -1;
  }
}

/** Plans the sections of ids, which are unique, and of their order. */
export function* planIds(ids: ColumnData, count: number): Steps<SectionPlan[]> {
  const packer = new ArrayPacker();
  packData(packer, ids, count);
  const data = packedSection(ID_SECTIONS.ids, "", packer);
  if (slotCount(count) === 0) return [data];
  const slots = yield* fillSlots(idKeys(ids, count));
  const table: SectionPlan = {
    kind: ID_SECTIONS.slots,
    attribute: "",
    bytes: slots.byteLength,
    writeTo: (target) => copyInSteps(bytesOf(slots), target),
  };
  return [data, table, ...(yield* planIdOrder(ids, count))];
}

/**
 * Throws `corrupt` unless a hash table from a store has as many slots as there must be for `count`
 * ids, and names each of them once: then there are free ones, and every search ends.
 */
export function checkSlots(section: Uint8Array | undefined, count: number): void {
  const expected = slotCount(count);
  if ((section?.length ?? 0) < 4 * expected) {
    throw corrupt("a table of ids", `it has not the ${expected} slots of ${count} ids`);
  }
  if (section === undefined) return;
  const slots = new Uint32Array(section.buffer, section.byteOffset, expected);
  const isNamed = new Uint8Array(count + 1);
  let named = 0;
  for (let i = 0; i < expected; i++) {
    if (slots[i] === 0) continue;
    if (slots[i] > count || isNamed[slots[i]] === 1) {
      throw corrupt("a table of ids", `slot ${i} leads to no id, or to one that has a slot`);
    }
    isNamed[slots[i]] = 1;
    named++;
  }
  if (expected > 0 && named !== count) {
    throw corrupt("a table of ids", `${named} of ${count} ids have a slot`);
  }
}

/** Slots of the hash table over so many ids. */
function slotCount(count: number): number {
  return count <= UNHASHED_COUNT_MAX ? 0 : 2 ** Math.ceil(Math.log2(2 * count));
}

function* fillSlots(keys: IdKeys): Steps<Uint32Array<ArrayBuffer>> {
  const { count } = keys;
  const slots = new Uint32Array(slotCount(count));
  const mask = slots.length - 1;
  for (let ordinal = 0; ordinal < count; ordinal++) {
    if (ordinal % STEP_IDS === 0) yield;
    let slot = keys.hash(ordinal) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = ordinal + 1;
  }
  return slots;
}

/** Ids of a fixed number of 32-bit words. */
class WordKeys implements IdKeys {
  readonly count: number;
  readonly words: Uint32Array;
  readonly #width: number;

  constructor(words: Uint32Array, width: number, count: number) {
    this.words = words;
    this.#width = width;
    this.count = count;
  }

  hash(index: number): number {
    let hash = 0x9e37_79b9;
    for (let i = 0; i < this.#width; i++) hash = mix(hash, this.words[index * this.#width + i]);
    return finish(hash);
  }

  equals(index: number, other: IdKeys, otherIndex: number): boolean {
    assert(other instanceof WordKeys, "compared ids differ in type");
    const width = this.#width;
    for (let i = 0; i < width; i++) {
      if (this.words[index * width + i] !== other.words[otherIndex * width + i]) return false;
    }
    return true;
  }
}

class StringKeys implements IdKeys {
  readonly count: number;
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;

  constructor(offsets: Uint32Array, bytes: Uint8Array, count: number) {
    this.offsets = offsets;
    this.bytes = bytes;
    this.count = count;
  }

  hash(index: number): number {
    const end = this.offsets[index + 1];
    let hash = 0x9e37_79b9;
    for (let i = this.offsets[index]; i < end; i++)
      hash = Math.imul(hash ^ this.bytes[i], FNV_PRIME);
    return finish(hash);
  }

  equals(index: number, other: IdKeys, otherIndex: number): boolean {
    assert(other instanceof StringKeys, "compared ids differ in type");
    const start = this.offsets[index];
    const otherStart = other.offsets[otherIndex];
    const length = this.offsets[index + 1] - start;
    if (other.offsets[otherIndex + 1] - otherStart !== length) return false;
    for (let i = 0; i < length; i++) {
      if (this.bytes[start + i] !== other.bytes[otherStart + i]) return false;
    }
    return true;
  }
}

/** Prime of the 32-bit FNV-1a hash. */
const FNV_PRIME = 0x0100_0193;

/** One round of MurmurHash3 (32 bits). */
function mix(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e_2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b87_3593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe654_6b64) | 0;
}

/** The finalizer of MurmurHash3 (32 bits). */
function finish(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
