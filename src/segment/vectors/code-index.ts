/** One-bit codes of vectors in the order of their clusters. */

import { oneStep, type Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { CodeMatrix } from "../../kernel/arena-kernels.ts";
import { CODE_BLOCK_ROWS, codeBlockBytes, codeBytes } from "../../kernel/code-scan.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { AttributeIndex, MergedValues } from "../view/attribute-index.ts";
import { CLUSTER_SECTIONS, hasClusters, openClusters } from "./cluster-section.ts";
import {
  CODE_SECTIONS,
  type CodeSections,
  INNER_CODE_SECTIONS,
  type OpenCodeDescription,
  type OpenMeanCodes,
  ORDINAL_CODE_SECTIONS,
  openCodeDescription,
  openMeanCodes,
  planCodes,
} from "./code-section.ts";

/** Codes as queries read them. */
export interface CodeView extends OpenCodeDescription {
  /** Blocks that lie end to end; chunk c begins with block c · chunkBlocks. */
  readonly chunkBlocks: number;
  readonly chunkCount: number;
  /** 1 / √radius of each cluster; infinite where all of its rows are the same. */
  readonly inverseRadii: Float32Array;
  /** The blocks of a chunk. Throws `BytesMissing`. */
  chunk(index: number): CodeMatrix;
  /** Codes of the clusters' means. */
  readonly means: OpenMeanCodes;
}

const KINDS: readonly CodeSections[] = [CODE_SECTIONS, ORDINAL_CODE_SECTIONS, INNER_CODE_SECTIONS];

/** All that has clusters has them. */
export const CODE_INDEX: AttributeIndex<CodeView> = {
  name: "codes",
  sections: KINDS.flatMap((kinds) => Object.values(kinds)),
  option: undefined,
  isLast: true,
  isWanted: hasClusters,
  isCurrent: () => true,
  build: () => oneStep(() => []),
  merge,
  open,
  check,
  touch,
};

function merge({ attribute, clusters }: MergedValues): Steps<SectionPlan[]> {
  return oneStep(() => {
    if (clusters?.codes === undefined) return [];
    const isInOrder = clusters.ordinals === undefined;
    const others = clusters.isInner ? INNER_CODE_SECTIONS : ORDINAL_CODE_SECTIONS;
    const kinds = isInOrder ? CODE_SECTIONS : others;
    return planCodes(attribute, clusters.codes, kinds);
  });
}

function open(sections: AttributeSections): CodeView | undefined {
  const kinds = kindsOf(sections);
  const codes = sections.entry(kinds.codes);
  sections.touch([...Object.values(CLUSTER_SECTIONS), kinds.description, kinds.means]);
  const clusters = openClusters(sections);
  const section = sections.place(kinds.description);
  const meansPlace = sections.place(kinds.means);
  if (codes === undefined || clusters === undefined) return undefined;
  if (section === undefined || meansPlace === undefined) return undefined;
  const { source } = sections;
  const { starts, count, dimensions } = clusters;
  const description = openCodeDescription(section, count);
  const { rotatedDimensions } = description;
  const means = openMeanCodes(meansPlace, { count, dimensions, rotatedDimensions });
  const nibbles = rotatedDimensions / 4;
  const blockBytes = codeBlockBytes(nibbles);
  const blockCount = Math.ceil(starts[count] / CODE_BLOCK_ROWS);
  const chunkBlocks = Math.max(1, Math.min(Math.floor(source.chunkBytes / blockBytes), blockCount));
  const chunk = (index: number): CodeMatrix => {
    const first = index * chunkBlocks;
    const end = Math.min(first + chunkBlocks, blockCount);
    const place = source.place(codes.offset + first * blockBytes, codes.offset + end * blockBytes);
    const { arena, offset, bytes } = place;
    return { block: { arena, offset, bytes: bytes.length }, start: 0, nibbles };
  };
  const chunkCount = Math.ceil(blockCount / chunkBlocks);
  const inverseRadii = description.shapes.radii.map((radius) => 1 / Math.sqrt(radius));
  return { ...description, chunkBlocks, chunkCount, chunk, means, inverseRadii };
}

/** Those that go with the clusters that there are. */
function kindsOf(sections: AttributeSections): CodeSections {
  if (sections.entry(CLUSTER_SECTIONS.ofInner) !== undefined) return INNER_CODE_SECTIONS;
  const haveOrdinals = sections.entry(CLUSTER_SECTIONS.withOrdinals) !== undefined;
  return haveOrdinals ? ORDINAL_CODE_SECTIONS : CODE_SECTIONS;
}

/** All codes, by chunks, as queries read them. */
function touch(sections: AttributeSections): void {
  const codes = open(sections);
  if (codes === undefined) return;
  const chunks = Array.from({ length: codes.chunkCount }, (_, index) => () => codes.chunk(index));
  attemptAll(chunks);
}

function check(sections: AttributeSections): void {
  const entries = KINDS.flatMap((kinds) => sections.entry(kinds.codes) ?? []);
  if (entries.length === 0) return;
  const codes = open(sections);
  const clusters = openClusters(sections);
  if (codes === undefined || clusters === undefined) {
    throw corrupt("codes of vectors", "they have no clusters or no description");
  }
  const { dimensions, starts, count } = clusters;
  const bytesMin = codeBytes(starts[count], codes.rotatedDimensions / 4);
  if (entries.some(({ bytes }) => bytes < bytesMin)) {
    throw corrupt("codes of vectors", "there are not as many as vectors");
  }
  if (codes.origin.length !== dimensions) {
    throw corrupt("codes of vectors", "their dimensions are not those of the clusters");
  }
}
