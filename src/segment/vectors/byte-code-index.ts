/** Byte codes of dense vectors, row by row as the vectors are. */

import { oneStep, type Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { ArenaBytes } from "../../kernel/arena.ts";
import { byteCodeStride } from "../../kernel/byte-code-scan.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { AttributeIndex, MergedValues } from "../view/attribute-index.ts";
import {
  BYTE_CODE_SECTIONS,
  type ByteCodeDescription,
  type ByteCodePart,
  isSameCoding,
  openByteCodeDescription,
  planByteCodes,
} from "./byte-code-section.ts";
import { VECTOR_INDEX } from "./vector-index.ts";
import { openVectorColumn, VECTOR_SECTIONS } from "./vector-section.ts";

/** Byte codes as queries read them. */
export interface ByteCodeView extends ByteCodeDescription {
  readonly strideBytes: number;
  /** Chunk c has the rows from c · chunkRows on. */
  readonly chunkRows: number;
  /** Where a chunk lies. Throws `BytesMissing`. */
  chunk(index: number): ArenaBytes;
}

/**
 * A stored segment has them if it has clusters, and if they are enough smaller than its vectors; of
 * segments in memory see `memtable-indexes.ts`.
 */
export const BYTE_CODE_INDEX: AttributeIndex<ByteCodeView> = {
  name: "byte codes",
  sections: Object.values(BYTE_CODE_SECTIONS),
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

function merge(values: MergedValues): Steps<SectionPlan[]> {
  return oneStep(() => {
    const { clusters } = values;
    const origin = clusters?.byteOrigin;
    if (clusters === undefined || origin === undefined) return [];
    const { metric, dimensions } = clusters;
    return mergeByteCodes(values, { metric, dimensions, origin });
  });
}

/**
 * Plans the codes of all vectors: copied where an input has the same ones, else made when they are
 * written.
 */
export function mergeByteCodes(
  { attribute, type, inputs }: MergedValues,
  description: ByteCodeDescription,
): SectionPlan[] {
  if (type.kind !== "vector") return [];
  const { dimensions, element: format } = type;
  const parts = inputs.map(({ view, ordinals }): ByteCodePart => {
    const dense = view.index(VECTOR_INDEX, attribute);
    if (dense === undefined) return { vectors: undefined, ordinals };
    const { inverseNorms } = dense.description;
    const vectors = { ...dense.vectors, format, dimensions, inverseNorms };
    const known = view.index(BYTE_CODE_INDEX, attribute);
    const isWhole = known !== undefined && known.chunkRows >= view.documentCount;
    const isKnown = isWhole && isSameCoding(known, description);
    return { vectors, ordinals, codes: isKnown ? known.chunk(0).bytes : undefined };
  });
  return planByteCodes(attribute, description, parts);
}

function open(sections: AttributeSections): ByteCodeView | undefined {
  const codes = sections.entry(BYTE_CODE_SECTIONS.codes);
  const section = sections.bytes(BYTE_CODE_SECTIONS.description);
  if (codes === undefined || section === undefined) return undefined;
  const { source, documentCount } = sections;
  const description = openByteCodeDescription(section);
  const strideBytes = byteCodeStride(description.dimensions);
  const wanted = Math.max(1, Math.floor(source.chunkBytes / strideBytes));
  const chunkRows = Math.min(wanted, Math.max(1, documentCount));
  const chunk = (index: number): ArenaBytes => {
    const first = index * chunkRows;
    const end = Math.min(first + chunkRows, documentCount);
    return source.place(codes.offset + first * strideBytes, codes.offset + end * strideBytes);
  };
  return { ...description, strideBytes, chunkRows, chunk };
}

function check(sections: AttributeSections): void {
  const what = "byte codes of vectors";
  const codes = sections.entry(BYTE_CODE_SECTIONS.codes);
  if (codes === undefined) return;
  const view = open(sections);
  if (view === undefined) throw corrupt(what, "they have no description");
  const description = sections.bytes(VECTOR_SECTIONS.description);
  const dimensions = description && openVectorColumn(description).type.dimensions;
  if (view.dimensions !== dimensions) {
    throw corrupt(what, "their dimensions are not those of the vectors");
  }
  if (codes.bytes < sections.documentCount * view.strideBytes) {
    throw corrupt(what, "there are not as many as documents");
  }
}

/** All codes, by chunks, as queries read them. */
function touch(sections: AttributeSections): void {
  const codes = open(sections);
  if (codes === undefined) return;
  const count = Math.ceil(sections.documentCount / codes.chunkRows);
  attemptAll(Array.from({ length: count }, (_, index) => () => void codes.chunk(index)));
}
