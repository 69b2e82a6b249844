/**
 * Format versions of segments. Every segment begins, in all versions, with "TSEG" and its version
 * (u32 each, little-endian); what follows is drawn in the version's own file. New segments are of
 * the newest version, and those of each version here are read.
 */

import { DatabaseError } from "../../base/errors.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import {
  SEGMENT_MAGIC,
  type SectionPlan,
  type SegmentFacts,
  type SegmentLayout,
  type SegmentPlan,
} from "./segment-layout.ts";
import { VERSION_1 } from "./version-1.ts";

/** All versions that are read, oldest first; the last one is written. */
export const SEGMENT_VERSIONS: readonly SegmentLayout[] = [VERSION_1];

/** Magic and version. */
const PREFIX_BYTES = 8;

/**
 * The layout of a segment from its first bytes. Throws `corrupt` for what is no segment, `too_new`
 * for a version after the newest and `too_old` for one that is not read any more; the caller adds
 * the object's name.
 */
export function layoutOf(
  head: Uint8Array,
  versions: readonly SegmentLayout[] = SEGMENT_VERSIONS,
): SegmentLayout {
  const what = "a segment";
  if (head.length < PREFIX_BYTES) throw corrupt(what, `it has only ${head.length} bytes`);
  const view = new DataView(head.buffer, head.byteOffset, PREFIX_BYTES);
  if (view.getUint32(0, true) !== SEGMENT_MAGIC) throw corrupt(what, "it does not begin with TSEG");
  const version = view.getUint32(4, true);
  for (const layout of versions) if (layout.version === version) return layout;
  const newest = versions[versions.length - 1].version;
  const readable = versions.map((layout) => layout.version).join(", ");
  throw new DatabaseError(
    version > newest ? "too_new" : "too_old",
    `cannot open a segment: format version ${version}, this server reads ${readable}`,
  );
}

/** Lays out the sections of a new segment, ids first. */
export function planBlock(facts: SegmentFacts, sections: readonly SectionPlan[]): SegmentPlan {
  return SEGMENT_VERSIONS[SEGMENT_VERSIONS.length - 1].plan(facts, sections);
}

/** The head of a segment: all before its first section, from which the rest is found. */
export function headOf(block: Uint8Array): Uint8Array {
  return block.subarray(0, layoutOf(block).headBytes(block));
}

/**
 * Checks the head of a sealed segment from a store, or a block that begins with it, and returns its
 * layout. Throws `corrupt`, `too_new` or `too_old`; the caller adds the object's name.
 */
export function verifyHead(
  head: Uint8Array,
  versions: readonly SegmentLayout[] = SEGMENT_VERSIONS,
): SegmentLayout {
  const layout = layoutOf(head, versions);
  layout.verifyHead(head);
  return layout;
}

/** Copies a segment with its checksums filled in: the form for stores. */
export function sealBlock(block: Uint8Array): Uint8Array<ArrayBuffer> {
  const sealed = new Uint8Array(block.length);
  sealed.set(block);
  sealInPlace(sealed);
  return sealed;
}

/** Fills in the checksums of a segment that nobody else sees yet. */
export function sealInPlace(block: Uint8Array): void {
  layoutOf(block).seal(block);
}
