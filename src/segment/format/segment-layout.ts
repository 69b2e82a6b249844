/**
 * What a segment is made of in every format version: facts, and sections that a directory names.
 * How a head says so is the version's business (`SegmentLayout`).
 */

import type { PlannedBytes } from "../../codec/columns-codec.ts";
import type { IdType } from "../../model/attribute-type.ts";

/**
 * Code of a kind of section in the directory. The folder that writes and reads the section has it;
 * docs/format.md lists all. A code never gets another meaning: what is laid out in another way is a
 * section of another kind.
 */
export type SectionKind = number;

/** A section that is planned but not written yet. */
export interface SectionPlan extends PlannedBytes {
  readonly kind: SectionKind;
  /** Empty where the section is about no attribute. */
  readonly attribute: string;
  /**
   * It lies in the segment's head, which manifests have, and is there before anything is read: for
   * what says where to read, and is small.
   */
  readonly isInHead?: boolean;
}

/** Facts in the header. */
export interface SegmentFacts {
  readonly documentCount: number;
  readonly idType: IdType;
  /** Of all documents, deleted ones too; see `columns-size.ts`. */
  readonly logicalBytes: number;
}

/** A whole segment that is planned but not written yet. Written to a multiple of 64. */
export interface SegmentPlan extends PlannedBytes, SegmentFacts {}

/** Where a section is in the segment. */
export interface SectionSpan {
  readonly offset: number;
  /** A multiple of 64. */
  readonly bytes: number;
}

/** A section as the directory has it, without its name. */
export interface SectionPlace extends SectionSpan {
  readonly kind: SectionKind;
}

/** One entry of the directory. */
export interface SectionEntry extends SectionPlace {
  /** Empty where the section is about no attribute. */
  readonly attribute: string;
}

/** The first four bytes of every segment: "TSEG". */
export const SEGMENT_MAGIC = 0x4745_5354;

/** Sections begin at multiples of this; so does the segment itself. */
export const SECTION_ALIGNMENT = 64;

/**
 * One format version: how the head of a segment is laid out. Stateless. All but `verifyHead` and
 * `verify` are given heads that this program wrote or verified; a `head` may go on beyond its end.
 */
export interface SegmentLayout {
  /** As the head has it. */
  readonly version: number;
  /** Lays out sections behind a head. */
  plan(facts: SegmentFacts, sections: readonly SectionPlan[]): SegmentPlan;
  /** What the header says, and the bytes of the whole segment. */
  facts(head: Uint8Array): SegmentFacts & { readonly bytes: number };
  /** Where the head ends and ids begin, the first section that is not in it. */
  headBytes(head: Uint8Array): number;
  /** The index-th section without its name, as commits need it; undefined if there are fewer. */
  sectionAt(head: Uint8Array, index: number): SectionPlace | undefined;
  /** All sections in their order. */
  directory(head: Uint8Array): SectionEntry[];
  /** Fills in the checksums of a segment that nobody else sees yet. */
  seal(segment: Uint8Array): void;
  /**
   * Checks the head of a sealed segment from a store, or a block that begins with it. Throws
   * `corrupt`; the caller adds the object's name.
   */
  verifyHead(block: Uint8Array): void;
  /** Checks the head, all lengths and all checksums of a sealed segment. Throws `corrupt`. */
  verify(segment: Uint8Array): void;
}
