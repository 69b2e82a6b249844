/** One-bit codes of dense vectors, in segments whose documents are in the order of clusters. */

import { oneStep, type Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { CodeMatrix } from "../../kernel/arena-kernels.ts";
import { CODE_BLOCK_ROWS, codeBlockBytes, codeBytes } from "../../kernel/code-scan.ts";
import type { AttributeIndex, MergedValues } from "../attribute-index.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import { CLUSTERS_SECTION, openClusters } from "./cluster-section.ts";
import {
  CODE_SECTIONS,
  type OpenCodeDescription,
  type OpenMeanCodes,
  openCodeDescription,
  openMeanCodes,
  planCodes,
} from "./code-section.ts";

/** Codes as queries read them. */
export interface CodeView extends OpenCodeDescription {
  /** Blocks that lie end to end; chunk c begins with block c · chunkBlocks. */
  readonly chunkBlocks: number;
  readonly chunkCount: number;
  /** The blocks of a chunk. Throws `BytesMissing`. */
  chunk(index: number): CodeMatrix;
  /** Codes of the clusters' means; undefined in segments of earlier versions. */
  readonly means: OpenMeanCodes | undefined;
}

/** Every clustered segment has them. */
export const CODE_INDEX: AttributeIndex<CodeView> = {
  name: "codes",
  sections: Object.values(CODE_SECTIONS),
  option: undefined,
  isLast: true,
  isWanted: (type) => type.kind === "vector",
  isCurrent: () => true,
  build: () => oneStep(() => []),
  merge,
  open,
  check,
  touch,
};

function merge({ attribute, clusters }: MergedValues): Steps<SectionPlan[]> {
  return oneStep(() => (clusters?.codes === undefined ? [] : planCodes(attribute, clusters.codes)));
}

function open(sections: AttributeSections): CodeView | undefined {
  const codes = sections.entry(CODE_SECTIONS.codes);
  sections.touch([CLUSTERS_SECTION, CODE_SECTIONS.description, CODE_SECTIONS.means]);
  const clusters = sections.place(CLUSTERS_SECTION);
  const section = sections.place(CODE_SECTIONS.description);
  if (codes === undefined || clusters === undefined || section === undefined) return undefined;
  const { source, documentCount } = sections;
  const { starts, count, dimensions } = openClusters(clusters, documentCount);
  const description = openCodeDescription(section, count);
  const { rotatedDimensions } = description;
  const meansPlace = sections.place(CODE_SECTIONS.means);
  const means = meansPlace && openMeanCodes(meansPlace, { count, dimensions, rotatedDimensions });
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
  return { ...description, chunkBlocks, chunkCount, chunk, means };
}

/** All codes, by chunks, as queries read them. */
function touch(sections: AttributeSections): void {
  const codes = open(sections);
  if (codes === undefined) return;
  const chunks = Array.from({ length: codes.chunkCount }, (_, index) => () => codes.chunk(index));
  attemptAll(chunks);
}

function check(sections: AttributeSections): void {
  const codes = open(sections);
  const entry = sections.entry(CODE_SECTIONS.codes);
  if (codes === undefined && entry === undefined) return;
  const clusters = sections.place(CLUSTERS_SECTION);
  if (codes === undefined || entry === undefined || clusters === undefined) {
    throw corrupt("codes of vectors", "they have no clusters or no description");
  }
  const { dimensions, starts, count } = openClusters(clusters, sections.documentCount);
  if (entry.bytes < codeBytes(starts[count], codes.rotatedDimensions / 4)) {
    throw corrupt("codes of vectors", "there are not as many as vectors");
  }
  if (codes.origin.length !== dimensions) {
    throw corrupt("codes of vectors", "their dimensions are not those of the clusters");
  }
}
