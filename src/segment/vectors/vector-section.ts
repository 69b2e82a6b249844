/**
 * Dense vectors of an attribute, in two sections. One holds nothing but the vectors: element o
 * starts at o · stride, where the stride is the size of a vector rounded up to 16 bytes; padding
 * and the places of absent vectors are zeros. The other is packed (`columns-packing.ts`): type
 * (text), count, 1 and the presence bitmap or 0, and 1 / ‖v‖ of each vector as f32.
 */

import { assert } from "../../base/assert.ts";
import { STEP_COPY_BYTES } from "../../base/pieces.ts";
import type { Steps } from "../../base/steps.ts";
import { copyFixed } from "../../codec/columns-gather.ts";
import {
  ARRAY_ALIGNMENT,
  ArrayPacker,
  ArrayUnpacker,
  alignUp,
  corrupt,
} from "../../codec/columns-packing.ts";
import { vectorBytes } from "../../codec/columns-size.ts";
import { halves } from "../../codec/columns-value.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import { formatAttributeType, parseAttributeType } from "../../model/attribute-type.ts";
import type { Column, ColumnData } from "../../model/columns.ts";
import { inverseNorm } from "../../vector/metric.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";

/** Elements of vectors whose lengths one step takes. */
const STEP_ELEMENTS = 1 << 19;

/** Kinds of the two sections: the vectors themselves, and what there is to know of them. */
export const VECTOR_SECTIONS = { vectors: 3, description: 4 } as const;

/** Type of a dense vector. */
export type VectorType = Extract<AttributeType, { kind: "vector" }>;

/** Vectors at a fixed stride. */
export interface PlacedVectors {
  readonly bytes: Uint8Array;
  readonly strideBytes: number;
}

/** Some of the vectors of a source, in the order in which they are wanted. */
export interface VectorPart {
  /** Undefined where no document has a vector. */
  readonly source: PlacedVectors | undefined;
  readonly ordinals: Uint32Array;
}

/** What there is to know about vectors beside themselves. */
export interface VectorColumn {
  readonly type: VectorType;
  readonly count: number;
  readonly presence: Uint8Array | undefined;
  /** 0 for zero vectors and absent ones. */
  readonly inverseNorms: Float32Array;
}

/** Bytes from one vector to the next. */
export function vectorStride(type: VectorType): number {
  return alignUp(vectorBytes(type), ARRAY_ALIGNMENT);
}

/** The vectors of a column as they lie there. */
export function vectorsOf(column: Column): PlacedVectors {
  const { type, data } = column;
  assert(type.kind === "vector" && isDense(data), "the column has no dense vectors");
  const { buffer, byteOffset, byteLength } = data.values;
  return {
    bytes: new Uint8Array(buffer, byteOffset, byteLength),
    strideBytes: vectorBytes(type),
  };
}

/** 1 / ‖v‖ of each vector of a column. */
export function* inverseNorms(column: Column): Steps<Float32Array> {
  const { data, count } = column;
  assert(isDense(data), "the column has no dense vectors");
  const values = data.kind === "f16" ? halves(data.values) : data.values;
  const { dimensions } = data;
  const norms = new Float32Array(count);
  const stepVectors = Math.ceil(STEP_ELEMENTS / dimensions);
  for (let ordinal = 0; ordinal < count; ordinal++) {
    if (ordinal % stepVectors === 0) yield;
    let sum = 0;
    const end = (ordinal + 1) * dimensions;
    for (let i = ordinal * dimensions; i < end; i++) sum += values[i] * values[i];
    norms[ordinal] = inverseNorm(sum);
  }
  return norms;
}

/** Plans both sections; the vectors are copied from their sources when they are written. */
export function planVectors(
  attribute: string,
  column: VectorColumn,
  parts: readonly VectorPart[],
): SectionPlan[] {
  const { type, count, presence } = column;
  const packer = new ArrayPacker();
  packer.text(formatAttributeType(type));
  packer.word(count);
  packer.word(presence === undefined ? 0 : 1);
  if (presence !== undefined) packer.array(presence);
  packer.array(column.inverseNorms);
  const strideBytes = vectorStride(type);
  return [
    packedSection(VECTOR_SECTIONS.description, attribute, packer),
    {
      kind: VECTOR_SECTIONS.vectors,
      attribute,
      bytes: count * strideBytes,
      writeTo: (target) => writeVectors(parts, strideBytes, target),
    },
  ];
}

function* writeVectors(
  parts: readonly VectorPart[],
  strideBytes: number,
  target: Uint8Array,
): Steps<void> {
  let at = 0;
  for (const { source, ordinals } of parts) {
    const end = at + ordinals.length * strideBytes;
    const area = target.subarray(at, end);
    if (source === undefined) area.fill(0);
    else if (source.strideBytes === strideBytes) {
      yield* copyFixed(source.bytes, ordinals, strideBytes, area);
    } else yield* copyPadded(source, ordinals, { strideBytes, bytes: area });
    at = end;
  }
}

/** Opens the section that describes vectors. */
export function openVectorColumn(block: Uint8Array): VectorColumn {
  const unpacker = new ArrayUnpacker(block, "a column of vectors");
  const type = parseAttributeType(unpacker.text());
  if (type?.kind !== "vector") throw corrupt("a column of vectors", "its type is another");
  const count = unpacker.word();
  const presence = unpacker.word() === 1 ? unpacker.u8() : undefined;
  return { type, count, presence, inverseNorms: unpacker.f32() };
}

/** The vectors end to end as a column has them: a view if there is no padding, else a copy. */
export function vectorData(type: VectorType, placed: PlacedVectors, count: number): ColumnData {
  const width = vectorBytes(type);
  if (placed.strideBytes === width) return vectorsAt(type, placed.bytes, count);
  const bytes = new Uint8Array(count * width);
  for (let o = 0; o < count; o++) {
    const at = o * placed.strideBytes;
    bytes.set(placed.bytes.subarray(at, at + width), o * width);
  }
  return vectorsAt(type, bytes, count);
}

/** One of the vectors as a column of its own: a view. */
export function oneVector(type: VectorType, placed: PlacedVectors, ordinal: number): ColumnData {
  return vectorsAt(type, placed.bytes.subarray(ordinal * placed.strideBytes), 1);
}

function vectorsAt(
  { dimensions, element }: VectorType,
  { buffer, byteOffset }: Uint8Array,
  count: number,
): ColumnData {
  const length = count * dimensions;
  switch (element) {
    case "f32":
      return { kind: "f32", dimensions, values: new Float32Array(buffer, byteOffset, length) };
    case "f16":
      return { kind: "f16", dimensions, values: new Uint16Array(buffer, byteOffset, length) };
    case "i8":
      return { kind: "i8", dimensions, values: new Int8Array(buffer, byteOffset, length) };
  }
}

function* copyPadded(
  source: PlacedVectors,
  ordinals: Uint32Array,
  target: PlacedVectors,
): Steps<void> {
  const width = Math.min(source.strideBytes, target.strideBytes);
  const stepVectors = Math.ceil(STEP_COPY_BYTES / target.strideBytes);
  for (let i = 0; i < ordinals.length; i++) {
    if (i % stepVectors === 0) {
      yield;
      target.bytes.fill(0, i * target.strideBytes, (i + stepVectors) * target.strideBytes);
    }
    const at = ordinals[i] * source.strideBytes;
    target.bytes.set(source.bytes.subarray(at, at + width), i * target.strideBytes);
  }
}

function isDense(data: ColumnData): data is Extract<ColumnData, { kind: "f32" | "f16" | "i8" }> {
  return data.kind === "f32" || data.kind === "f16" || data.kind === "i8";
}
