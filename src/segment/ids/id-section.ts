/**
 * The sections of ids. One is packed (`columns-packing.ts`): the ids' data. The other is an
 * open-addressing hash table from id to ordinal, u32 each: ordinal + 1, or 0 if free; a power of
 * two of slots, at most half full. It is not there if there are few documents, which are then
 * compared one by one.
 *
 * The hash has no seed, so clients can choose ids of one slot. Such ids fill a long run of slots:
 * `slot-runs.ts` bounds the time to build the table and to find an id.
 */

import { copyInSteps } from "../../base/pieces.ts";
import type { Steps } from "../../base/steps.ts";
import { packData } from "../../codec/columns-codec.ts";
import { ArrayPacker, ArrayUnpacker, bytesOf, corrupt } from "../../codec/columns-packing.ts";
import { dataFrom, idAttributeType } from "../../codec/columns-value.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { ColumnData } from "../../model/columns.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import { type IdKeys, idKeys } from "../view/id-keys.ts";
import { planIdOrder } from "./id-order-section.ts";
import { FreeSlots, LongRuns, PROBES_MAX } from "./slot-runs.ts";

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

/** Opens the section of ids themselves. */
export function openIds(block: Uint8Array, idType: IdType): ColumnData {
  return dataFrom(idAttributeType(idType), new ArrayUnpacker(block, "a section of ids"));
}

/** Finds ordinals by id. */
export class IdTable {
  readonly keys: IdKeys;
  readonly #slots: Uint32Array;
  /** Made for the first long search. */
  #longRuns: LongRuns | undefined;

  /** `slots` is the section of the hash table, if there is one. */
  constructor(keys: IdKeys, slots: Uint8Array | undefined) {
    this.keys = keys;
    this.#slots =
      slots === undefined
        ? NO_SLOTS
        : new Uint32Array(slots.buffer, slots.byteOffset, slotCount(keys.count));
  }

  /**
   * The ordinal of the id at `index` of `keys`, whose hash is `hash`; -1 if it is not here. At most
   * `PROBES_MAX` ids are compared one by one; a longer run is sorted once and searched by halves.
   */
  find(keys: IdKeys, index: number, hash: number): number {
    const own = this.keys;
    const slots = this.#slots;
    if (slots.length === 0) {
      for (let o = 0; o < own.count; o++) if (own.equals(o, keys, index)) return o;
      return -1;
    }
    const mask = slots.length - 1;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const named = slots[(hash + probe) & mask];
      if (named === 0) return -1;
      if (own.equals(named - 1, keys, index)) return named - 1;
    }
    this.#longRuns ??= new LongRuns(own, slots);
    return this.#longRuns.find((hash + PROBES_MAX - 1) & mask, keys, index);
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

/** The slots of the hash table of unique ids; none for few ids. O(n log n), whatever the ids. */
export function* fillSlots(keys: IdKeys): Steps<Uint32Array<ArrayBuffer>> {
  const { count } = keys;
  const slots = new Uint32Array(slotCount(count));
  if (slots.length === 0) return slots;
  const mask = slots.length - 1;
  let free: FreeSlots | undefined;
  for (let ordinal = 0; ordinal < count; ordinal++) {
    if (ordinal % STEP_IDS === 0) yield;
    const home = keys.hash(ordinal) & mask;
    let probe = 0;
    while (probe < PROBES_MAX && slots[(home + probe) & mask] !== 0) probe++;
    let slot = (home + probe) & mask;
    if (probe === PROBES_MAX) {
      free ??= new FreeSlots(slots);
      slot = free.from(slot);
    }
    slots[slot] = ordinal + 1;
  }
  return slots;
}
