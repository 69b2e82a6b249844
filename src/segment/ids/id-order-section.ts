/**
 * The order of ids: the ordinals of a segment's documents by their ids, ascending; each is an
 * entry. In segments of many documents, in up to three sections without an attribute. One is packed
 * (`columns-packing.ts`) with
 *
 * - isAscending (a word): 1 if ids ascend with their ordinals, so that there are no other sections
 *   and nothing behind it; else 0;
 * - fences: the ordinals of every 128th entry, the first among them;
 * - milestones: some counts of entries, ascending.
 *
 * The others are those of `columns/sorted-entries.ts`.
 */

import type { Steps } from "../../base/steps.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { ColumnData } from "../../model/columns.ts";
import { SORTED_DOCUMENTS_MIN } from "../columns/sorted-build.ts";
import { checkBitmaps } from "../columns/sorted-check.ts";
import {
  bitmapsOf,
  evenly,
  evenMilestones,
  openEntries,
  planEntries,
  type SortedEntries,
} from "../columns/sorted-entries.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { AttributeIndex } from "../view/attribute-index.ts";
import { areAscending, idComparison, sortIds } from "./sort-ids.ts";

/** Kinds of the sections of the order of ids; all without an attribute. */
export const ID_ORDER_SECTIONS = { directory: 52, ordinals: 53, bitmaps: 54 } as const;

/** Entries from one fence to the next. */
export const FENCE_ENTRIES = 128;

/** The order of a segment's ids as queries read it: the directory at once, the rest by range. */
export interface IdOrder extends SortedEntries {
  /** Each entry is its ordinal. */
  readonly isAscending: boolean;
  /** None if ids ascend. */
  readonly fences: Uint32Array;
}

/** Opens the order of ids for `SegmentView.index`, of the attribute "". */
export const ID_ORDER: Pick<AttributeIndex<IdOrder>, "sections" | "open"> = {
  sections: Object.values(ID_ORDER_SECTIONS),
  open: openIdOrder,
};

/** Plans the order of unique ids; nothing where there are so few that all are compared as fast. */
export function* planIdOrder(ids: ColumnData, count: number): Steps<SectionPlan[]> {
  if (count < SORTED_DOCUMENTS_MIN) return [];
  if (yield* areAscending(ids, count)) return [planDirectory({ isAscending: true })];
  const ordinals = yield* sortIds(ids, count);
  const milestones = evenMilestones(count);
  const fences = evenly(count, FENCE_ENTRIES).map((entry) => ordinals[entry]);
  const bitmaps = yield* bitmapsOf(milestones, ordinals, count);
  return [
    planDirectory({ isAscending: false, fences, milestones }),
    ...planEntries("", { ordinals, bitmaps }, ID_ORDER_SECTIONS),
  ];
}

function planDirectory({
  isAscending,
  fences = NONE,
  milestones = NONE,
}: Pick<IdOrder, "isAscending"> & Partial<IdOrder>): SectionPlan {
  const packer = new ArrayPacker();
  packer.word(Number(isAscending));
  packer.array(fences);
  packer.array(milestones);
  return packedSection(ID_ORDER_SECTIONS.directory, "", packer);
}

/** Undefined if a segment has none. Throws `BytesMissing` for the directory. */
function openIdOrder(sections: AttributeSections): IdOrder | undefined {
  const section = sections.bytes(ID_ORDER_SECTIONS.directory);
  if (section === undefined) return undefined;
  const unpacker = new ArrayUnpacker(section, "the order of ids");
  const isAscending = unpacker.word() === 1;
  const fences = unpacker.u32();
  const milestones = unpacker.u32();
  const { documentCount } = sections;
  const of = { entryCount: documentCount, milestones };
  const stored = openEntries(of, sections, ID_ORDER_SECTIONS);
  if (!isAscending) return { ...stored, isAscending, fences };
  const entries = (start: number, end: number): Uint32Array => {
    const ordinals = new Uint32Array(end - start);
    for (let i = 0; i < ordinals.length; i++) ordinals[i] = start + i;
    return ordinals;
  };
  const ordinalCount = documentCount;
  return { ...stored, isAscending, fences, ordinalCount, entries, peekEntries: entries };
}

const NONE = new Uint32Array(0);

/** Throws `corrupt` unless the order of ids, all in memory, is just that of a segment's ids. */
export function checkIdOrder(sections: AttributeSections, ids: ColumnData): void {
  const order = openIdOrder(sections);
  if (order === undefined) return;
  const { documentCount, isAscending, fences, milestones, ordinalCount, bitmapCount } = order;
  if (isAscending && fences.length + milestones.length > 0) {
    throw corrupt("the order of ids", "its directory contradicts itself");
  }
  if (ordinalCount < documentCount) throw corrupt("the order of ids", "entries are missing");
  const ordinals = order.entries(0, documentCount);
  const compare = idComparison(ids);
  // As many entries as there are documents, each greater than the last: each document is one.
  for (let i = 0; i < documentCount; i++) {
    const isOrdinal = ordinals[i] < documentCount;
    if (!isOrdinal || (i > 0 && compare(ordinals[i - 1], ordinals[i]) >= 0)) {
      throw corrupt("the order of ids", `entry ${i} is not in order`);
    }
  }
  if (isAscending) return;
  const expected = evenly(documentCount, FENCE_ENTRIES);
  const areFences =
    fences.length === expected.length &&
    fences.every((ordinal, i) => ordinal === ordinals[expected[i]]);
  if (!areFences) throw corrupt("the order of ids", "a fence is not its entry");
  const areMilestones = milestones.every(
    (milestone, i) => milestone < documentCount && milestone > (i === 0 ? 0 : milestones[i - 1]),
  );
  if (!areMilestones || bitmapCount < milestones.length) {
    throw corrupt("the order of ids", "its milestones contradict themselves");
  }
  checkBitmaps(order, ordinals);
}
