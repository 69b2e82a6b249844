/**
 * Byte codes of an attribute's dense vectors, in two sections. One holds nothing but the rows of
 * `kernel/byte-code-scan.ts`: that of ordinal o begins at o · stride; those of documents without a
 * vector mean nothing. The other is packed (`columns-packing.ts`): metric (0 cosine_distance, 1
 * euclidean_squared), dimensions, and the origin that was subtracted from each vector, for
 * cosine_distance of length 1, before it was coded (f32).
 */

import type { Steps } from "../../base/steps.ts";
import { copyFixed } from "../../codec/columns-gather.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import { byteCodeStride } from "../../kernel/byte-code-scan.ts";
import { ELEMENT_BYTES } from "../../kernel/kernel.ts";
import type { DistanceMetric } from "../../model/schema.ts";
import { ByteEncoder } from "../../vector/byte-codes.ts";
import type { VectorRows } from "../../vector/vector-rows.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";

/** Kinds of the sections: the codes themselves, and what there is to know of them. */
export const BYTE_CODE_SECTIONS = { codes: 24, description: 25 } as const;

/** By their code. */
const METRICS: readonly DistanceMetric[] = ["cosine_distance", "euclidean_squared"];
/** Codes pay where they are at most so many eighths of the vectors. */
const PAYING_EIGHTHS = 5;
/** Numbers that are coded between two pauses, in some 10 ns each. */
const STEP_NUMBERS = 1 << 16;

/** Tells whether reading codes is enough cheaper than reading the vectors. */
export function byteCodesPay({
  dimensions,
  format,
}: Pick<VectorRows, "dimensions" | "format">): boolean {
  return 8 * byteCodeStride(dimensions) <= PAYING_EIGHTHS * dimensions * ELEMENT_BYTES[format];
}

/** What there is to know of byte codes. */
export interface ByteCodeDescription {
  /** What they were made for. */
  readonly metric: DistanceMetric;
  readonly dimensions: number;
  readonly origin: Float32Array;
}

/** Tells whether two descriptions give the same codes of a vector. */
export function isSameCoding(a: ByteCodeDescription, b: ByteCodeDescription): boolean {
  if (a.metric !== b.metric || a.dimensions !== b.dimensions) return false;
  return a.origin.every((element, d) => element === b.origin[d]);
}

/** Some rows of vectors, in the order in which they are wanted. */
export interface ByteCodePart {
  /** Undefined where no document has a vector. */
  readonly vectors: VectorRows | undefined;
  readonly ordinals: Uint32Array;
  /** All codes of the vectors, of the same description; absent: they are to be made. */
  readonly codes?: Uint8Array | undefined;
}

/** Plans both sections; codes are made when they are written. */
export function planByteCodes(
  attribute: string,
  description: ByteCodeDescription,
  parts: readonly ByteCodePart[],
): SectionPlan[] {
  const packer = new ArrayPacker();
  packer.word(METRICS.indexOf(description.metric));
  packer.word(description.dimensions);
  packer.array(description.origin);
  const stride = byteCodeStride(description.dimensions);
  const rows = parts.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  return [
    {
      kind: BYTE_CODE_SECTIONS.codes,
      attribute,
      bytes: rows * stride,
      writeTo: (target) => writeCodes(parts, description, target),
    },
    packedSection(BYTE_CODE_SECTIONS.description, attribute, packer),
  ];
}

function* writeCodes(
  parts: readonly ByteCodePart[],
  { metric, dimensions, origin }: ByteCodeDescription,
  target: Uint8Array,
): Steps<void> {
  const stride = byteCodeStride(dimensions);
  const stepRows = Math.ceil(STEP_NUMBERS / dimensions);
  let row = 0;
  for (const { vectors, ordinals, codes } of parts) {
    if (codes !== undefined) {
      const end = row + ordinals.length;
      yield* copyFixed(codes, ordinals, stride, target.subarray(row * stride, end * stride));
      row = end;
      continue;
    }
    if (vectors === undefined) {
      target.fill(0, row * stride, (row + ordinals.length) * stride);
      row += ordinals.length;
      continue;
    }
    const encoder = new ByteEncoder(vectors, metric, origin);
    for (const ordinal of ordinals) {
      if (row % stepRows === 0) yield;
      encoder.write(ordinal, target.subarray(row * stride, (row + 1) * stride));
      row++;
    }
  }
}

/** Opens the section that describes byte codes. */
export function openByteCodeDescription(block: Uint8Array): ByteCodeDescription {
  const what = "byte codes of vectors";
  const unpacker = new ArrayUnpacker(block, what);
  const metric = METRICS.at(unpacker.word());
  const dimensions = unpacker.word();
  const origin = unpacker.f32();
  if (metric === undefined) throw corrupt(what, "their metric is unknown");
  if (origin.length !== dimensions) {
    throw corrupt(what, `${origin.length} numbers are no origin of ${dimensions} dimensions`);
  }
  return { metric, dimensions, origin };
}
